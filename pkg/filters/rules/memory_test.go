package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Remembers says of an object which rules it violates since when, and when that was last reported.
func TestRemembers(t *testing.T) {
	b := NewBook([]*Rule{rule(t, "slow", `object.n > 3`, time.Minute, 0),
		rule(t, "often", `object.n > 5`, 0, time.Hour)}, 2)
	e := b.Evaluator(nil)
	see := func(n int, after time.Duration) Outcome {
		t.Helper()
		return e.Evaluate(event.Event{Op: event.Update,
			Object: pod(t, "web", "u1", fmt.Sprintf(`"n":%d`, n))}, begin.Add(after))
	}
	is := func(want string) {
		t.Helper()
		var all []string
		for _, s := range b.Remembers(key("web")) {
			text := fmt.Sprintf("%s violated=%t since %v", s.Rule.Name(), s.Violated,
				s.Since.Sub(begin))
			if !s.Taken.IsZero() {
				text += fmt.Sprintf(" taken %v", s.Taken.Sub(begin))
			}
			if s.Waits != 0 {
				text += fmt.Sprintf(" waits %b has %b", s.Waits, s.Has)
			}
			all = append(all, text)
		}
		if got := strings.Join(all, "; "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	is("")
	see(4, 0)
	is("slow violated=false since 0s")
	o := see(6, time.Second)
	is("slow violated=false since 0s; often violated=true since 1s waits 11 has 0")
	e.Took(o.Transitions[0], 0, begin.Add(time.Second))
	is("slow violated=false since 0s; often violated=true since 1s waits 10 has 1")
	e.Took(o.Transitions[0], 1, begin.Add(2*time.Second))
	is("slow violated=false since 0s; often violated=true since 1s taken 2s")
	see(6, 2*time.Hour)
	is("slow violated=true since 0s waits 11 has 0; often violated=true since 1s waits 11 has 0")
	see(1, 3*time.Hour)
	is("")
	if got := b.Remembers(key("other")); got != nil {
		t.Error(got)
	}
}
