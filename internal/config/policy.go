package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PolicyKind is what the field kind of a policy file must say; apiVersion is that of a
// configuration.
const PolicyKind = "Policy"

// Policies name files of rules, and the outputs of what they report.
type Policies struct {
	// Files is the path of policy files, which may be a pattern. It must match a file.
	Files string `json:"files" jsonschema:"required,format=policy-files" item:"policy files, as in policies/*.yaml"`
	// Outputs are the names of the outputs that get the transitions of the files' rules.
	Outputs []string `json:"outputs" jsonschema:"required,minItems=1,uniqueItems" item:"output"`
	// Checkpoint is that of the files' listeners.
	Checkpoint bool `json:"checkpoint" jsonschema:"default=false"`
}

// Policy is the content of one policy file. It becomes a listener of its name, with the outputs of
// the entry that names the file and a listener's defaults for all that a policy does not have.
type Policy struct {
	// APIVersion is the version of the format.
	APIVersion string `json:"apiVersion" jsonschema:"required,enum=informerd.dev/v1alpha1"`
	// Kind is what sort of file it is.
	Kind string `json:"kind" jsonschema:"required,enum=Policy"`
	// Name is the name of the listener. Default: the file's name without its extension.
	Name string `json:"name" jsonschema:"format=dns-label"`
	// Description says what the policy is for. Default: none.
	Description string `json:"description,omitempty" jsonschema:"minLength=1"`
	// InformerRef is the name of an informer of this file or of the configuration, or an informer
	// in full.
	InformerRef InformerRef `json:"informer" jsonschema:"required"`
	// Informers are further ones, which are known in this file only. Default: none.
	Informers map[string]*Informer `json:"informers,omitempty" jsonschema:"propertyNames=dns-label"`
	// Select is an expression that says which objects the rules look at. Default: none, all
	// objects.
	Select Expression `json:"select,omitzero" jsonschema:"minLength=1"`
	// Resync is the period after which every object is looked at again.
	Resync metav1.Duration `json:"resync,omitzero" jsonschema:"default=0s,zero=never,minimum=1s"`
	// Rules describe unwanted states of the objects.
	Rules []Rule `json:"rules" jsonschema:"required,minItems=1" item:"rule"`
}

// Rule describes an unwanted state of an object. informerd reports each violation when it begins
// and when it ends.
type Rule struct {
	// Name is a name that no other rule of the listener has.
	Name string `json:"name" jsonschema:"required,format=dns-label"`
	// Deny is an expression about the object alone that is true for a violation.
	Deny Expression `json:"deny" jsonschema:"required,minLength=1"`
	// Message is an expression that returns the text to report. Default: none, the rule's name is
	// reported.
	Message Expression `json:"message,omitzero" jsonschema:"minLength=1"`
	// Severity is how bad a violation is.
	Severity string `json:"severity" jsonschema:"default=medium,enum=info,enum=low,enum=medium,enum=high,enum=critical"`
	// For is how long deny must be true without a break until it counts as a violation; 0 is at
	// once.
	For metav1.Duration `json:"for,omitzero" jsonschema:"default=0s,minimum=0s,maximum=30d"`
	// Repeat is the period after which a violation that continues is reported again.
	Repeat metav1.Duration `json:"repeat,omitzero" jsonschema:"default=0s,zero=never,minimum=1s,maximum=30d"`
	// OnError is what becomes of an object on which deny fails. keep: what is known of it stays, and
	// the event is a dead letter. violated: it violates the rule, so that nobody evades that.
	OnError string `json:"onError" jsonschema:"default=keep,enum=keep,enum=violated"`
}
