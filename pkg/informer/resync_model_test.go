package informer

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// round is what a resync has to hand out: the objects stored when it began. An object the workers
// have had since, or had then, needs none.
type round struct{ wants map[event.Key]*object.Object }

// hearsAll: the subscription gets every change.
func (l *ledger) hearsAll() bool {
	c := l.sub.cfg
	return c.Overflow != OverflowDrop && len(c.Conditions) == 0 && c.On.Has(event.Add) &&
		c.On.Has(event.Update) && c.On.Has(event.Delete)
}

// resync lets time pass. A resync that begins takes no room: not in the queue, not in a buffer, not
// in a mark.
func (p *pipeline) resync(after time.Duration) {
	p.now = p.now.Add(after)
	queued := p.ctl.queue.Len()
	var before []SubscriptionStats
	for _, l := range p.subscriptions {
		before = append(before, l.sub.Stats())
	}
	p.ctl.proc.startResync(p.now, p.ctl.store)
	for i, l := range p.subscriptions {
		now, was := l.sub.Stats(), before[i]
		if now.Held != was.Held || now.Marked != was.Marked || now.OnDisk != was.OnDisk ||
			p.ctl.queue.Len() != queued {
			p.t.Fatalf("a resync took room: %+v was %+v", now, was)
		}
		if now.ResyncsSkipped > was.ResyncsSkipped && was.Resyncing == 0 {
			p.t.Fatal("a resync was left out, though none was under way")
		}
		if was.Resyncing > 0 || now.Resyncing == 0 {
			continue // the one under way goes on, or none began
		}
		l.round = &round{wants: map[event.Key]*object.Object{}}
		p.ctl.store.Snapshot().Each(func(o *object.Object) { l.round.wants[o.Key()] = o })
		if now.Resyncing != len(l.round.wants) {
			p.t.Fatalf("%d objects of %d are resynced", now.Resyncing, len(l.round.wants))
		}
		for _, e := range slices.Concat(l.out, l.parked) {
			delete(l.round.wants, e.Object.Key())
		}
	}
}

// take compares what a subscription handed out with the resync under way.
func (l *ledger) take(p *pipeline, e buffer.Entry, ok, byResync bool) {
	if byResync {
		switch stored := p.ctl.store.Get(e.Object.Key()); {
		case e.Op != event.Resync || l.round == nil:
			p.t.Fatalf("%s by a resync", story(e.Event))
		case stored != e.Object:
			p.t.Fatalf("%s, but the store has %v", story(e.Event), stored)
		case l.sub.buf.Available()+l.sub.buf.Stats().Marked > 0:
			p.t.Fatalf("%s overtakes what waits", story(e.Event))
		}
	}
	if l.round == nil {
		return
	}
	if ok {
		delete(l.round.wants, e.Object.Key())
	}
	if len(l.sub.resyncs) > 0 {
		return
	}
	// It has ended. Whoever is still wanted must have been changed since, in a way the subscription
	// heard of, or be refused.
	for key, o := range l.round.wants {
		stored := p.ctl.store.Get(key)
		if stored == nil || stored.UID() != o.UID() || !object.SameState(stored, o) &&
			l.sub.cfg.On.Has(event.Update) {
			continue
		}
		if e := (buffer.Entry{Event: event.Event{Op: event.Resync,
			Object: stored}}); !l.reg.matcher.allows(
			&e) {
			continue
		}
		p.t.Fatalf("%s was left out of a resync of %v", key, l.sub.cfg.On)
	}
	l.round = nil
}

// TestResyncModel: resyncs of many subscriptions begin, overlap and end in the middle of changes,
// retries, full buffers, lists, comings and goings. Each subscription gets every object that has
// nothing else to report, in its current state, once, whatever the others do; no resync takes room,
// overtakes an event or is news.
func TestResyncModel(t *testing.T) {
	dir, resynced, skipped := t.TempDir(), uint64(0), uint64(0)
	count := func(l *ledger) {
		s := l.sub.Stats()
		resynced, skipped = resynced+l.sub.resynced, skipped+s.ResyncsSkipped
	}
	rapid.Check(t, func(t *rapid.T) {
		store := store.New()
		p := &pipeline{
			t: t, dir: dir, now: time.Unix(0, 0), lives: map[string]*life{"a": {}, "b": {}, "c": {},
				"d": {}, "e": {}},
			ctl: &controller{queue: queue.New(1 << 20), store: store, proc: &processor{},
				joined: newSignal(), cooling: cooling{store: store}},
		}
		on := func(ops ...event.Op) (set event.OpSet) {
			for _, op := range ops {
				set = set.With(op)
			}
			return set
		}
		join := func(t *rapid.T) {
			if len(p.subscriptions) == 4 {
				return
			}
			cfg := SubscriptionConfig{
				Capacity: rapid.IntRange(1, 4).Draw(t, "capacity"), SpillDir: dir,
				SpillBytes: 24_000,
				Overflow: rapid.SampledFrom([]Overflow{OverflowLatest, OverflowBlock,
					OverflowDrop, OverflowSpill}).Draw(t, "overflow"),
				Resync: time.Duration(rapid.IntRange(1, 3).Draw(t, "resync")) * 30 * time.Second,
				On: rapid.SampledFrom([]event.OpSet{
					0, 0, on(event.Resync), on(event.Add, event.Resync),
					on(event.Delete, event.Resync), on(event.Update, event.Resync),
					on(event.Add, event.Delete, event.Resync),
				}).Draw(t, "on"),
			}
			if rapid.IntRange(0, 3).Draw(t, "conditions") == 0 {
				cfg.Conditions = []condition.Condition{{Of: condition.OfName,
					Values: []string{"a", "c"}}}
			}
			p.subscribe(t, cfg)
		}
		name := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
		which := func(t *rapid.T) *ledger {
			return p.subscriptions[rapid.IntRange(0, len(p.subscriptions)-1).Draw(t,
				"subscription")]
		}
		join(t)
		p.relist()
		t.Repeat(map[string]func(*rapid.T){
			"change": func(t *rapid.T) {
				p.change(t, name.Draw(t, "name"), rapid.IntRange(0, 9).Draw(t, "missed") == 0)
			},
			"come back": func(t *rapid.T) { p.comeBack(name.Draw(t, "name")) },
			"relist":    func(*rapid.T) { p.relist() },
			"apply":     func(*rapid.T) { p.apply() },
			"apply ":    func(*rapid.T) { p.apply() },
			"time passes": func(t *rapid.T) {
				p.resync(time.Duration(rapid.IntRange(1, 60).Draw(t, "seconds")) * time.Second)
			},
			"cool": func(*rapid.T) { p.cool() },
			"join": join,
			"leave": func(t *rapid.T) {
				if l := which(t); len(p.subscriptions) > 1 {
					p.ctl.proc.leave(l.reg)
					count(l)
					if len(l.sub.resyncs) > 0 {
						t.Fatal("the resync of a subscription that has left goes on")
					}
					p.ctl.proc.blocked = slices.DeleteFunc(p.ctl.proc.blocked,
						func(b blockedOffer) bool {
							return b.reg == l.reg
						})
					p.subscriptions = slices.DeleteFunc(p.subscriptions, func(o *ledger) bool {
						return o == l
					})
				}
			},
			"work": func(t *rapid.T) {
				l := which(t)
				for range rapid.IntRange(1, 6).Draw(t, "n") {
					if p.take(l); len(l.out) > 0 {
						p.finish(l, rapid.IntRange(0, len(l.out)-1).Draw(t, "which"))
					}
				}
			},
			"take": func(t *rapid.T) { p.take(which(t)) },
			"fail": func(t *rapid.T) {
				if l := which(t); len(l.out) > 0 {
					e := l.out[0]
					l.out = l.out[1:]
					l.sub.buf.Park(e)
					l.parked = append(l.parked, e)
				}
			},
			"retry": func(t *rapid.T) {
				if l := which(t); len(l.parked) > 0 {
					l.sub.buf.Unpark(l.parked[0].Object.Key())
					l.parked = l.parked[1:]
				}
			},
		})
		p.relist() // the watch comes back in the end
		p.drain()
		for _, l := range p.subscriptions {
			count(l)
			if l.hearsAll() {
				p.check(l)
			}
			if s := l.sub.Stats(); l.round != nil || s.Resyncing > 0 || s.Held > 0 ||
				s.Mistakes > 0 {
				t.Fatalf("all is done, but %+v", s)
			}
		}
	})
	if !t.Failed() && (resynced < 10 || skipped < 1) {
		t.Errorf("only %d objects were resynced, %d resyncs left out", resynced, skipped)
	}
}

// comeBack deletes an object and adds it again with the same UID, as a watch with a selector
// reports it.
func (p *pipeline) comeBack(name string) {
	l := p.lives[name]
	if l.current == nil {
		return
	}
	uid := l.current.UID()
	for _, typ := range []queue.Type{queue.Deleted, queue.Added} {
		p.version++
		l.current = largeObj(name, uid, p.version)
		p.add(queue.Delta{Type: typ, Object: l.current})
	}
	l.states = append(l.states, uid+"@gone", uid+"@"+l.current.ResourceVersion())
}
