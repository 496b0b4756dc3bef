package eval_test

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/expr-lang/expr/parser"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// generated runs a test again and again on what a generator makes: for a moment, or as long as
// FILTERS_TIME says. The seed is FILTERS_SEED or the time's.
func generated(t *testing.T, step func(t *testing.T, g *generator)) {
	t.Helper()
	seed := time.Now().UnixNano()
	if text := os.Getenv("FILTERS_SEED"); text != "" {
		seed, _ = strconv.ParseInt(text, 10, 64)
	}
	var long time.Duration
	if text := os.Getenv("FILTERS_TIME"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("FILTERS_SEED=%d", seed)
	g := &generator{rand.New(rand.NewSource(seed))}
	rounds := 60
	for i, start := 0, time.Now(); (i < rounds || time.Since(start) < long) && !t.Failed(); i++ {
		step(t, g)
	}
}

var oracleTime = time.Date(2026, 1, 2, 3, 15, 0, 0, time.UTC)

// generatedEvent is an update, now and then another event.
func generatedEvent(t *testing.T, g *generator) event.Event {
	t.Helper()
	ev := event.Event{Op: event.Update, Object: filtertest.NewObject(t, g.object()),
		Old:    filtertest.NewObject(t, g.object()),
		Missed: 1, Resumed: g.r.Intn(2) == 0}
	if g.r.Intn(8) == 0 {
		ev.Op, ev.Old, ev.Initial = event.Add, nil, true
	}
	return ev
}

// answerOf is what Match says: true, false, fails, or over budget.
func answerOf(t *testing.T, f *filters.Filter, ev event.Event, caches lang.Caches) (answer,
	why string) {
	t.Helper()
	e := f.Evaluator()
	e.Clock = func() time.Time { return oracleTime }
	e.Caches = caches
	ok, err := e.Match(ev)
	if err == nil {
		if n := e.StackSize(); n != 0 {
			t.Errorf("%s: %d values remain on the stack", filtertest.Explain(t, f, ev, caches).Root.Text, n)
		}
		return fmt.Sprint(ok), ""
	}
	var ee *lang.EvalError
	switch {
	case ok || !errors.As(err, &ee) || !errors.Is(err, lang.ErrUnknown):
		t.Errorf("%s: %v with %v", filtertest.Explain(t, f, ev, caches).Root.Text, ok, err)
	case errors.Is(err, lang.ErrBudget):
		return "over budget", ee.Message
	}
	return "fails", err.Error()
}

// inCluster is an item of what clusters returns.
func inCluster(name string, o *object.Object) members {
	return members{keys: []string{"cluster", "object"},
		values: map[string]any{"cluster": name, "object": decodeJSON(o.JSON())}}
}

// Filters answer as the oracle does, and fail where it fails.
func TestSameAsTheOracle(t *testing.T) {
	compared, trues, fails, refused, unknown, decided := 0, 0, 0, 0, 0, 0
	seen := map[string]bool{}
	generated(t, func(t *testing.T, g *generator) {
		ev := generatedEvent(t, g)
		pod := filtertest.NewObject(t, g.object())
		caches := &filtertest.Stores{
			Objects: map[string]*object.Object{"pods/shop/x": pod},
			Indexed: map[string][]*object.Object{"pods/app/web": {pod}},
			Others:  map[string][]lang.InCluster{"pods/shop/x": {{Cluster: "z", Object: ev.Object}}},
		}
		looked := map[string]any{"cached/pods/shop/x": decodeJSON(pod.JSON()),
			"byIndex/pods/app/web": []any{decodeJSON(pod.JSON())}, "byIndex/pods/app/web/" +
				pod.Namespace(): []any{decodeJSON(pod.JSON())},
			"clusters/pods/shop/x": []any{inCluster("prod-eu-1", pod), inCluster("z", ev.Object)}}
		for range 40 {
			text := g.expression(1+g.r.Intn(3), 0, 0)
			decided += heldAgainstConditions(t, text, ev, caches)
			whole := "(object.nope ?? " + text + ") == true"
			f, err := filters.Compile(lang.Expression{Text: whole, Cluster: "c",
				ClusterLabels: oracleLabels, Informers: map[string][]string{"pods": {"app"}}})
			if err != nil {
				refused++
				continue
			}
			tree, err := parser.Parse(whole)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			want, why, ok := oracleOf(ev, oracleTime, looked).evaluate(tree.Node)
			if !ok {
				unknown++
				continue
			}
			got, message := answerOf(t, f, ev, caches)
			compared++
			switch got {
			case "true":
				trues++
			case "fails":
				fails++
			}
			if key := got + want + why; got != want && !seen[key] && len(seen) < 12 {
				seen[key] = true
				t.Errorf("%s\n  filters: %s %s, oracle: %s %s\n  object %s\n  old %s", text, got,
					message, want, why, ev.Object.JSON(), oldText(ev))
			}
		}
	})
	t.Logf("%d compared, %d true, %d failed, %d refused, %d the oracle does not know, %d decided by conditions", compared, trues, fails, refused, unknown, decided)
	if !t.Failed() && (compared < 200 || trues < 10) {
		t.Error("too few")
	}
}

// heldAgainstConditions compares the answer of an expression, if it can be compiled as it is, with
// that of its conditions. It returns 1 if they refuse the event.
func heldAgainstConditions(t *testing.T, text string, ev event.Event, caches lang.Caches) int {
	t.Helper()
	f, err := filters.Compile(lang.Expression{Text: text, Cluster: "c", ClusterLabels: oracleLabels,
		Informers: map[string][]string{"pods": {"app"}}})
	if err != nil {
		return 0
	}
	var fields condition.Fields
	list, err := fields.Compile(f.Conditions().List, false)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if f.Conditions().Ops.Has(ev.Op) &&
		list.Hold(&fields, &condition.Event{Op: ev.Op, Object: ev.Object, Old: ev.Old}) {
		return 0
	}
	if got, _ := answerOf(t, f, ev, caches); got == "true" {
		t.Errorf("%s\n  is refused by %s\n  object %s\n  old %s", text,
			filtertest.SetWords(f.Conditions()),
			ev.Object.JSON(), oldText(ev))
	}
	return 1
}

func oldText(ev event.Event) string {
	if ev.Old == nil {
		return "none"
	}
	return ev.Old.JSON()
}
