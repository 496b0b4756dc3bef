package config

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// File is a file of messages, one line of JSON each.
type File struct {
	// Path is the path of the file, which is appended to if it exists. Its folder must exist.
	Path string `json:"path" jsonschema:"required,format=path" item:"a file"`
	// Rotate says when a new file is begun, and how many old ones are kept.
	Rotate Rotate `json:"rotate,omitzero"`
	// Sync says when the disk has what was written. always: before a message counts as delivered.
	// interval: once a second. never: when the operating system does.
	Sync string `json:"sync" jsonschema:"default=interval,enum=interval,enum=always,enum=never"`
}

// Rotate says when the file of an output is renamed, and a new one begun.
type Rotate struct {
	// Size is how large the file may become.
	Size Bytes `json:"size" jsonschema:"default=100Mi,zero=any size,minimum=1Ki,maximum=1Ti"`
	// Age is how old the file may become.
	Age metav1.Duration `json:"age,omitzero" jsonschema:"default=0s,zero=any age,minimum=1s,maximum=365d"`
	// Keep is how many renamed files are kept; older ones are removed.
	Keep int `json:"keep" jsonschema:"default=7,minimum=1,maximum=10000"`
}
