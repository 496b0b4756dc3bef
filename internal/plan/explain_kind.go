package plan

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/kinds"
)

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
			return &kinds.WrongError{Path: f.Path, Kind: kind, Listener: l.Name,
				Resource: l.Informer().Resource, Hint: f.KindHint()}
		}
	}
	return nil
}

func (f ObjectFile) isOf(resource string) (kind string, sure bool) {
	var is struct {
		APIVersion, Kind string
		Items            json.RawMessage
	}
	if json.Unmarshal(f.JSON, &is) != nil || is.Items != nil { // which parsing it says
		return "", false
	}
	return kinds.Not(resource, is.APIVersion, is.Kind)
}

// IsOf reports whether the question's object seems to be one that the listener's informer watches.
func (q Question) IsOf(l *config.Listener) bool { return q.Object.IsOf(l.Informer()) }

// IsOf reports whether the object seems to be one that an informer watches.
func (f ObjectFile) IsOf(inf *config.Informer) bool {
	kind, _ := f.isOf(inf.Resource)
	return kind == ""
}

// MayWatch reports whether an informer may watch the resource of a name, as a user writes it. Only
// an API server knows that of resources that are not common ones.
func MayWatch(inf *config.Informer, name string) bool { return kinds.Same(inf.Resource, name) }

// KindHint returns what is probably wrong about the object's kind or apiVersion, "" if that is not
// known.
func (f ObjectFile) KindHint() string {
	var is struct{ APIVersion, Kind string }
	if json.Unmarshal(f.JSON, &is) != nil {
		return ""
	}
	return kinds.Hint(is.APIVersion, is.Kind)
}
