package informer

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// member tells what a subscription makes of an event that looks at nothing but whether objects fit:
// whether it takes the object for a member of the set afterwards.
func (g *group) member(was bool, e buffer.Entry) bool {
	switch {
	case e.Op != event.Delete:
		return g.fits(e.Object)
	case g.fits(e.Object) || e.Before != nil && g.fits(e.Before):
		return false
	default:
		return was // it is not told of a delete of something that it took for no member
	}
}

// With overflow, a subscription with Transitions that goes by each event's object, old object and,
// for deletes, the state it took before knows in the end which objects fit: it has not missed one
// that has stopped fitting before it was deleted.
func TestTransitionsModelEndsInTheRightSet(t *testing.T) {
	dir, left := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		j := &judged{t: t}
		j.run(t, func(t *rapid.T) *group {
			g := &group{both: true}
			_, g.conditions = drawConditions(t)
			period := time.Duration(rapid.IntRange(0, 2).Draw(t, "resync")) * time.Minute
			cfg := SubscriptionConfig{Capacity: rapid.IntRange(1, 3).Draw(t, "capacity"),
				Resync: period, Conditions: g.conditions, Transitions: true}
			cfg.Overflow = rapid.SampledFrom([]Overflow{OverflowLatest, OverflowSpill}).Draw(t,
				"overflow")
			cfg.SpillDir, cfg.SpillBytes = dir, 2000
			g.before = j.subscription(cfg)
			g.all = j.subscription(SubscriptionConfig{Capacity: 1 << 20, Resync: period})
			g.behind = g.all
			return g
		})
		for _, g := range j.groups {
			members := map[event.Key]bool{}
			for _, e := range g.before.entries {
				key := e.Object.Key()
				if members[key] && !g.member(true, e) {
					left++
				}
				members[key] = g.member(members[key], e)
			}
			for key := range members {
				if o := j.current[key]; o == nil && members[key] {
					t.Fatalf("%v: %s is gone, which the subscription does not know", g.conditions,
						key)
				}
			}
			for key, o := range j.current {
				if members[key] != g.fits(o) {
					t.Fatalf("%v: %s fits: %t, the subscription takes it for %t:\n%s\nof\n%s",
						g.conditions, key, g.fits(o), members[key], of(key, g.before.events),
						of(key, g.all.events))
				}
			}
		}
	})
	if !t.Failed() && left < 100 {
		t.Errorf("only %d objects have left their set", left)
	}
}

func of(key event.Key, events []event.Event) (all string) {
	for _, e := range events {
		if e.Object.Key() == key {
			all += "  " + describe(e) +
				object.MustCompilePath("status.phase").Lookup(e.Object).Text() +
				"\n"
		}
	}
	return all
}
