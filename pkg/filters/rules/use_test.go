package rules

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// allOwed shows what is owed to a receiver of the object web.
func allOwed(b *Book, receiver int) string {
	var parts []string
	for _, tr := range owedOf(b, key("web"), receiver) {
		parts = append(parts, fmt.Sprintf("%s %s %s since %s", tr.State, tr.Rule.Name(),
			tr.Rule.Severity(), tr.Since.Sub(begin)))
	}
	return strings.Join(parts, "; ")
}

func see(t *testing.T, e *Evaluator, n int, at time.Duration) Outcome {
	t.Helper()
	return e.Evaluate(event.Event{Op: event.Update, Object: pod(t, "web", "u1",
		fmt.Sprintf(`"n":%d`, n))}, begin.Add(at))
}

func TestARuleThatStaysKeepsItsState(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0), rule(t, "waits", deny, 10*s, 0)}, 1)
	e := b.Evaluator(nil)
	evaluate(e, event.Event{Op: event.Update, Object: pod(t, "web", "u1", `"n":5`)}, begin)
	b.Use([]*Rule{rule(t, "new", deny, 0, 0), rule(t, "waits", "object.n > 4", 10*s, 0),
		rule(t, "a", "object.n > 4", 0, 0)}, Receivers(1))
	if got := opened(b); got != "a medium shop/web u1 since 0s: a" {
		t.Error(got)
	}
	outcome := see(t, e, 5, 10*s) // by an evaluator that was made before
	if got := told(outcome); got != "violated new of u1 since 10s; violated waits of u1 since 0s" {
		t.Error(got)
	}
	if got := told(see(t, b.Evaluator(nil), 4,
		11*s)); got != "violated new of u1 since 10s; resolved a of u1 since 0s" {
		t.Error(got)
	}
}

func TestViolationsOfARuleThatIsGoneEnd(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0), rule(t, "b", deny, 0, 0),
		rule(t, "waits", deny, h, 0)}, 3)
	e := b.Evaluator(nil)
	outcome := see(t, e, 5, 0)
	for _, tr := range outcome.Transitions {
		e.Took(tr, 0, begin)
		b.Begin(key("web"), tr, 1)
	}
	b.Use([]*Rule{rule(t, "b", deny, 0, 0)}, everyReceiver(3))
	if got := opened(b); got != "b medium shop/web u1 since 0s: b" {
		t.Error(got)
	}
	if got := b.Counts(); !maps.Equal(got, map[Count]int{{"b", "medium", "shop"}: 1}) {
		t.Error(got)
	}
	for receiver, want := range []string{"resolved a medium since 0s", "resolved a medium since 0s",
		"violated b medium since 0s"} {
		if got := allOwed(b, receiver); got != want {
			t.Errorf("receiver %d is owed %s", receiver, got)
		}
	}
	if got := b.Unreported(1); len(got) != 1 || got[0] != key("web") {
		t.Error(got)
	}
	// and the next evaluation offers it
	if got := offered(see(t, e, 5, s)); got != "resolved u1 to 0 1; violated u1 to 2" {
		t.Error(got)
	}
	// it comes back before its end was taken
	b.Use([]*Rule{rule(t, "a", deny, 0, 0)}, everyReceiver(3))
	if got := offered(see(t, e, 5, 2*s)); got !=
		"resolved u1 to 0 1; resolved u1 to 0 1; violated u1 to 0 1 2, new" {
		t.Error(got)
	}
}

func TestReceiversThatComeAndGo(t *testing.T) {
	a := []*Rule{rule(t, "a", deny, 0, 0)}
	b := NewBook(a, 2)
	e := b.Evaluator(nil)
	first := see(t, e, 5, 0).Transitions[0]
	b.Begin(key("web"), first, 0)
	b.Begin(key("web"), first, 1)
	b.Took(key("web"), first, 0, begin)
	b.Use(a, Receivers(0).With(0).With(2)) // 1 is gone, 2 is new
	if b.owes(key("web"), first, 1) {
		t.Error("one that is gone is owed a report")
	}
	if got := allOwed(b, 0) + "," + allOwed(b, 1) + "," +
		allOwed(b, 2); got != ",,violated a medium since 0s" {
		t.Error(got)
	}
	if got := offered(see(t, e, 1, s)); got != "resolved u1 to 0, new" {
		t.Error(got)
	}
	b.Use(a, Receivers(0).With(2)) // which is not owed what it never heard of
	if len(b.objects) != 0 {
		t.Error(b.Unreported(2))
	}
}

// The end of a violation has the severity that its beginning had: a receiver knows it by that.
func TestAnEndIsReportedAsItsBeginningWas(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 10*s)}, 2)
	e := b.Evaluator(nil)
	for _, tr := range see(t, e, 5, 0).Transitions {
		e.Took(tr, 0, begin)
	}
	high := rule(t, "a", deny, 0, 10*s)
	high.severity = "high"
	b.Use([]*Rule{high}, everyReceiver(2))
	if got := b.Counts(); !maps.Equal(got, map[Count]int{{"a", "high", "shop"}: 1}) {
		t.Error(got)
	}
	see(t, e, 1, s)
	if got := allOwed(b, 0); got != "resolved a medium since 0s" {
		t.Error(got)
	}
	b.Use([]*Rule{rule(t, "a", deny, 0, 0)}, Receivers(0).With(1))
	see(t, e, 5, 2*s)
	b.Use([]*Rule{high}, Receivers(0).With(1)) // before anybody has heard of it
	if got := allOwed(b, 1); got != "violated a high since 2s" {
		t.Error(got)
	}
}

// An evaluation that has begun under other rules is done again.
func TestRulesReplacedDuringAnEvaluation(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "a", deny, 0, 0)}, 1)
	e := b.Evaluator(nil)
	judge, replaced := e.judges[0], false
	e.judges[0].deny = func(ev event.Event) (bool, error) {
		b.Use([]*Rule{rule(t, "b", deny, 0, 0), rule(t, "c", "object.n > 9", 0, 0)}, Receivers(1))
		replaced = true
		return judge.deny(ev)
	}
	if got := told(see(t, e, 5, 0)); got != "violated b of u1 since 0s" || !replaced {
		t.Error(got)
	}
}
