package route

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// A reload may remove the rules and have full outboxes drop. The ends of violations that outputs
// have been told of are not dropped.
func TestEndsOfRulesThatAreGoneAreNotDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 2})
		f.Rules = book(t, pending(0))
		f.start(t)
		names := []string{"a", "b", "c", "d", "e", "f"}
		f.change(t, 1, "Pending", names...)
		resume := f.Pause()
		f.Tune(Tuning{Retry: *f.Route.retry.Load(), Buffer: Buffer{Capacity: 2,
			Overflow: informer.OverflowDrop}, Workers: 1})
		resume()
		next := f.Pipeline
		next.RuleSet = []*rules.Rule{}
		f.away(0, time.Hour)
		if err := f.exchange(&next); err != nil {
			t.Fatal(err)
		}
		f.change(t, 2, "Pending", names...)
		time.Sleep(24 * time.Hour)
		for n := range f.outs {
			open := map[string]bool{}
			f.outs[n].mu.Lock()
			for _, m := range f.outs[n].messages {
				if m.Report != nil {
					open[m.Subject] = m.Report.Violated
				}
			}
			f.outs[n].mu.Unlock()
			for name, violated := range open {
				if violated {
					t.Errorf("out%d: %s has no end", n, name)
				}
			}
			if len(open) != len(names) {
				t.Errorf("out%d: %v", n, open)
			}
		}
		f.queue.Stop()
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
	})
}

// An output that is removed and used again gets nothing before what waited for it has ended, so
// that no letter is newer than what follows it.
func TestAnOutputThatIsUsedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 8})
		full := &letters{fails: 3}
		f.Letters = full
		f.away(0, time.Hour)
		f.start(t)
		f.change(t, 1, "Pending", "a")
		without, with := f.Pipeline, f.Pipeline
		without.Outputs = f.Outputs[1:]
		fresh := &output{}
		fresh.fail = func(int, sink.Message) error {
			full.mu.Lock()
			defer full.mu.Unlock()
			if len(full.all) != 1 {
				t.Error("it gets something before what waited is a letter")
			}
			return nil
		}
		with.Outputs = []Output{to("out0", fresh), f.Outputs[1]}
		for _, p := range []*Pipeline{&without, &with} {
			if err := f.exchange(p); err != nil {
				t.Fatal(err)
			}
		}
		f.change(t, 2, "Running", "a")
		time.Sleep(time.Hour)
		f.queue.Stop()
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
		if got := versions(fresh); !slices.Equal(got, []string{"2"}) || len(full.all) != 1 {
			t.Errorf("got %v, %d letters", got, len(full.all))
		}
	})
}

// The end of a violation waits for an output that is away, and is merged away by an event of
// another object of the name, of which rules have nothing to note. It goes out with that event.
func TestAnEndThatAnEventOfAnotherObjectMergesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 2, Buffer{Capacity: 1})
		f.Rules = book(t, pending(0))
		f.away(0, time.Hour)
		f.start(t)
		f.change(t, 1, "Pending", "web", "other")
		f.change(t, 2, "Running", "web")
		for version := 3; version < 6; version++ {
			text := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web",`+
				`"namespace":"shop","uid":"next","resourceVersion":"%d"}}`, version)
			o, err := parsed(text)
			if err != nil {
				t.Fatal(err)
			}
			f.offerNow(t, event.Event{Op: event.Update, Object: o})
			synctest.Wait()
		}
		time.Sleep(24 * time.Hour)
		f.queue.Stop()
		if err := <-f.ended; err != nil {
			t.Error(err)
		}
		for n := range f.outs {
			var got []string
			for _, m := range f.outs[n].messages {
				if m.Report != nil && m.Subject == "pods/shop/web" {
					got = append(got, fmt.Sprint(m.UID, " ", m.Report.Violated))
				}
			}
			if !slices.Equal(got, []string{"u true", "u false"}) {
				t.Errorf("out%d: %q", n, got)
			}
		}
	})
}
