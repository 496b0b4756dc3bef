package route

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// ownVersions are the versions that the listener's outputs have made.
type ownVersions []string

func (own ownVersions) Own(_ context.Context, e *event.Event) bool {
	return slices.Contains(own, e.Object.ResourceVersion())
}

// A listener does not get what its own outputs have changed, but its rules see that, and an object
// that enters or leaves the set is news.
func TestOwnChanges(t *testing.T) {
	const waits, runs = `"Pending"`, `"Running"`
	events := []event.Event{
		{Op: event.Add, Object: pod(1, waits)},
		{Op: event.Update, Object: pod(2, waits), Old: pod(1, waits)},
		{Op: event.Update, Object: pod(3, runs), Old: pod(2, waits)},
		{Op: event.Update, Object: pod(4, runs), Old: pod(3, runs)},
		{Op: event.Delete, Object: pod(4, runs)},
	}
	own := ownVersions{"1", "2", "3", "4"} // asked for updates alone
	for _, tt := range []struct {
		name, selects string
		rules, own    bool
		want          []string
		counted       uint64
	}{
		{"nothing is own", "", false, false,
			[]string{"added 1", "updated 2 was 1", "updated 3 was 2", "updated 4 was 3",
				"deleted 4"}, 0},
		{"updates are own", "", false, true, []string{"added 1", "deleted 4"}, 3},
		{"rules see them", "", true, true,
			[]string{"violated stuck high@1", "added 1", "resolved stuck high@3", "deleted 4"}, 3},
		{"leaving the set is news", `object.status.phase == "Pending"`, false, true,
			[]string{"added 1", "deleted 2"}, 1},
	} {
		source, to := newScript(events...), &output{}
		var log bytes.Buffer
		r := source.route(t, &log, to)
		if tt.own {
			r.Own = own
		}
		if tt.selects != "" {
			r.Select = expression(t, tt.selects, filters.KindSelect)
		}
		if tt.rules {
			r.Rules = book(t, pending(0))
		}
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := reported(t, to); !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %v\nwant %v", tt.name, got, tt.want)
		}
		if s := r.Stats(); s.Own != tt.counted || s.Filtered != 0 {
			t.Errorf("%s: %+v", tt.name, s)
		}
		if len(source.log) != len(events) {
			t.Errorf("%s: acknowledged %v", tt.name, source.log)
		}
	}
}
