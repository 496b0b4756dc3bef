package keeper

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/record"
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

func (l *fakeListener) Cut(to record.Writer) {
	if l.saved != nil {
		return
	}
	changed, book := l.changed, l.rulesChanged
	l.changed, l.rulesChanged = map[uint64]bool{}, false
	if changed == nil {
		l.whole(to)
		return
	}
	l.put(to, slices.Sorted(maps.Keys(changed)), book)
}

func (l *fakeListener) Whole(to record.Writer) {
	if l.saved != nil {
		l.saved.Records.Write(to)
	} else {
		l.whole(to)
	}
}

func (l *fakeListener) whole(to record.Writer) {
	to.Reset()
	to.Put("outputs", event.Key{Name: "1"}, []any{"out", false}, nil)
	l.put(to, slices.Sorted(maps.Keys(l.unsent)), l.violated >= 0)
}

// put writes records as packages route, delivery and rules do.
func (l *fakeListener) put(to record.Writer, numbers []uint64, book bool) {
	for _, number := range numbers {
		putUnsent(to, number, l.unsent[number])
	}
	if !book {
		return
	}
	to.Clear(rules.Part)
	if l.violated >= 0 {
		for key, r := range violations[l.violated] {
			to.Put(rules.Part, key, record.Raw(r.Value), nil)
		}
	}
}

// putUnsent writes an entry of output 1, or that there is none.
func putUnsent(to record.Writer, number uint64, o *object.Object) {
	const part = "outbox 1"
	key := event.Key{Name: strconv.FormatUint(number, 36)}
	if o == nil {
		to.Delete(part, key)
		return
	}
	added := []any{event.Add, false, false, 0, false, 1, 0}
	to.Put(part, key, []any{true, false, time.Unix(1, 0), 0, added, nil, nil, nil},
		[]*object.Object{o})
}

// listener returns what has to be loaded.
func (l *fakeListener) listener(t testing.TB) *Listener {
	t.Helper()
	records := record.Set{}
	l.whole(records)
	to, err := readListener(records)
	if err != nil {
		t.Fatal(err)
	}
	to.Select = l.selects
	return to
}

// violations are the records of books in which no object violates a rule, one, and so on.
var violations = func() (books []map[event.Key]record.Record) {
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
		records := record.Set{}
		b.Whole(records, []string{"out"})
		books = append(books, records[rules.Part])
	}
	return books
}()
