// Package docs has the documents that informerd prints itself.
package docs

import _ "embed"

// ConfigSchema is the JSON Schema of configurations and policy files. It is made of the types that
// they are read into; make docs writes it again.
//
//go:embed config.schema.json
var ConfigSchema []byte
