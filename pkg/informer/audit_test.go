package informer

import (
	"fmt"
	"testing"

	ledgers "github.com/informerd/informerd/internal/ledger"
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// unaccounted returns what an audit of a subscription would take for a hole, "" if there is none.
// The ledger has what the subscription's workers have finished.
func unaccounted(s *Subscription, l *ledgers.Ledger) string {
	underway, stored := map[uint64]struct{}{}, map[uint64]bool{}
	for _, reg := range s.regs {
		for _, o := range reg.store.List() {
			stored[o.Key().Hash()] = true
		}
	}
	blocked := s.Underway(underway)
	// what the processor guards is read with its lock, and not only while nobody writes
	passedTo := func(reg *registration, hash uint64) (passed Passed, held bool) {
		reg.proc.mu.Lock()
		defer reg.proc.mu.Unlock()
		return reg.column.Passed(hash), reg.held
	}
	for _, reg := range s.regs {
		if _, held := passedTo(reg, 0); held {
			return ""
		}
		for _, o := range reg.store.List() {
			hash, version := o.Key().Hash(), ledgers.ParseVersion(o.ResourceVersion())
			passed, _ := passedTo(reg, hash)
			entry, known := l.Get(hash)
			_, waits := underway[hash]
			switch {
			case !passed.Known || passed.Version != version:
				return fmt.Sprintf("%s was handed on as %+v, and is in version %d", o.Name(),
					passed, version)
			case passed.Refused || waits || blocked || known && entry.Reaches(version):
			default:
				return fmt.Sprintf("%s is in version %d, and noted is %+v", o.Name(), version, entry)
			}
		}
	}
	for _, hash := range l.Objects() {
		entry, _ := l.Get(hash)
		_, waits := underway[hash]
		if !stored[hash] && !entry.Gone && !waits && !blocked {
			return fmt.Sprintf("an object is gone, and noted is %+v", entry)
		}
	}
	return ""
}

// finished notes what a worker has finished.
func finished(l *ledgers.Ledger, e *event.Event) {
	l.Settle(ledgers.MarkOf(e.Object), e.Op, ledgers.Unmatched)
}

// What conditions refuse, what is dropped, and the end of either is noted, for those who begin
// before the first list as well as for those who come late.
func TestWhatNoWorkerGetsIsNoted(t *testing.T) {
	for _, late := range []bool{false, true} {
		l := &ledgers.Ledger{}
		cfg := SubscriptionConfig{Capacity: 2, Overflow: OverflowDrop, Ledger: l,
			Conditions: []condition.Condition{ofLabel("app", condition.NotIn, "quiet")}}
		sub, err := NewSubscription(cfg)
		if err != nil {
			t.Fatal(err)
		}
		inf, err := newInformer(nil, pods, Scope{}, Shape{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var reg *registration
		if !late {
			reg = inf.join(sub)
		}
		app := func(name string, version int, app string) *object.Object {
			return labelled("shop", name, name, version, fmt.Sprintf(`"app":%q`, app))
		}
		inf.controller.takeList(t.Context(), []*object.Object{app("a", 1, "web"),
			app("b", 2, "quiet"), app("c", 3, "web")}, "3")
		if late {
			reg = inf.join(sub)
		}
		hash := func(name string) uint64 {
			return event.Key{Namespace: "shop", Name: name}.Hash()
		}
		public := &Registration{shared: &shared{informer: inf}, reg: reg}
		passed, _, held := public.Passed([]uint64{hash("a"), hash("b"), hash("d")})
		if passed[0] != (Passed{Version: 1, Known: true}) || held ||
			passed[1] != (Passed{Version: 2, Refused: true, Known: true}) || passed[2].Known {
			t.Errorf("%+v", passed)
		}
		p := inf.proc
		send := func(e event.Event) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.distribute(e, false)
		}
		send(event.Event{Op: event.Add, Object: app("d", 4, "web")}) // there is no room
		if e, _ := l.Get(hash("d")); e.State != ledgers.Overflown || e.Version != 4 {
			t.Errorf("%+v", e)
		}
		send(event.Event{Op: event.Update, Object: app("a", 5, "quiet"), Old: app("a", 1, "web")})
		underway := map[uint64]struct{}{}
		if sub.Underway(underway); len(underway) != 2 {
			t.Errorf("%d objects are under way", len(underway))
		}
		send(event.Event{Op: event.Delete, Object: app("a", 6, "quiet")})
		if e, _ := l.Get(hash("a")); e.State != ledgers.Refused || !e.Gone {
			t.Errorf("%+v", e) // its add is in the buffer
		}
		if key, known := public.Ended(hash("a")); !known || key.Name != "a" {
			t.Errorf("%v, %v", key, known)
		}
		for e, ok := sub.take(); ok; e, ok = sub.take() {
			finished(l, &e.Event)
			sub.finish(&e, true)
		}
		if e, _ := l.Get(hash("a")); !e.Gone {
			t.Errorf("%+v", e)
		}
		send(event.Event{Op: event.Delete, Object: app("b", 7, "quiet")})
		if _, known := l.Get(hash("b")); known {
			t.Error("the end of b is noted, and nothing else of it can come")
		}
		p.leave(reg)
		if len(p.regs) != 0 {
			t.Error("it has not left")
		}
	}
}
