package eval_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

func TestExpressionsThatMatch(t *testing.T) {
	ev := filtertest.Update(t)
	for _, text := range filtertest.TrueExpressions {
		t.Run(text, func(t *testing.T) {
			e := filtertest.Compile(t, text).Evaluator()
			for range 3 { // memory that is used again changes nothing
				if ok, err := e.Match(ev); !ok || err != nil {
					t.Fatalf("got %v, %v", ok, err)
				}
			}
		})
	}
}

// Every operator with nil on either side, on both, and with a literal nil.
func TestOperatorsWithNil(t *testing.T) {
	ev := filtertest.Update(t)
	operands := []struct{ left, right string }{
		{"object.none", "1"}, {"1", "object.none"}, {"object.none", `"x"`}, {
			`"x"`, "object.none"}, {"object.none", "object.none"},
		{"object.none", "object.spec"}, {"object.spec.replicas", "object.none"}, {
			"object.none", "object.spec.list"},
		{"object.none", "nil"}, {"missed", "object.none"}, {"object.none", "true"},
	}
	for _, o := range operands {
		both := o.left == "object.none" && (o.right == "object.none" || o.right == "nil")
		for _, operator := range []string{"<", "<=", ">", ">=", "in", "contains", "startsWith",
			"endsWith", "matches", "==", "!="} {
			text := o.left + " " + operator + " " + o.right
			f, err := filters.Compile(lang.Expression{Text: text})
			if err != nil {
				continue // 1 contains …, and the like
			}
			want := operator == "==" && both || operator == "!=" && !both
			if got, err := f.Evaluator().Match(ev); got != want || err != nil {
				t.Errorf("%s: got %v, %v", text, got, err)
			}
		}
		for _, operator := range []string{"+", "-", "*", "/", "%", "**", "^", ".."} {
			text := "(" + o.left + " " + operator + " " + o.right + ") == nil"
			f, err := filters.Compile(lang.Expression{Text: text})
			if err != nil {
				continue
			}
			if got, err := f.Evaluator().Match(ev); !got || err != nil {
				t.Errorf("%s: got %v, %v", text, got, err)
			}
		}
	}
}

func TestOps(t *testing.T) {
	o, old := filtertest.NewObject(t, filtertest.After), filtertest.NewObject(t, filtertest.Before)
	tests := []struct {
		text string
		want []event.Op
	}{
		{`op == "add"`, []event.Op{event.Add}},
		{`op in ["delete", "resync"]`, []event.Op{event.Delete, event.Resync}},
		{`old == nil`, []event.Op{event.Add, event.Delete, event.Resync}},
		{`old.spec.replicas == 1`, []event.Op{event.Update}},
		{`changed("spec.replicas")`, []event.Op{event.Update}},
	}
	for _, tt := range tests {
		e := filtertest.Compile(t, tt.text).Evaluator()
		for _, op := range event.Ops {
			// old is to be ignored unless op is update
			ev := event.Event{Op: op, Object: o, Old: old}
			want := false
			for _, w := range tt.want {
				want = want || w == op
			}
			if got, err := e.Match(ev); got != want || err != nil {
				t.Errorf("%s, %s: got %v, %v", tt.text, op, got, err)
			}
		}
	}
	if ok, err := filtertest.Match(t, `initial && op == "add"`,
		event.Event{Op: event.Add, Initial: true, Object: o}); !ok || err != nil {
		t.Errorf("initial: %v, %v", ok, err)
	}
	e := filtertest.Compile(t, `resumed`).Evaluator()
	for _, resumed := range []bool{true, false, true} {
		ok, err := e.Match(event.Event{Op: event.Update, Resumed: resumed, Object: o, Old: old})
		if ok != resumed || err != nil {
			t.Errorf("resumed: %v, %v, want %v", ok, err, resumed)
		}
	}
}

// Nothing of an event is left when the next one comes.
func TestEventsDoNotMix(t *testing.T) {
	e := filtertest.Compile(t,
		`any(object.spec.list, # == 1) && object.spec.x.y == "a"`).Evaluator()
	for i, tt := range []struct {
		object string
		want   bool
	}{
		{`{"spec":{"list":[1,2,3],"x":{"y":"a"}}}`, true},
		{`{"spec":{"list":[2,3],"x":{"y":"a"}}}`, false},
		{`{"spec":{"list":[3,2,1,0],"x":{"y":"a"}}}`, true},
		{`{"spec":{"list":[1]}}`, false},
		{`{"spec":{"list":[1],"x":{"y":"a"}}}`, true},
		{`{}`, false},
	} {
		if got, err := e.Match(event.Event{Op: event.Add,
			Object: filtertest.NewObject(t, tt.object)}); got != tt.want || err != nil {
			t.Errorf("%d: got %v, %v", i, got, err)
		}
	}
}

func TestOneFieldIsReadOnce(t *testing.T) {
	f := filtertest.Compile(t,
		`object.spec.x == 1 || object["spec"].x == 2 || object?.spec["x"] == 3 || old.spec.x == 4 || changed("spec.x") || label("a") == object.metadata.labels.a`)
	e := f.Evaluator()
	if e.Fields() != 3 {
		t.Errorf("got %d fields", e.Fields())
	}
	o := filtertest.NewObject(t, `{"spec":{"x":3}}`)
	if ok, err := e.Match(event.Event{Op: event.Update, Object: o, Old: o}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	// The slot answers, not the text: the next read returns what is put into it.
	e.SetField(0, o.Value())
	if got := e.Field(0).Kind(); got != object.ObjectKind {
		t.Errorf("read again: %v", got)
	}
	if e.WasRead(1) {
		t.Error("old was read although the answer was known before")
	}
}

func TestNoAllocationAfterWarmUp(t *testing.T) {
	ev := event.Event{Op: event.Update, Object: filtertest.NewObject(t, filtertest.LargePod(9)),
		Old: filtertest.NewObject(t, filtertest.LargePod(8))}
	for _, text := range []string{
		`object.metadata.labels["tier"] == "frontend" && object.status.phase == "Running"`,
		`any(object.status.containerStatuses, .restartCount > 5) && changed("status.containerStatuses") && label("tier") == "frontend"`,
		`any(object.spec.containers, any(.env, .name == "SETTING_1" && .value startsWith "a"))`,
		`object.status.phase in ["Running", "Pending"] && object.metadata.name matches "^web-" && "app" in object.metadata.labels && len(object.spec.containers) == 2`,
		`all(object.status.containerStatuses, .ready && .state.waiting.reason != "CrashLoopBackOff") && object.metadata.deletionTimestamp == nil`,
	} {
		e := filtertest.Compile(t, text).Evaluator()
		if n := testing.AllocsPerRun(100, func() {
			if ok, err := e.Match(ev); !ok || err != nil {
				t.Fatal(text, ok, err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}
