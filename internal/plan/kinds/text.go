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
	set, err := openapi.Builtin()
	if err != nil {
		return "", false
	}
	if name, ok := set.Find(resource); ok {
		return strings.TrimSuffix(name.Resource+"."+name.Group, "."), true
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

// plural matches what is probably not the singular, the kind or the short name of a resource.
var plural = regexp.MustCompile(`^[a-z0-9-]{3,}s$`)

// isVersion reports whether a part of a name is a version of an API, such as v1 or v1beta1.
func isVersion(part string) bool {
	return len(part) > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9'
}
