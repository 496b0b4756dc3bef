package doubts

import (
	"strings"

	"github.com/informerd/informerd/internal/nearest"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Near returns the known resource that a name may be a misspelling of, "" if there is none.
func Near(resource string) string {
	set, err := openapi.Builtin()
	if err != nil {
		return ""
	}
	if IsCustom(resource) {
		return ""
	}
	if meant := Meant(set, resource); meant != "" {
		return meant
	}
	if near := NearCustom(resource); near != "" {
		return near
	}
	known := set.Resources()
	if !strings.Contains(resource, ".") { // as users usually write them
		for i, name := range known {
			known[i], _, _ = strings.Cut(name, ".")
		}
	}
	if near, found := nearest.Name(resource, known); found {
		return near
	}
	return begun(resource, known)
}

// begun returns the shortest known resource that begins as a name does, but for an s at its end, as
// in deploys, "" if there is none.
func begun(resource string, known []string) (shortest string) {
	stem := strings.TrimSuffix(strings.ToLower(resource), "s")
	for _, name := range known {
		if len(stem) >= 5 && strings.HasPrefix(name, stem) &&
			(shortest == "" || len(name) < len(shortest)) {
			shortest = name
		}
	}
	return shortest
}
