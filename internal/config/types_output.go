package config

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Output is one place events go to. Exactly one of its fields other than when and data is set.
// Expressions of an output are about the message: the event's object, old and op, and what is known
// of the listener, the rule and the handler.
type Output struct {
	// Name is the output's key in Config.Outputs.
	Name string `json:"-"`
	// When is an expression; messages for which it is false do not go to this output. Default:
	// none, all messages do.
	When Expression `json:"when,omitzero" jsonschema:"minLength=1"`
	// Data is an expression that makes the message's data, of any type that JSON has. Default:
	// none, the data is what the handler made, or the object and its old state.
	Data Expression `json:"data,omitzero" jsonschema:"minLength=1"`
	// Stdout writes each message as one line of JSON to standard output.
	Stdout *Stdout `json:"stdout,omitempty" jsonschema:"oneof_required=kind"`
	// File writes each message as one line of JSON to a file.
	File *File `json:"file,omitempty" jsonschema:"oneof_required=kind"`
	// Webhook posts messages as CloudEvents over HTTP.
	Webhook *Webhook `json:"webhook,omitempty" jsonschema:"oneof_required=kind"`
	// NATS publishes messages to NATS, in a JetStream stream or without one.
	NATS *NATS `json:"nats,omitempty" jsonschema:"oneof_required=kind"`
	// Kafka produces messages to a topic of Kafka, with the object as the key.
	Kafka *Kafka `json:"kafka,omitempty" jsonschema:"oneof_required=kind"`
	// KubernetesEvent writes Events about the objects to the API server.
	KubernetesEvent *KubernetesEvent `json:"kubernetesEvent,omitempty" jsonschema:"oneof_required=kind"`
	// Patch changes the objects on the API server.
	Patch *Patch `json:"patch,omitempty" jsonschema:"oneof_required=kind"`
	// Slack posts messages to a channel of Slack.
	Slack *Slack `json:"slack,omitempty" jsonschema:"oneof_required=kind"`
	// Alertmanager posts what rules report to an Alertmanager: violated as firing, resolved as
	// resolved.
	Alertmanager *Alertmanager `json:"alertmanager,omitempty" jsonschema:"oneof_required=kind"`
}

// Stdout has no settings: write {}.
type Stdout struct{}

// File is a file of messages, one line of JSON each.
type File struct {
	// Path is the path of the file; a relative one counts from the folder of this configuration.
	// The file is created if it does not exist, and appended to if it does. Its folder must exist.
	Path string `json:"path" jsonschema:"required,format=path" item:"a file"`
	// Rotate says when a new file is begun, and how many old ones are kept.
	Rotate Rotate `json:"rotate,omitzero"`
	// Sync says when the disk has written what was written to the file. always: before a message
	// counts as delivered. interval: once a second. never: when the operating system does.
	Sync string `json:"sync" jsonschema:"default=interval,enum=interval,enum=always,enum=never"`
}

// The choices for sync.
const (
	SyncInterval = "interval"
	SyncAlways   = "always"
	SyncNever    = "never"
)

// Rotate says when the file of an output is renamed, and a new one begun.
type Rotate struct {
	// Size is how large the file may become.
	Size Bytes `json:"size" jsonschema:"default=100Mi,zero=any size,minimum=1Ki,maximum=1Ti"`
	// Age is how old the file may become.
	Age metav1.Duration `json:"age,omitzero" jsonschema:"default=0s,zero=any age,minimum=1s,maximum=365d"`
	// Keep is how many renamed files are kept; older ones are removed.
	Keep int `json:"keep" jsonschema:"default=7,minimum=1,maximum=10000"`
}

// KubernetesEvent has no settings: write {}.
type KubernetesEvent struct{}

// Patch changes the object that a message is about. What it changes does not come back to the same
// listener as an event.
type Patch struct {
	// Type is how the patch is applied. apply: server-side apply of a part of the object, by the
	// field manager informerd/LISTENER, which takes no field from another manager. json: a list of
	// operations, a JSON Patch. merge: the fields to change, a JSON Merge Patch.
	Type string `json:"type" jsonschema:"default=apply,enum=apply,enum=json,enum=merge"`
	// Patch is an expression that returns the patch. Default: none, the patch is the message's
	// data, from the output's data or the listener's handler.
	Patch Expression `json:"patch,omitzero" jsonschema:"minLength=1"`
	// DryRun has the API server check each patch, and change nothing.
	DryRun bool `json:"dryRun,omitempty" jsonschema:"default=false"`
}

// The types of patches.
const (
	PatchApply = "apply"
	PatchJSON  = "json"
	PatchMerge = "merge"
)

// DeadLetters bound what is kept of events and messages that could not be delivered. They are in
// the folder state.dir; without it they are kept in memory, and lost when informerd ends.
type DeadLetters struct {
	// Bytes is how large all of them may be together.
	Bytes Bytes `json:"bytes" jsonschema:"default=256Mi,minimum=1Mi,maximum=1Ti"`
	// Age is how long one is kept.
	Age metav1.Duration `json:"age" jsonschema:"default=168h,zero=without end,minimum=1m"`
	// WhenFull is what happens when there is no room for another one. wait: the listener waits
	// until there is. drop: it is lost, and counted.
	WhenFull string `json:"whenFull" jsonschema:"default=wait,enum=wait,enum=drop"`
}

// The choices for whenFull.
const (
	DeadLettersWait = "wait"
	DeadLettersDrop = "drop"
)
