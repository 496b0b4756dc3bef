package kinds

import (
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/resourcename"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Text returns what the variable resource is for objects of a resource, false if only an
// API server knows that.
func Text(resource string) (text string, known bool) {
	if text, known = BuiltinText(resource); known {
		return text, known
	}
	// certificates.v1.cert-manager.io, or certificates.cert-manager.io
	all := resourcename.Readings(resource)
	if i := slices.IndexFunc(all, func(r resourcename.Reading) bool {
		return !r.AnyGroup && isVersion(r.Version) == (r.Version != "") &&
			strings.Contains(r.Group, ".")
	}); i >= 0 && plural.MatchString(all[i].Resource) {
		return all[i].Resource + "." + all[i].Group, true
	}
	return "", false
}

// BuiltinText is Text for Kubernetes' own resources alone.
func BuiltinText(resource string) (text string, known bool) {
	set, err := openapi.Builtin()
	if err != nil {
		return "", false
	}
	name, known := set.Find(resource)
	return strings.TrimSuffix(name.Resource+"."+name.Group, "."), known
}

var versionOf = regexp.MustCompile(`\.v[0-9]+((alpha|beta)[0-9]+)?(\.|$)`)

// Unversioned returns a resource without its version: objects are the same in all of them.
func Unversioned(resource string) string { return versionOf.ReplaceAllString(resource, "$3") }

// plural matches what is probably not the singular, the kind or the short name of a resource.
var plural = regexp.MustCompile(`^[a-z0-9-]{3,}s$`)

// isVersion reports whether a part of a name is a version of an API, such as v1 or v1beta1.
func isVersion(part string) bool {
	return len(part) > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9'
}
