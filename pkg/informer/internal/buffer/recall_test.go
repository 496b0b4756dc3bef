package buffer

import (
	"slices"
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// A recalled object goes before its waiting events, which are newer, and never out at the same time
// as another one of the object.
func TestARecalledObjectKeepsTheOrder(t *testing.T) {
	o := func(version int) *object.Object { return labelled("", "a", "1", version, "") }
	reg := &Origin{}
	again := Entry{Event: event.Event{Op: event.Resync, Object: o(1)}, From: reg, Recalled: true}
	next := Entry{Event: event.Event{Op: event.Update, Object: o(2), Old: o(1)}, From: reg}

	b := New(Config{Capacity: 1})
	b.Offer(next)
	b.Recall(again) // beyond the capacity
	if first, ok := b.Take(); !ok || !first.Recalled {
		t.Fatalf("%+v", first)
	}
	if second, ok := b.Take(); ok {
		t.Fatalf("two of one object at once: %+v", second)
	}
	b.Done(o(1).Key())
	if second, ok := b.Take(); !ok || second.Recalled {
		t.Fatalf("%t %+v", ok, second)
	}
	b.Recall(again) // its timer had gone off before the worker took the update
	if third, ok := b.Take(); ok {
		t.Fatalf("an older state together with a newer one: %+v", third)
	}
	b.Done(o(1).Key())
	if !b.Empty() || b.Available() > 0 {
		t.Errorf("held %d", b.held())
	}

	b.Recall(again)
	if got := b.Origins(); !slices.Equal(got, []*Origin{reg}) {
		t.Errorf("%v", got)
	}
	if n := b.Drop(reg); n != 0 || !b.Empty() {
		t.Errorf("%d counted as lost, held %d", n, b.held())
	}
}

// The delete of a mark says what the subscription took before the events that were merged into it.
func TestAMergedDeleteTellsWhatTheListenerKnew(t *testing.T) {
	o := func(version int) *object.Object { return labelled("", "a", "1", version, "") }
	for name, tt := range map[string]struct {
		first event.Event
		known string
	}{
		"an update":          {event.Event{Op: event.Update, Object: o(2), Old: o(1)}, "1"},
		"a resync":           {event.Event{Op: event.Resync, Object: o(2)}, "2"},
		"an add":             {event.Event{Op: event.Add, Object: o(2)}, ""},
		"nothing was merged": {event.Event{}, ""},
	} {
		b, from := New(Config{Capacity: 1}), &Origin{}
		b.Offer(Entry{From: from,
			Event: event.Event{Op: event.Add, Object: labelled("", "b", "1", 1, "")}})
		if tt.first.Object != nil {
			b.Offer(Entry{From: from, Event: tt.first})
		}
		if tt.first.Op == event.Update {
			b.Offer(Entry{From: from, Event: event.Event{Op: event.Update, Object: o(3),
				Old: o(2)}})
		}
		b.Offer(Entry{From: from, Event: event.Event{Op: event.Delete, Object: o(4)}})
		if _, ok := b.Take(); !ok {
			t.Fatal(name)
		}
		b.Done(event.Key{Name: "b"})
		e, ok := b.Take()
		known := ""
		if e.Before != nil {
			known = e.Before.ResourceVersion()
		}
		if !ok || e.Op != event.Delete || known != tt.known {
			t.Errorf("%s: %t %s, known %q, want %q", name, ok, story(e.Event), known, tt.known)
		}
	}
}
