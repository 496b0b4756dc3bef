package route

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// at returns an object in a version.
func at(name string, version int) *object.Object {
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":%q,"uid":"u","resourceVersion":"%d"}}`,
		name, version))
	if err != nil {
		panic(err)
	}
	return o
}

// ledgerHas returns what a ledger has of an object, "" if nothing.
func ledgerHas(l *ledger.Ledger, name string) string {
	e, known := l.Get(object.Key{Namespace: "shop", Name: name}.Hash())
	if !known {
		return ""
	}
	outcome, reason := e.State.Outcome()
	text := fmt.Sprintf("%d %s", e.Version, strings.TrimSpace(outcome+" "+reason))
	if e.Outputs > 0 {
		text += fmt.Sprintf(", %d open", e.Outputs)
	}
	return text
}

// Wherever an event comes to its end, the ledger has that.
func TestEndsAreNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		add := func(name string) event.Event {
			return event.Event{Op: event.Add, Object: at(name, 1)}
		}
		source := newScript(add("delivered"), add("unselected"), add("unmatched"), add("dropped"),
			add("failing"), add("refused"), add("when"), add("nowhere"), add("mistaken"),
			add("changed"), add("own"), add("gone"), add("left"),
			event.Event{Op: event.Update, Object: at("changed", 2), Old: at("changed", 1)},
			event.Event{Op: event.Update, Object: at("own", 3), Old: at("own", 1)},
			event.Event{Op: event.Delete, Object: at("gone", 4)},
			event.Event{Op: event.Resync, Object: at("delivered", 1)},
			event.Event{Op: event.Resync, Object: at("unmatched", 1)})
		all := &output{fail: func(_ int, m sink.Message) error {
			if m.Object.Name() == "refused" {
				return sink.Permanent(fmt.Errorf("no"))
			}
			return nil
		}}
		var log bytes.Buffer
		r := source.route(t, &log, all)
		l := &ledger.Ledger{}
		r.Ledger, r.Own = l, ownVersions{"3"}
		r.Select = expressionOf(t, filters.KindSelect, `object.metadata.name != "unselected"`)
		r.Filter = expressionOf(t, filters.KindFilter,
			`object.metadata.name != "unmatched" && (object.metadata.name != "mistaken" || object.metadata.uid > 5)`)
		p := &puppet{verdicts: map[string]string{"dropped": "drop", "failing": "fail"}}
		r.newGuest = func(context.Context) (guest, error) { return p, nil }
		r.batches = func() bool { return false }
		r.Outputs = append(r.Outputs, to("some", &output{}))
		for i := range r.Outputs {
			r.Outputs[i].When = expressionOf(t, filters.KindWhen, `name != "nowhere"`)
		}
		r.Outputs[1].When = expressionOf(t, filters.KindWhen, `name != "nowhere" && name != "when"`)
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"delivered": "1 delivered", "unselected": "1 filtered select",
			"unmatched": "1 filtered filter", "dropped": "1 filtered handler",
			"failing": "1 dead letter", "refused": "1 dead letter", "when": "1 delivered",
			"nowhere": "1 filtered outputs", "mistaken": "1 dead letter",
			"changed": "2 delivered", "own": "3 filtered own patch", "gone": "",
		} {
			if got := ledgerHas(l, name); got != want {
				t.Errorf("%s: %q, want %q\n%s", name, got, want, log.String())
			}
		}
	})
}

// A listener that has only rules judges its objects.
func TestJudgedIsNoted(t *testing.T) {
	source := newScript(event.Event{Op: event.Add, Object: at("a", 1)})
	var log bytes.Buffer
	r := source.route(t, &log, &output{})
	l := &ledger.Ledger{}
	r.Ledger, r.Quiet = l, true
	r.Rules = book(t, rules.Definition{Name: "any", Deny: filters.Expression{Text: "true"}})
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ledgerHas(l, "a"); got != "1 filtered only rules" {
		t.Errorf("%q", got)
	}
}
