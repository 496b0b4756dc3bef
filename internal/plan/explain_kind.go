package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/informerd/informerd/internal/config"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/informer/object"
)

// WrongKindError is the error of an object of another kind than a listener watches.
type WrongKindError struct{ Path, Kind, Listener, Resource string }

func (e *WrongKindError) Error() string {
	return fmt.Sprintf("%s: this is a %s, and the listener %q watches %s: pass one of those",
		e.Path, e.Kind, e.Listener, e.Resource)
}

// wrongKind returns an error for objects of kinds that the listener's informer does not watch.
func (q Question) wrongKind(l *config.Listener) error {
	for _, f := range []ObjectFile{q.Object, q.Old} {
		if kind, sure := f.isOf(l.Informer().Resource); f.JSON != nil && kind != "" && sure {
			return &WrongKindError{f.Path, kind, l.Name, l.Informer().Resource}
		}
	}
	return nil
}

// unsureKind returns a note about an object that may be of another kind than the informer watches,
// "" if there is none. Only an API server knows all resources.
func unsureKind(inf *config.Informer, o *object.Object) string {
	kind, sure := notOf(inf.Resource, o.APIVersion(), o.Kind())
	if kind == "" || sure {
		return ""
	}
	return fmt.Sprintf("the object is a %s and the informer watches %s; if these are not the same, the listener never sees it", kind, inf.Resource)
}

func (f ObjectFile) isOf(resource string) (kind string, sure bool) {
	var is struct{ APIVersion, Kind string }
	if json.Unmarshal(f.JSON, &is) != nil {
		return "", false
	}
	return notOf(resource, is.APIVersion, is.Kind)
}

// notOf returns the kind of an object that does not belong to a resource, "" if it does, and
// whether that is sure.
func notOf(resource, apiVersion, kind string) (not string, sure bool) {
	set, err := openapi.Builtin()
	if err != nil || kind == "" {
		return "", false
	}
	group := openapi.GroupOf(apiVersion)
	not = kind
	if group != "" {
		not += " (" + group + ")"
	}
	if want, known := set.Find(resource); known {
		if want.Kind == kind && (want.Group == group || !strings.Contains(resource, ".")) {
			return "", false
		}
		return not, true
	}
	name, rest, _ := strings.Cut(strings.ToLower(resource), ".")
	if isPlural(name, strings.ToLower(kind)) &&
		(rest == "" || rest == group || strings.HasSuffix(rest, "."+group)) {
		return "", false
	}
	_, builtin := set.FindKind(apiVersion, kind)
	return not, builtin
}

// isPlural reports whether a resource's name can be that of the kind, both in lower case.
func isPlural(name, kind string) bool {
	y, endsInY := strings.CutSuffix(kind, "y")
	return name == kind || name == kind+"s" || name == kind+"es" || endsInY && name == y+"ies"
}
