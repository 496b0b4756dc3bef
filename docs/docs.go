// Package docs has the documents that informerd prints itself.
package docs

import _ "embed"

// ConfigSchema is the JSON Schema of configurations and policy files. It is made of the types that
// they are read into; make docs writes it again.
//
//go:embed config.schema.json
var ConfigSchema []byte

// SchemaURL is where editors find ConfigSchema. It is that of the main branch and not of a version,
// so that the line SchemaComment stays the same when informerd is upgraded: fields are added to an
// apiVersion, and none is removed.
const SchemaURL = "https://raw.githubusercontent.com/informerd/informerd/main/docs/config.schema.json"

// SchemaComment is the first line of a configuration, which names its schema for editors.
const SchemaComment = "# yaml-language-server: $schema=" + SchemaURL + "\n"
