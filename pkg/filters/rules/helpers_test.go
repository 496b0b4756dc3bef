package rules

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/filters"
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
		var failed *filters.EvalError
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
func appendCut(cuts [][]byte, b *Book, receivers []string) [][]byte {
	if cut := b.Cut(nil, receivers); len(cut) > 0 {
		cuts = append(cuts, cut)
	}
	return cuts
}

// drawSaved returns what cuts add up to, or what a cut of that adds up to.
func drawSaved(t *rapid.T, cuts [][]byte) *Saved {
	s := savedIn(t, cuts)
	if !rapid.Bool().Draw(t, "appended") {
		return s
	}
	return savedIn(t, [][]byte{s.Append(nil)})
}

// savedIn returns what cuts add up to.
func savedIn(t interface{ Fatal(...any) }, cuts [][]byte) *Saved {
	s := &Saved{}
	for _, cut := range cuts {
		if err := s.Apply(cut); err != nil {
			t.Fatal(err)
		}
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
	return b.Owed(key, uid, receiver)
}
