// Package resourcename reads the names of resources as people write them: pods, deployments.apps or
// certificates.v1.cert-manager.io.
//
// What is promised:
//   - A name is read in the same way wherever it is looked up: at an API server, in schemas, in a
//     configuration.
//   - Whether there is such a resource is for others to say: a dot may begin a version or a group.
package resourcename

import (
	"regexp"
	"strings"
)

// Pattern matches the names that may be those of resources.
var Pattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// Reading is one way to read a name.
type Reading struct {
	Resource string
	Version  string // empty for any
	Group    string
	AnyGroup bool // the name has no group
}

// Readings returns the ways to read a name, the likeliest first.
func Readings(name string) []Reading {
	resource, rest, _ := strings.Cut(strings.TrimSuffix(name, "."), ".")
	if rest == "" {
		return []Reading{{Resource: resource, AnyGroup: true}}
	}
	version, group, _ := strings.Cut(rest, ".")
	return []Reading{
		{Resource: resource, Version: version, Group: group}, // pods.v1, deployments.v1.apps
		{Resource: resource, Group: rest},                    // deployments.apps
	}
}

// MayBeSecrets reports whether a name may be that of the core group's Secrets, by their plural or
// their kind.
func MayBeSecrets(name string) bool {
	for _, r := range Readings(strings.ToLower(name)) {
		core := r.AnyGroup || r.Group == "" && r.Version == "v1"
		if core && (r.Resource == "secrets" || r.Resource == "secret") {
			return true
		}
	}
	return false
}
