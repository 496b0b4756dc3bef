package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	recorded "github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// begin is when the tests' clocks start.
var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// pod makes one of the namespace shop. The fields are what the tests' rules look at, as in `"n":5`.
func pod(t testing.TB, name, uid, fields string) *object.Object {
	t.Helper()
	return podIn(t, "shop", name, uid, fields)
}

func podIn(t interface{ Fatal(...any) }, namespace, name, uid, fields string) *object.Object {
	p := object.Parser{APIVersion: "v1", Kind: "Pod"}
	if fields != "" {
		fields = "," + fields
	}
	o, err := p.Parse(fmt.Appendf(nil, `{"metadata":{"namespace":%q,"name":%q,"uid":%q}%s}`,
		namespace, name, uid, fields))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// rule compiles one whose name, deny and times are given. A "~" before the name: its deny looks at
// the clock.
func rule(t testing.TB, name, deny string, hold, repeat time.Duration) *Rule {
	t.Helper()
	name, clock := strings.CutPrefix(name, "~")
	r, err := Compile(Definition{
		Name: name, For: hold, Repeat: repeat,
		Deny: filters.Expression{Text: deny, File: "config.yaml", Line: 7, Listener: "pods"},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.clock = r.clock || clock
	return r
}

var errMessage = errors.New("no message")

// telling sets the messages of all rules of the evaluator: what the object's field message says; it
// fails if that is not a text.
func telling(t testing.TB, e *Evaluator) *Evaluator {
	t.Helper()
	path, err := object.CompilePath("message")
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.judges {
		e.judges[i].text = func(ev event.Event) (string, error) {
			v := path.Lookup(ev.Object)
			if v.Kind() != object.String {
				return "", errMessage
			}
			return strings.Clone(v.Text()), nil
		}
	}
	return e
}

// told shows an outcome, with times since begin. An expression that failed is just that: its words
// are pkg/filters' own.
func told(o Outcome) string {
	var parts []string
	for _, t := range o.Transitions {
		part := fmt.Sprintf("%s %s of %s since %s", t.State, t.Rule.Name(), t.UID,
			t.Since.Sub(begin))
		if t.Message != t.Rule.Name() {
			part += ": " + t.Message
		}
		if t.Repeated {
			part += " again"
		}
		parts = append(parts, part)
	}
	for _, err := range o.Errors {
		var failed *lang.EvalError
		if errors.As(err, &failed) {
			parts = append(parts, "failed")
		} else {
			parts = append(parts, err.Error())
		}
	}
	if o.RecheckAfter != 0 {
		parts = append(parts, "look after "+o.RecheckAfter.String())
	}
	return strings.Join(parts, "; ")
}

// opened shows what is open.
func opened(b *Book) string {
	var parts []string
	for _, v := range b.Open() {
		parts = append(parts, fmt.Sprintf("%s %s %s/%s %s since %s: %s", v.Rule, v.Severity,
			v.Namespace, v.Name, v.UID, v.Since.Sub(begin), v.Message))
	}
	return strings.Join(parts, "; ")
}

// appendCut appends what a book's next cut has, if that is anything.
func appendCut(cuts []recordtest.Cut, b *Book, receivers []string) []recordtest.Cut {
	if cut := cutOf(b, receivers); len(cut) > 0 {
		cuts = append(cuts, cut)
	}
	return cuts
}

// cutOf returns what a book's next cut has, nil if that is nothing.
func cutOf(b *Book, receivers []string) recordtest.Cut {
	return recordtest.Of(func(w recorded.Writer) { b.Cut(w, receivers) })
}

// wholeOf returns a cut that has everything.
func wholeOf(b *Book, receivers []string) recordtest.Cut {
	return recordtest.Of(func(w recorded.Writer) { b.Whole(w, receivers) })
}

// savedIn returns what cuts add up to.
func savedIn(t interface{ Fatal(...any) }, cuts []recordtest.Cut) *Saved {
	s, err := ReadSaved(recordtest.Apply(cuts...)[Part])
	if err != nil {
		t.Fatal(err)
	}
	if s == nil { // as of a book that has nothing
		s = &Saved{}
	}
	return s
}

// evaluate lets receivers take all that there is to report.
func evaluate(e *Evaluator, ev event.Event, now time.Time) Outcome {
	outcome := e.Evaluate(ev, now)
	for _, t := range outcome.Transitions {
		for receiver := range MaxReceivers {
			if t.To.Has(receiver) {
				e.Took(t, receiver, now)
			}
		}
	}
	return outcome
}

// owedOf returns what is owed about an object, and those that had its name.
func owedOf(b *Book, key event.Key, receiver int) []Transition {
	uid, _, _ := b.get(key, nil)
	return b.DueReports(key, uid, receiver)
}

// Unreported returns the keys of the objects of which a report is owed to a receiver and not on its
// way, sorted.
func (b *Book) Unreported(receiver int) []event.Key {
	b.mu.Lock()
	var keys []event.Key
	for key, o := range b.objects {
		if slices.ContainsFunc(o.records, func(r record) bool { return r.owes.Has(receiver) }) ||
			slices.ContainsFunc(o.debts, func(d debt) bool {
				return (d.owes | d.again()).Has(receiver)
			}) {
			keys = append(keys, key)
		}
	}
	b.mu.Unlock()
	slices.SortFunc(keys, event.Key.Compare)
	return keys
}

// Took is [Book.Took] for a transition of the last outcome, which need not have begun.
func (e *Evaluator) Took(t Transition, receiver int, now time.Time) {
	e.book.Took(e.seen.Object.Key(), t, receiver, now)
}

// Refused is [Book.Refused] for a transition of the last outcome, which need not have begun.
func (e *Evaluator) Refused(t Transition, receiver int, now time.Time) {
	e.book.Refused(e.seen.Object.Key(), t, receiver, now)
}

// owes reports what Confirm would, and changes nothing.
func (b *Book) owes(key event.Key, t Transition, receiver int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	f := b.find(key, t)
	return f.flies(t, receiver) && !f.early(t, receiver)
}
