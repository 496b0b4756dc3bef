package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PolicyKind is what the field kind of a policy file must say; apiVersion is that of a
// configuration.
const PolicyKind = "Policy"

// Policies name files of rules and say where what comes out of them goes.
type Policies struct {
	// Files is the path of policy files, a pattern as filepath.Match has it: policies/*.yaml. A
	// relative one counts from the folder of this configuration. It must match a file; folders that
	// it matches are a mistake unless their names begin with a dot. At most 1,000 files in all, of
	// 16 MiB and 500,000 values together. Required.
	Files string `json:"files"`
	// Outputs are the names of the outputs that get the transitions of the files' rules. At least
	// one.
	Outputs []string `json:"outputs"`
}

// Policy is the content of one policy file. It becomes a listener of its name, with the outputs of
// the entry that names the file and the defaults of a listener for what a policy does not have.
type Policy struct {
	// APIVersion is always informerd.dev/v1alpha1. Required.
	APIVersion string `json:"apiVersion"`
	// Kind is Policy. Required.
	Kind string `json:"kind"`
	// Name is the name of the listener, a DNS label that no other listener has. Default: the file's
	// name without its extension.
	Name string `json:"name"`
	// Description says what the policy is for. Default: none.
	Description string `json:"description,omitempty"`
	// InformerRef is the name of an informer of this file or of the configuration, or an informer
	// in full. Required.
	InformerRef InformerRef `json:"informer"`
	// Informers are others, in whose caches the expressions look objects up. They are known in this
	// file only, and go before those of the configuration. Default: none.
	Informers map[string]*Informer `json:"informers,omitempty"`
	// Select is an expression that says which objects the rules look at. Default: none, all
	// objects.
	Select Expression `json:"select,omitzero"`
	// Resync is the period after which every object is looked at again: 0 or at least 1s. Default:
	// 0, never.
	Resync metav1.Duration `json:"resync,omitzero"`
	// Rules say what must be true of the objects. At least one.
	Rules []Rule `json:"rules"`
}

// notInPolicies gives the members of a listener that a policy does not have, with a hint for each.
func notInPolicies() map[string]string {
	hints := map[string]string{
		"outputs": "a listener can have it; those of a policy stand in the entry of policies that names its file",
	}
	for _, name := range []string{"buffer", "filter", "handler", "on", "retry", "workers"} {
		hints[name] = "a listener can have it, a policy cannot"
	}
	return hints
}

// Rule is something that must be true of each object. What is not is a violation: it is reported
// when it begins and when it ends.
type Rule struct {
	// Name is a DNS label that no other rule of the listener has. Required.
	Name string `json:"name"`
	// Deny is an expression about the object alone that is true for a violation. Required.
	Deny Expression `json:"deny"`
	// Message is an expression that returns the text to report. Default: none, the rule's name is
	// reported.
	Message Expression `json:"message,omitzero"`
	// Severity is how bad a violation is: info, low, medium, high or critical. Default: medium.
	Severity string `json:"severity"`
	// For is how long deny must be true without a break before that is a violation, 0 to 720h (30
	// days). Default: 0, at once.
	For metav1.Duration `json:"for,omitzero"`
	// Repeat is the period after which a violation that goes on is reported again: 0, or 1s to 720h
	// (30 days). Default: 0, never.
	Repeat metav1.Duration `json:"repeat,omitzero"`
}

// The severities.
const (
	SeverityInfo     = "info"
	SeverityLow      = "low"
	SeverityMedium   = "medium"
	SeverityHigh     = "high"
	SeverityCritical = "critical"
)
