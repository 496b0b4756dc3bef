package route

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
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
		f.Tune(Tuning{Retry: *f.Route.retry.Load(), Buffer: Buffer{Capacity: 2,
			Overflow: informer.OverflowDrop}, Workers: 1})
		next := f.Pipeline
		next.RuleSet = []*rules.Rule{}
		f.away(0, time.Hour)
		if err := f.Use(&next); err != nil {
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
