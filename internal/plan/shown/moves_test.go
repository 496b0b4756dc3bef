package shown

import (
	"testing"

	"github.com/informerd/informerd/pkg/informer/event"
)

// What an update is that enters or leaves a set depends on what the listener wants.
func TestMoves(t *testing.T) {
	const enters = "an update that enters the set comes as an add"
	const leaves = "an update that leaves the set comes as a delete"
	for _, c := range []struct {
		ops  []event.Op
		want string
	}{
		{nil, ""},
		{[]event.Op{event.Resync}, ""},
		{[]event.Op{event.Add}, enters + "; others are dropped"},
		{[]event.Op{event.Delete}, leaves + "; others are dropped"},
		{[]event.Op{event.Update}, "an update that enters or leaves the set is dropped"},
		{[]event.Op{event.Add, event.Update}, enters + "; one that leaves it is dropped"},
		{[]event.Op{event.Update, event.Delete}, leaves + "; one that enters it is dropped"},
		{[]event.Op{event.Add, event.Delete},
			enters + ", one that leaves it as a delete; others are dropped"},
		{[]event.Op{event.Add, event.Update, event.Delete},
			enters + ", one that leaves it as a delete"},
	} {
		var ops event.OpSet
		for _, op := range c.ops {
			ops = ops.With(op)
		}
		if got := Moves(ops); got != c.want {
			t.Errorf("%v: got %q, want %q", c.ops, got, c.want)
		}
	}
}
