package informer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Condition asks one thing of an event's object that can be told by reading little of it. The zero value asks for a
// namespace that is in an empty list, which no object has.
type Condition struct {
	// Of is what is asked about.
	Of Subject
	// Key is the label's key if Of is OfLabel, the field's path if it is OfField (see event.CompilePath), else "".
	Key string
	// Test is how it is asked. Exists and NotExists are for labels alone.
	Test Test
	// Values are what In and NotIn compare with.
	Values []string

	path event.Path // Key compiled, of OfField
}

// Subject is what a condition asks about.
type Subject uint8

const (
	// OfNamespace: the object's namespace, "" if it is cluster-scoped.
	OfNamespace Subject = iota
	// OfName: the object's name.
	OfName
	// OfLabel: one of its labels.
	OfLabel
	// OfField: the text that stands in a field. Asking for it reads the object: it is meant for few fields near the
	// beginning of spec and status, as API servers have selectors for.
	OfField
)

// Test is how a condition asks. A label or field that is not a text, and labels that are not an object, which no API server
// sends, pass every test but In.
type Test uint8

const (
	// In: it is one of the values.
	In Test = iota
	// NotIn: it is none of the values, or there is no such label.
	NotIn
	// Exists: there is such a label.
	Exists
	// NotExists: there is no such label.
	NotExists
)

var testWords = [...]string{In: "in", NotIn: "not in", Exists: "exists", NotExists: "does not exist"}

// String gives the condition in the words of filters, as in label("tier") in ["a", "b"].
func (c Condition) String() string {
	subject := "namespace"
	switch c.Of {
	case OfNamespace:
	case OfName:
		subject = "name"
	case OfLabel:
		subject = "label(" + strconv.Quote(c.Key) + ")"
	case OfField:
		subject = c.Key
	default:
		subject = fmt.Sprintf("subject %d", c.Of)
	}
	if int(c.Test) >= len(testWords) {
		return fmt.Sprintf("%s test %d", subject, c.Test)
	}
	if c.Test == Exists || c.Test == NotExists {
		return subject + " " + testWords[c.Test]
	}
	values := make([]string, len(c.Values))
	for i, v := range c.Values {
		values[i] = strconv.Quote(v)
	}
	return subject + " " + testWords[c.Test] + " [" + strings.Join(values, ", ") + "]"
}

func (c *Condition) validate() error {
	switch {
	case c.Of > OfField:
		return errors.New("there is no such subject")
	case c.Test > NotExists:
		return errors.New("there is no such test")
	case c.Of == OfLabel && c.Key == "":
		return errors.New("the label's key is missing")
	case c.Of < OfLabel && c.Key != "":
		return errors.New("a key is for labels and fields alone")
	case c.Of != OfLabel && c.Test >= Exists:
		return errors.New("only labels may exist or not")
	case c.Test >= Exists && len(c.Values) > 0:
		return errors.New("whether a label exists has nothing to do with values")
	}
	return nil
}

// conditions decide which events a listener gets, before anything is built or locked for it. The zero value refuses
// everything.
type conditions struct {
	on          event.OpSet
	list        []Condition // the cheapest ones first, Values sorted
	transitions bool        // see ListenerConfig.Transitions
}

func newConditions(on event.OpSet, list []Condition, transitions bool) (conditions, error) {
	c := conditions{on: on, transitions: transitions}
	for i, asked := range list {
		if err := asked.validate(); err != nil {
			return conditions{}, fmt.Errorf("condition %d, %s: %w", i+1, asked, err)
		}
		if asked.Of == OfField {
			path, err := event.CompilePath(asked.Key)
			if err != nil {
				return conditions{}, fmt.Errorf("condition %d, %s: %w", i+1, asked, err)
			}
			asked.path = path
		}
		asked.Values = slices.Compact(slices.Sorted(slices.Values(asked.Values)))
		c.list = append(c.list, asked)
	}
	slices.SortStableFunc(c.list, func(a, b Condition) int { return int(a.Of) - int(b.Of) })
	return c, nil
}

// allows tells whether the listener wants the event. It does not allocate, and takes far less than a microsecond, unless it
// asks for fields: then about as much as a filter that reads them.
func (c *conditions) allows(e *entry, r *fieldReader) bool {
	if !c.on.Has(e.Op) {
		return false
	}
	if c.allow(e.Object, &r.object) {
		return true
	}
	if !c.transitions || mutated("transitions-ignored") {
		return false
	}
	before := e.knownBefore()
	return before != nil && before != e.Object && c.allow(before, &r.old)
}

func (c *conditions) allow(o *event.Object, from *lastRead) bool {
	for i := range c.list {
		if !c.list[i].allows(o, from) {
			return false
		}
	}
	return true
}

// fieldReader reads fields of one event after the other, for all listeners. It holds on to the last one's objects.
type fieldReader struct{ object, old lastRead }

// lastRead reads fields of one object, which it unpacks once.
type lastRead struct {
	object  *event.Object
	scratch event.Scratch
}

func (l *lastRead) lookup(o *event.Object, path event.Path) event.Value {
	if l.object != o {
		l.object = o
		l.scratch.Set(o)
	}
	return l.scratch.Lookup(path)
}

// allowed gives those of the stored objects that a listener which comes late wants as adds.
func (c *conditions) allowed(objects []*event.Object) []*event.Object {
	if len(c.list) == 0 || mutated("conditions-ignored-for-late-ones") {
		return objects
	}
	var wanted []*event.Object // a new one, so that a few objects do not keep the list of all
	var r fieldReader
	for _, o := range objects {
		if c.allows(&entry{Event: event.Event{Op: event.Add, Object: o}}, &r) {
			wanted = append(wanted, o)
		}
	}
	return wanted
}

func (c *Condition) allows(o *event.Object, from *lastRead) bool {
	switch c.Of {
	case OfNamespace:
		return c.has(o.Namespace()) == (c.Test == In)
	case OfName:
		return c.has(o.Name()) == (c.Test == In)
	case OfField:
		v := from.lookup(o, c.path)
		return (v.Kind() == event.String && c.has(v.Text())) == (c.Test == In)
	}
	value, ok := o.Label(c.Key)
	switch c.Test {
	case In:
		return ok && c.has(value)
	case NotIn:
		return !ok || !c.has(value)
	case Exists:
		return ok || hasOddLabel(o, c.Key)
	default:
		return !ok
	}
}

func (c *Condition) has(value string) bool {
	if len(c.Values) == 1 {
		return c.Values[0] == value
	}
	_, found := slices.BinarySearch(c.Values, value)
	return found
}

var labelsPath = event.MustCompilePath("metadata.labels")

// hasOddLabel: there is something of this key that is not a text.
func hasOddLabel(o *event.Object, key string) bool {
	labels := labelsPath.Lookup(o)
	if labels.Kind() == event.ObjectKind {
		return labels.Get(key).Exists()
	}
	return labels.Kind() > event.Null
}
