package keeper

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// fakeListener is a listener with one output, for which it has some objects, and with a rule that
// some objects violate.
type fakeListener struct {
	name, selects string
	begun         bool
	saved         *Listener // what it had, and has not begun with; nil if it has not asked
	unsent        map[uint64]*object.Object
	number        uint64
	changed       map[uint64]bool // nil before the first cut
	violated      int             // objects, or -1 without a book
	rulesChanged  bool
}

func (w *world) listener(name string) *fakeListener {
	l := &fakeListener{name: name, begun: true, unsent: map[uint64]*object.Object{}, violated: -1}
	w.listeners[name] = l
	return l
}

func (l *fakeListener) offer(o *object.Object) {
	l.number++
	if l.unsent[l.number] = o; l.changed != nil {
		l.changed[l.number] = true
	}
}

func (l *fakeListener) send(number uint64) {
	if l.unsent[number] == nil {
		return
	}
	if delete(l.unsent, number); l.changed != nil {
		l.changed[number] = true
	}
}

// violate has some objects violate the rule, or with -1 none, and no book any more.
func (l *fakeListener) violate(objects int) { l.violated, l.rulesChanged = objects, true }

func (l *fakeListener) Name() string   { return l.name }
func (l *fakeListener) Select() string { return l.selects }

func (l *fakeListener) Cut(to []byte, with delivery.AppendObject) []byte {
	if l.saved != nil {
		return to
	}
	changed, book := l.changed, l.rulesChanged
	l.changed, l.rulesChanged = map[uint64]bool{}, false
	if changed == nil {
		return l.whole(to, with)
	}
	if len(changed) == 0 && !book {
		return to
	}
	return l.append(to, false, slices.Sorted(maps.Keys(changed)), book, with)
}

func (l *fakeListener) Whole(to []byte, with delivery.AppendObject) []byte {
	if l.saved != nil {
		return l.saved.Route.Append(to, with)
	}
	return l.whole(to, with)
}

func (l *fakeListener) whole(to []byte, with delivery.AppendObject) []byte {
	return l.append(to, true, slices.Sorted(maps.Keys(l.unsent)), l.violated >= 0, with)
}

// append appends a cut in the format of packages route, delivery and rules.
func (l *fakeListener) append(to []byte, whole bool, numbers []uint64, book bool,
	with delivery.AppendObject) []byte {
	box := codec.AppendUint(codec.AppendBool([]byte{1}, whole), l.number)
	box = codec.AppendUint(box, uint64(len(numbers)))
	for _, number := range numbers {
		box = codec.AppendUint(box, number)
		o := l.unsent[number]
		if o == nil {
			box = append(box, 0)
			continue
		}
		box = append(box, 2, 0, 0, 0, 1, 0) // all of the entry: nothing is sent, it is wanted
		box = codec.AppendInt(codec.AppendTime(box, time.Unix(1, 0)), 0)
		box = append(box, byte(event.Add), 0, 0, 0, 0)
		box = codec.AppendText(box, with(nil, o))
		box = append(box, 0, 0, 0, 0, 0) // no state before, nothing later, no failure, no message
	}
	to = append(codec.AppendBool(append(to, 1), whole), 1, 1)
	to = codec.AppendText(codec.AppendBool(codec.AppendText(to, "out"), false), box)
	switch {
	case book && l.violated < 0:
		to = append(to, 4)
	case book:
		to = codec.AppendText(append(to, 3), violations[l.violated])
	}
	return append(to, 0)
}

// listener returns what has to be loaded.
func (l *fakeListener) listener(t testing.TB) *Listener {
	t.Helper()
	to := &Listener{Select: l.selects}
	whole := l.whole(nil, func(to []byte, o *object.Object) []byte { return o.AppendJSON(to) })
	if err := to.Route.Apply(whole, (&object.Parser{}).Parse); err != nil {
		t.Fatal(err)
	}
	return to
}

// violations are books, as whole cuts, in which no object violates a rule, one, and so on.
var violations = func() (books [][]byte) {
	rule, err := rules.Compile(rules.Definition{Name: "bad", Deny: filters.Expression{Text: "true",
		File: "config.yaml", Line: 1, Listener: "a"}})
	if err != nil {
		panic(err)
	}
	for n := range 4 {
		b := rules.NewBook([]*rules.Rule{rule}, 1)
		for i := range n {
			o, err := (&object.Parser{}).Parse(fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod",`+
				`"metadata":{"name":"bad-%d","uid":"u"}}`, i))
			if err != nil {
				panic(err)
			}
			b.Evaluator(nil).Evaluate(event.Event{Op: event.Add, Object: o}, time.Unix(1, 0))
		}
		books = append(books, b.Whole(nil, []string{"out"}))
	}
	return books
}()
