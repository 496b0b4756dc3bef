package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/defaults"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/plan/lookedup"
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
	Kept    *lookedup.Kept // of questions that have the same objects of an informer, or nil

	Now   time.Time // as of which all is evaluated; zero: as of the present time
	Rules []string  // those that are asked about, and not the event itself; none: all is asked

	Template string   // the kind whose pod template the object is made of; "": it is an object
	NoEvent  string   // why there is no event; "" if there is one
	Notes    []string // about the question
	Initial  bool     // the event is one of the first list
	Supposed bool     // the object is one of the cluster, whose add is supposed
	Looked   bool     // nothing of it changes but what expressions look up; Supposed is set as well

	Source answer.Source

	// Running is what a running informerd knows of the object, or a checkpoint; nil if none was
	// asked.
	Running *memory.Object
	// Unasked is why none was asked, where one might be; else "".
	Unasked string
	// Restart are the settings for which the running informerd refuses a reload with the
	// configuration. GoesOn is whether the listener goes on where it was after a restart, and Lists
	// whether it does so with a list, since its informer is another one; also with a checkpoint.
	Restart       []string
	GoesOn, Lists bool
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
	supposedButRules = "rules go on with what is remembered; else this is what would come of the object if it were added now; --op and --old FILE ask about another event"
)

// notes returns what is odd about the question. Rules go on with what is known.
func (q Question) notes(e event.Event, l *config.Listener, known answer.Known) (notes []string) {
	if q.Unasked != "" && q.Running == nil && len(l.Rules) > 0 {
		notes = append(notes, q.Unasked+": what is reported already is not known here.")
	}
	notes = append(notes, q.Notes...)
	if q.Template != "" {
		notes = append(notes, fmt.Sprintf("this is the pod that the template of the %s stands for: its name, its owner and the hashes of its labels are made up, and it has no status.",
			q.Template))
	}
	if q.Initial && l.Checkpoint {
		notes = append(notes, "the listener has a checkpoint: a restart goes on from that, without a first list, and reports nothing again of what is open.")
	}
	if !q.Now.IsZero() {
		note := "it is taken to be " + q.Now.UTC().Format(time.RFC3339)
		if len(known.Rules) > 0 {
			note += fmt.Sprintf(", but for what %s remembers, whose times are as of the real time",
				known.Who)
		}
		notes = append(notes, note+".")
	}
	switch {
	case q.Looked: // what rules report is what comes, as of a listener that sends nothing else
	case known.Object && len(l.Rules) > 0 && l.Filter.Text == "" && l.Handler == nil:
	case q.Supposed && len(known.Rules) > 0:
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
	case q.NoEvent != "":
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
	if lack := kinds.Lacks(f.JSON); lack != "" {
		return nil, fmt.Errorf("%s: %s", f.Path, lack)
	}
	o, err := p.Parse(defaults.Complete(f.JSON))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return o, nil
}
