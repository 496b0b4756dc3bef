package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Question is an event to be explained.
type Question struct {
	Op     event.Op
	Object ObjectFile
	Old    ObjectFile // empty unless it is an update

	// Lookups has the objects that lookups find, by the names of informers. What depends on another
	// informer is not decided.
	Lookups map[string][]ObjectFile

	Now   time.Time // as of which all is evaluated; zero: as of the present time
	Rules []string  // those that are asked about, and not the event itself; none: all is asked

	Initial  bool // the event is one of the first list
	Supposed bool // the object is one of the cluster, whose add is supposed

	Source answer.Source

	// Running is what a running informerd knows of the object, nil if none was asked.
	Running *memory.Object
}

// ObjectFile is an object in the text of a file.
type ObjectFile struct {
	Path string
	JSON []byte
}

// event returns it as a listener of the informer would get it: without managedFields and what else
// the informer drops, and with digests for the data of a Secret.
func (q Question) event(inf *config.Informer) (e event.Event, err error) {
	parser, err := ParserOf(inf)
	if err != nil {
		return e, err
	}
	e.Op, e.Initial = q.Op, q.Initial
	if e.Object, err = q.Object.parse(parser); err != nil || q.Op != event.Update {
		return e, err
	}
	if e.Old, err = q.Old.parse(parser); err != nil {
		return e, err
	}
	is, was := e.Object, e.Old
	switch {
	case is.Key() != was.Key():
		return e, fmt.Errorf("%s: this is %s, and the object is %s: an update is about one object, before and after it",
			q.Old.Path, quotedKey(was), quotedKey(is))
	case is.UID() != "" && was.UID() != "" && is.UID() != was.UID():
		return e, fmt.Errorf("%s: this is another object of the same name, with another uid: to a listener that is a delete and an add, so explain each with --op",
			q.Old.Path)
	}
	return e, nil
}

const (
	supposed         = "this is what would come of the object if it were added now; --op and --old FILE ask about another event"
	supposedButRules = "rules go on with what the running informerd remembers; else this is what would come of the object if it were added now; --op and --old FILE ask about another event"
)

// notes returns what is odd about the question. Rules go on with what is remembered.
func (q Question) notes(e event.Event, remembered memory.Rules) (notes []string) {
	switch {
	case q.Supposed && len(remembered) > 0:
		notes = append(notes, supposedButRules)
	case q.Supposed:
		notes = append(notes, supposed)
	}
	if e.Op != event.Update {
		return notes
	}
	is, was := e.Object.ResourceVersion(), e.Old.ResourceVersion()
	newer, err1 := strconv.ParseUint(is, 10, 64)
	older, err2 := strconv.ParseUint(was, 10, 64)
	switch {
	case bytes.Equal(q.Object.JSON, q.Old.JSON):
		notes = append(notes, "the object and the old one are the same: an API server sends no update without a change")
	case err1 == nil && err2 == nil && newer < older:
		notes = append(notes, fmt.Sprintf("the old object has a later version (%s) than the object (%s): they may have been swapped", was, is))
	}
	return notes
}

func quotedKey(o *object.Object) string {
	return strconv.Quote(o.Key().String())
}

// ParserOf returns a parser that reads objects as the informer would.
func ParserOf(inf *config.Informer) (*object.Parser, error) {
	shape, err := ShapeOf(inf)
	if err != nil {
		return nil, err
	}
	parser := &object.Parser{KeepManagedFields: shape.KeepManagedFields}
	return parser, parser.Drop(shape.Drop...)
}

func (f ObjectFile) parse(p *object.Parser) (*object.Object, error) {
	var list struct{ Items json.RawMessage }
	if err := json.Unmarshal(f.JSON, &list); err == nil && list.Items != nil {
		return nil, fmt.Errorf("%s: this is a list: pass one object", f.Path)
	}
	if lack := f.lacks(); lack != "" {
		return nil, fmt.Errorf("%s: %s", f.Path, lack)
	}
	o, err := p.Parse(f.JSON)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return o, nil
}

// lacks returns what keeps a text from being a Kubernetes object, "" if it may be one. Places in
// the text are not those of the file, which may be YAML.
func (f ObjectFile) lacks() string {
	var is struct{ APIVersion, Kind, Metadata any }
	if json.Unmarshal(f.JSON, &is) != nil {
		return ""
	}
	kind, _ := is.Kind.(string)
	version, _ := is.APIVersion.(string)
	metadata, isMap := is.Metadata.(map[string]any)
	name, isText := metadata["name"].(string)
	switch {
	case kind == "" || version == "":
		return "this is not a Kubernetes object: it needs apiVersion and kind, as texts"
	case is.Metadata != nil && !isMap:
		return "metadata is not a mapping: it has the object's name"
	case metadata["name"] != nil && !isText:
		return fmt.Sprintf("metadata.name is %v, and must be a text: put it in quotes",
			metadata["name"])
	case name == "":
		return fmt.Sprintf("the %s has no metadata.name", kind)
	}
	return ""
}
