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

// wrongKind returns an error for objects of kinds that the listener's informer does not watch, and
// for an object before an update that is of another kind than the one after it.
func (q Question) wrongKind(l *config.Listener) error {
	is, _ := q.Object.isOf("")
	was, _ := q.Old.isOf("")
	if is != "" && was != "" && is != was {
		return fmt.Errorf("%s: this is a %s, and the object is a %s: an update is about one object, before and after it",
			q.Old.Path, was, is)
	}
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
	var is struct {
		APIVersion, Kind string
		Items            json.RawMessage
	}
	if json.Unmarshal(f.JSON, &is) != nil || is.Items != nil { // which parsing it says
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

// IsOf reports whether the question's object seems to be one that the listener's informer watches.
func (q Question) IsOf(l *config.Listener) bool {
	kind, _ := q.Object.isOf(l.Informer().Resource)
	return kind == ""
}

// KnownResource reports whether a name is one of the common resources.
func KnownResource(name string) bool {
	set, err := openapi.Builtin()
	if err != nil {
		return false
	}
	_, known := set.Find(name)
	return known
}

// MayWatch reports whether an informer may watch the resource of a name, as a user writes it. Only
// an API server knows that of resources that are not common ones.
func MayWatch(inf *config.Informer, name string) bool {
	set, err := openapi.Builtin()
	if err != nil {
		return true
	}
	is, known := set.Find(inf.Resource)
	asked, common := set.Find(name)
	return known == common && is == asked
}

// KindWord returns how a user writes the kind of a resource in front of an object's name, and
// whether a namespace comes in between.
func KindWord(resource string) (word string, inNamespace bool) {
	set, err := openapi.Builtin()
	if err != nil {
		return resource, true
	}
	known, ok := set.Find(resource)
	if !ok {
		return resource, true
	}
	return strings.ToLower(known.Kind), !ofCluster(known)
}
