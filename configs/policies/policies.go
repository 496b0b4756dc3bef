// Package policies has the ready policies, one a file, for commands that write configurations.
package policies

import "embed"

// Files are the policies.
//
//go:embed *.yaml
var Files embed.FS
