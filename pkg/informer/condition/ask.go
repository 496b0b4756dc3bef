package condition

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Event is what conditions are asked about.
type Event struct {
	Op     event.Op
	Object *object.Object
	// Old is the state before an update, else nil.
	Old *object.Object
	// Before is the state that a listener with transitions may have taken before the event, else
	// nil.
	Before *object.Object
}

// view is one meaning of an event: its op, and which sides have its object and its old
// state.
type view struct {
	op          event.Op
	object, old int8 // a side, or none
	item        int8 // the side with the current item
}

const none = -1

// Hold reports whether all conditions may hold for the event. With transitions, it is enough
// if they may hold for another meaning of the event, as for a listener to which only some of
// the objects exist: an update may be an add of the object or a delete of the state before,
// and a delete may be one of the state before.
func (l *List) Hold(f *Fields, e *Event) bool {
	if len(l.checks) == 0 {
		return true
	}
	f.set(now, e.Object)
	v := view{op: e.Op, old: none}
	if e.Op == event.Update && e.Old != nil {
		f.set(before, e.Old)
		v.old = before
	}
	if f.all(l.checks, v, nil) {
		return true
	}
	if !l.transitions {
		return false
	}
	if l.ofEvent && e.Op == event.Update && f.all(l.checks, view{op: event.Add, old: none}, nil) {
		return true
	}
	if e.Before == nil || e.Before == e.Object {
		return false
	}
	f.set(before, e.Before)
	return f.all(l.checks, view{op: event.Delete, object: before, old: none}, nil)
}

// all reports whether every check may hold. The row is the current item, nil if there is
// none.
func (f *Fields) all(checks []check, v view, row []cell) bool {
	for i := range checks {
		if !f.passes(&checks[i], v, row) {
			return false
		}
	}
	return true
}

// passes reports whether a check may hold.
func (f *Fields) passes(c *check, v view, row []cell) bool {
	switch c.kind {
	case byOp:
		return c.ops.Has(v.op)
	case byAlternatives:
		for _, list := range c.either {
			if f.all(list, v, row) {
				return true
			}
		}
		return false
	case byItem:
		return c.passed(c.cell(&row[c.item[v.item]]))
	}
	side := v.object
	if c.old {
		side = v.old
	}
	switch c.kind {
	case byNamespace, byName:
		return c.passed(f.identity(c, side))
	case byChange:
		return f.changed(c, v)
	case byItems:
		return f.passesItems(c, side, v)
	}
	if side == none {
		return c.passed(no) // there is no such field
	}
	x := f.sides[side].read(int(c.slots[side]))
	switch c.kind {
	case byLabel:
		return c.passed(f.label(c, side, x))
	case byMember:
		return c.passed(f.member(c, side, x))
	}
	return c.passed(c.cell(x))
}

// passed reports whether an answer to the check's test passes an event.
func (c *check) passed(is answer) bool { return is == unknown || (is == yes) != c.opposite }

// identity answers for a namespace or a name, which every object's header has. An empty
// namespace may be missing.
func (f *Fields) identity(c *check, side int8) answer {
	if side == none {
		return no
	}
	o := f.sides[side].object
	text := o.Name()
	if c.kind == byNamespace {
		text = o.Namespace()
		if text == "" && c.test != In && (c.test != StartsWith || c.texts[0] == "") {
			return unknown
		}
	}
	return c.text(text)
}

// label answers whether a label exists. It does not know about a label that is not a text,
// nor about labels that are not an object.
func (f *Fields) label(c *check, side int8, x *cell) answer {
	switch x.value.Kind() {
	case object.String:
		return yes
	case object.Missing:
		labels := f.sides[side].read(int(c.more[side])).value.Kind()
		if labels == object.Missing || labels == object.Null || labels == object.ObjectKind {
			return no
		}
	}
	return unknown
}

// member answers whether an object has a member, or a list a text.
func (f *Fields) member(c *check, side int8, x *cell) answer {
	switch x.value.Kind() {
	case object.Missing, object.Null:
		return no
	case object.ObjectKind:
		return answerOf(f.sides[side].read(int(c.more[side])).value.Exists())
	case object.Array:
		return hasItem(x.value, c.member)
	}
	return unknown
}

// hasItem answers whether a list has a text.
func hasItem(list object.Value, text string) answer {
	found, n := no, 0
	list.Each(func(item object.Value) bool {
		switch n++; {
		case n > MaxItems:
			found = unknown
		case item.Kind() == object.String && item.Text() == text:
			found = yes
		}
		return found == no
	})
	return found
}

// changed reports whether a field may differ from the state before. Two objects are compared
// once for all lists.
func (f *Fields) changed(c *check, v view) bool {
	if v.old == none {
		return f.sides[v.object].read(int(c.slots[v.object])).value.Kind() > object.Null
	}
	a, b := f.sides[v.object].read(int(c.slots[v.object])), f.sides[v.old].read(int(c.slots[v.old]))
	if a.pair != f.pair {
		a.pair, a.differs = f.pair, differ(a.value, b.value)
	}
	return a.differs
}

// differ reports whether two values have different texts. Missing and null are the same.
func differ(a, b object.Value) bool {
	if a.Kind() <= object.Null && b.Kind() <= object.Null {
		return false
	}
	return a.Raw() != b.Raw()
}

// passesItems reports whether the items of a list pass. A missing field has none, and any
// other value passes.
func (f *Fields) passesItems(c *check, side int8, v view) bool {
	every := c.test == Every
	if side == none {
		return every
	}
	x := f.sides[side].read(int(c.slots[side]))
	switch x.value.Kind() {
	case object.Missing, object.Null:
		return every
	case object.Array:
	default:
		return true
	}
	list := c.lists[side]
	v.item = side
	if list.fill(x.value); list.long {
		return true
	}
	for i := range list.n {
		if f.all(c.items, v, list.row(i)) != every {
			return !every
		}
	}
	return every
}

// answer is the result of a test.
type answer uint8

const (
	no answer = iota
	yes
	unknown
)

func answerOf(is bool) answer {
	if is {
		return yes
	}
	return no
}

// cell answers for a value.
func (c *check) cell(x *cell) answer {
	switch kind := x.value.Kind(); {
	case kind == object.Missing || kind == object.Null:
		return no // it is not one of the values either
	case c.test == Exists:
		return yes
	case kind == object.String:
		return c.text(x.string())
	case kind == object.Number && c.test != True:
		return c.number(x)
	case kind == object.Bool:
		return c.truth(x.value.Bool())
	case c.test == In:
		return no
	}
	return unknown
}

func (c *check) text(s string) answer {
	if c.test == In {
		if len(c.texts) == 1 {
			return answerOf(c.texts[0] == s)
		}
		_, found := slices.BinarySearch(c.texts, s)
		return answerOf(found)
	}
	if len(c.texts) != 1 {
		return unknown
	}
	value := c.texts[0]
	switch c.test {
	case StartsWith:
		return answerOf(strings.HasPrefix(s, value))
	case EndsWith:
		return answerOf(strings.HasSuffix(s, value))
	case Contains:
		if len(s) > MaxText {
			return unknown
		}
		return answerOf(strings.Contains(s, value))
	}
	return c.order(strings.Compare(s, value))
}

func (c *check) number(x *cell) answer {
	if c.test == In && len(c.numbers) == 0 {
		return no
	}
	if c.test != In && len(c.numbers) != 1 {
		return unknown
	}
	f, exact := x.float()
	switch {
	case !exact:
		return unknown
	case c.test == In:
		return answerOf(slices.Contains(c.numbers, f))
	case f < c.numbers[0]:
		return c.order(-1)
	case f > c.numbers[0]:
		return c.order(1)
	}
	return c.order(0)
}

func (c *check) truth(is bool) answer {
	switch {
	case c.test == True:
		return answerOf(is)
	case c.test == In:
		return answerOf(is && c.yes || !is && c.no)
	}
	return unknown
}

// order answers the four tests of an order.
func (c *check) order(compared int) answer {
	switch c.test {
	case Less:
		return answerOf(compared < 0)
	case AtMost:
		return answerOf(compared <= 0)
	case More:
		return answerOf(compared > 0)
	case AtLeast:
		return answerOf(compared >= 0)
	}
	return unknown
}
