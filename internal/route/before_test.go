package route

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// With another select, objects that come again are adds or deletes if they have entered or left the
// set by that, once. Of the others nothing is heard.
func TestAnotherSelectTellsWhatEntersAndLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFed(t, 1, Buffer{Capacity: 8})
		f.On = event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete)
		running := expression(t, `object.status.phase == "Running"`, filters.KindSelect)
		f.start(t)
		f.change(t, 1, "Pending", "a")
		f.change(t, 1, "Running", "b")
		use := func(now, before *filters.Filter) {
			t.Helper()
			next := f.Pipeline
			next.Select, next.Before = now, &Selection{Select: before}
			if err := f.exchange(&next); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				f.offerNow(t, event.Event{Op: event.Resync, Object: f.last["a"]})
				f.offerNow(t, event.Event{Op: event.Resync, Object: f.last["b"]})
				synctest.Wait()
			}
		}
		expect := func(want ...string) {
			t.Helper()
			f.outs[0].mu.Lock()
			defer f.outs[0].mu.Unlock()
			got := slices.Clone(f.outs[0].got)
			slices.Sort(got)
			slices.Sort(want)
			expectAll(t, "written", got, want...)
			f.outs[0].got = nil
		}
		expect("added pods/shop/a", "added pods/shop/b")
		use(running, nil)
		expect("deleted pods/shop/a")
		use(nil, running)
		expect("added pods/shop/a")
		use(running, nil)
		expect("deleted pods/shop/a")
		f.change(t, 2, "Running", "a")
		f.change(t, 2, "Pending", "b")
		expect("added pods/shop/a", "deleted pods/shop/b")
		f.finish(t)
	})
}
