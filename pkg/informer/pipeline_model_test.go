package informer

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/internal/store"
	"github.com/informerd/informerd/pkg/informer/object"
)

// pipeline is queue, store, controller, processor and subscriptions without their goroutines, so
// that every interleaving of what they do can be tried. lives says what really happened.
type pipeline struct {
	t             *rapid.T
	ctl           *controller
	dir           string
	version       int
	lives         map[string]*life
	now           time.Time
	subscriptions []*ledger
	// first is the rest of the first list, if that is being taken.
	first, again []*object.Object
	listing      bool
	condensed    int
}

// ledger is a subscription, and what it got.
type ledger struct {
	sub     *Subscription
	reg     *registration
	out     []buffer.Entry
	parked  []buffer.Entry
	round   *round // of the resync under way
	seen    map[string][]string
	deleted map[string]bool
}

// life is what truly happened to the objects of one name.
type life struct {
	current *object.Object
	uid     int
	states  []string // every state in order, as uid@version or uid@gone
}

// TestPipelineModel: whatever happens in whatever order, each subscription sees a subsequence of
// each object's true states, in order, that ends on the last one or on its deletion.
func TestPipelineModel(t *testing.T) {
	dir, condensed := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		store, proc := store.New(), &processor{}
		p := &pipeline{
			t: t, dir: dir, now: time.Unix(0, 0), lives: map[string]*life{"a": {}, "b": {},
				"c": {}},
			ctl: &controller{queue: queue.New(1 << 20), store: store, proc: proc,
				joined: newSignal(), cooling: cooling{store: store}},
		}
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		which := func(t *rapid.T) *ledger {
			if len(p.subscriptions) == 0 {
				return nil
			}
			return p.subscriptions[rapid.IntRange(0, len(p.subscriptions)-1).Draw(t,
				"subscription")]
		}
		p.join(t)
		p.list(t, name)
		t.Repeat(map[string]func(*rapid.T){
			"first list": func(t *rapid.T) { p.takeFirst(t) },
			// the watch comes after the list
			"change":         func(t *rapid.T) { p.change(t, name.Draw(t, "name"), p.listing) },
			"missed change":  func(t *rapid.T) { p.change(t, name.Draw(t, "name"), true) },
			"repeated event": func(t *rapid.T) { p.repeat(name.Draw(t, "name")) },
			"relist": func(*rapid.T) {
				if !p.listing {
					p.relist()
				}
			},
			"apply":       func(*rapid.T) { p.apply() },
			"apply ":      func(*rapid.T) { p.apply() }, // twice as likely
			"time passes": func(*rapid.T) { p.resync(time.Minute) },
			"cool":        func(*rapid.T) { p.cool() },
			"join":        func(t *rapid.T) { p.join(t) },
			"leave": func(t *rapid.T) {
				if l := which(t); l != nil && len(p.subscriptions) > 1 {
					proc.leave(l.reg)
					p.subscriptions = slices.DeleteFunc(p.subscriptions, func(o *ledger) bool {
						return o == l
					})
				}
			},
			"take": func(t *rapid.T) {
				if l := which(t); l != nil {
					p.take(l)
				}
			},
			"done": func(t *rapid.T) {
				if l := which(t); l != nil && len(l.out) > 0 {
					p.finish(l, rapid.IntRange(0, len(l.out)-1).Draw(t, "which"))
				}
			},
			"fail": func(t *rapid.T) {
				if l := which(t); l != nil && len(l.out) > 0 {
					e := l.out[0]
					l.out = l.out[1:]
					l.sub.buf.Park(e)
					l.parked = append(l.parked, e)
				}
			},
		})
		for p.listing {
			p.takeFirst(t)
		}
		p.relist() // the watch comes back in the end
		p.drain()
		for _, l := range p.subscriptions {
			p.check(l)
		}
		condensed += p.condensed
	})
	if !t.Failed() && condensed < 20 {
		t.Errorf("only %d objects were condensed", condensed)
	}
}

func (p *pipeline) join(t *rapid.T) {
	if len(p.subscriptions) == 4 {
		return
	}
	cfg := SubscriptionConfig{
		Capacity: rapid.IntRange(1, 5).Draw(t, "capacity"), SpillDir: p.dir, SpillBytes: 24_000,
		Overflow: rapid.SampledFrom([]Overflow{OverflowLatest, OverflowBlock, OverflowSpill}).Draw(
			t, "overflow"),
		Resync: time.Duration(rapid.IntRange(0, 2).Draw(t, "resync")) * time.Minute,
		Name:   "tracked", Track: true,
	}
	p.subscribe(t, cfg)
}

func (p *pipeline) subscribe(t *rapid.T, cfg SubscriptionConfig) {
	sub, err := NewSubscription(cfg)
	if err != nil {
		t.Fatal(err)
	}
	sub.diskByHand()
	led := &ledger{sub: sub, seen: map[string][]string{}, deleted: map[string]bool{}}
	led.reg = p.ctl.proc.join(sub, p.ctl.store, p.now)
	p.subscriptions = append(p.subscriptions, led)
}

// change lets something happen to an object. If it is missed, the watch says nothing of it.
func (p *pipeline) change(t *rapid.T, name string, missed bool) {
	l := p.lives[name]
	p.version++
	typ, o := queue.Updated, (*object.Object)(nil)
	switch {
	case l.current == nil:
		l.uid++
		typ = queue.Added
	case rapid.Bool().Draw(t, "delete"):
		typ = queue.Deleted
	}
	uid := fmt.Sprint(name, l.uid)
	o = largeObj(name, uid, p.version)
	if typ == queue.Deleted {
		l.current = nil
		l.states = append(l.states, uid+"@gone")
	} else {
		l.current = o
		l.states = append(l.states, fmt.Sprint(uid, "@", p.version))
	}
	if !missed {
		p.add(queue.Delta{Type: typ, Object: o})
	}
}

// repeat sends an event that was sent before.
func (p *pipeline) repeat(name string) {
	if o := p.lives[name].current; o != nil && !p.listing {
		p.add(queue.Delta{Type: queue.Added, Object: o})
	}
}

// add has the event applied at once, if it can be, or leaves it to the controller's next turn, as
// after a list.
func (p *pipeline) add(d queue.Delta) {
	if rapid.Bool().Draw(p.t, "at once") && p.ctl.applyNow(d) {
		for _, l := range p.subscriptions {
			if l.round != nil && d.Type == queue.Deleted {
				// a resync may come to where it is not, even if it comes back
				delete(l.round.wants, d.Object.Key())
			}
		}
		return
	}
	if err := p.ctl.queue.Add(context.Background(), d); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pipeline) relist() {
	var list []*object.Object
	for _, name := range slices.Sorted(maps.Keys(p.lives)) {
		if l := p.lives[name]; l.current != nil {
			list = append(list, l.current)
		}
	}
	p.ctl.takeList(context.Background(), list, "", false)
}

// list begins the first list, which may have an object in several of its states, as no server
// should send it.
func (p *pipeline) list(t *rapid.T, name *rapid.Generator[string]) {
	for range rapid.IntRange(0, 6).Draw(t, "listed") {
		l := p.lives[name.Draw(t, "name")]
		before := l.current
		p.change(t, name.Draw(t, "name"), true)
		if before != nil && rapid.Bool().Draw(t, "twice") {
			p.first = append(p.first, before)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.lives)) {
		if l := p.lives[name]; l.current != nil {
			p.first = append(p.first, l.current)
		}
	}
	if p.listing = p.ctl.queue.ClaimFirst(); !p.listing {
		t.Fatal("the first list is not the first")
	}
}

// takeFirst takes some of the first list.
func (p *pipeline) takeFirst(t *rapid.T) {
	if !p.listing {
		return
	}
	if p.ctl.queue.HasSynced() {
		t.Fatalf("synced, and of the list are left %d objects", len(p.first))
	}
	n := rapid.IntRange(0, len(p.first)).Draw(t, "some")
	p.again = append(p.again, p.ctl.takeFirst(p.first[:n])...)
	if p.first = p.first[n:]; len(p.first) == 0 {
		p.ctl.queue.EndFirst(p.again)
		p.listing = false
	}
}

// apply is one turn of the controller. What a subscription has refused is offered again first.
func (p *pipeline) apply() bool {
	blocked := p.ctl.proc.blocked
	for len(blocked) > 0 &&
		blocked[0].reg.subscription.offerAgain(blocked[0].reg, blocked[0].entry) {
		blocked = blocked[1:]
	}
	if p.ctl.proc.blocked = blocked; len(blocked) > 0 {
		return false
	}
	deltas, ok := p.ctl.queue.Pop()
	for i := range deltas {
		p.ctl.apply(&deltas[i])
	}
	if ok {
		p.ctl.queue.Done()
	}
	return ok
}

func (p *pipeline) take(l *ledger) bool {
	before := l.sub.resynced
	e, ok := l.sub.takeWithDisk()
	l.take(p, e, ok, l.sub.resynced > before)
	if !ok {
		return false
	}
	for _, o := range append(slices.Clone(l.out), l.parked...) {
		if o.Object.Name() == e.Object.Name() {
			p.t.Fatalf("two events of %s are out", o.Object.Name())
		}
	}
	l.out = append(l.out, e)
	return true
}

func (p *pipeline) finish(l *ledger, i int) {
	e := l.out[i]
	l.out = slices.Delete(l.out, i, i+1)
	name, state := e.Object.Name(), e.Object.UID()+"@"+e.Object.ResourceVersion()
	switch e.Op {
	case event.Delete:
		state = e.Object.UID() + "@gone"
		l.deleted[e.Object.UID()] = true
	case event.Resync:
		if l.sub.cfg.Resync == 0 {
			p.t.Fatalf("%s for a subscription without a period", story(e.Event))
		}
		if told := l.seen[name]; l.hearsAll() && (len(told) == 0 || told[len(told)-1] != state) {
			p.t.Fatalf("%s is news: %v", story(e.Event), told)
		}
	case event.Update:
		if e.Old.UID() != e.Object.UID() || e.Old.ResourceVersion() == e.Object.ResourceVersion() {
			p.t.Fatalf("%s is no update", story(e.Event))
		}
	}
	l.seen[name] = append(l.seen[name], state)
	l.sub.finish(&e, true)
}

// drain applies what is queued, and has the workers do all there is.
func (p *pipeline) drain() {
	for busy := true; busy; {
		busy = p.apply()
		for _, l := range p.subscriptions {
			if l.sub.buf.Empty() && l.sub.available() == 0 {
				continue
			}
			busy = true
			for _, e := range l.parked {
				l.sub.buf.Unpark(e.Object.Key())
			}
			l.parked = nil
			p.take(l)
			if len(l.out) > 0 {
				p.finish(l, 0)
			}
		}
	}
}

// check compares what a subscription saw with the truth.
func (p *pipeline) check(l *ledger) {
	t := p.t
	s := l.sub.buf.Stats()
	if l.reg.Initials != 0 || len(l.sub.resyncs) > 0 || s.Held+s.Parked+int(s.Mistakes) > 0 {
		t.Fatalf("drained, but %d initial adds are not accounted for: %+v", l.reg.Initials,
			l.sub.Stats())
	}
	if n := l.reg.unfinished.Len(); n != 0 {
		t.Fatalf("drained, but %d objects are listed", n)
	}
	for name, truth := range p.lives {
		seen := l.seen[name]
		at := 0
		for i, state := range seen {
			if i > 0 && state == seen[i-1] {
				continue // a resync
			}
			next := slices.Index(truth.states[at:], state)
			if next < 0 {
				t.Fatalf("%s got %v, the truth is %v", name, seen, truth.states)
			}
			at += next
		}
		if truth.current != nil {
			if last := truth.states[len(truth.states)-1]; len(seen) == 0 ||
				seen[len(seen)-1] != last {
				t.Fatalf("%s ended on %v, the truth is %s", name, seen, last)
			}
		}
		for _, state := range seen {
			uid, _, _ := strings.Cut(state, "@")
			if truth.ended(uid) && !l.deleted[uid] {
				t.Fatalf("%s: got %s and never its delete: %v", name, uid, seen)
			}
		}
	}
}

// ended: the object is gone for good. (With a selector it may come back.)
func (l *life) ended(uid string) bool {
	for _, state := range slices.Backward(l.states) {
		if id, version, _ := strings.Cut(state, "@"); id == uid {
			return version == "gone"
		}
	}
	return false
}
