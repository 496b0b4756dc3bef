package informer

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/internal/buffer"
	"github.com/informerd/informerd/pkg/informer/internal/queue"
	"github.com/informerd/informerd/pkg/informer/object"
)

// reloads is a subscription that is reloaded all the time, with its informers: each of them watches
// the same history in its own scope and at its own pace. There are no goroutines, so that every
// interleaving can be tried.
type reloads struct {
	t       *rapid.T
	dir     string
	sub     *Subscription
	history []turn
	current map[string]*object.Object
	uids    map[string]int

	watchers []*watcher // of the registrations
	fresh    []*watcher // of the exchange under way
	x        *Exchange
	factory  Factory

	out, parked []buffer.Entry
	plain       bool // no conditions, and nothing is dropped
	known       map[string]*object.Object
	newest      map[string]int
	exchanges   int
	retired     int // how much of the history those have seen that were exchanged
}

// turn is one thing that happened: the states of an object before and after it.
type turn struct{ was, is *object.Object }

// watcher is an informer, and how much of the history it has seen.
type watcher struct {
	inf *informer
	reg *registration
	at  int
}

func (w *watcher) sees(o *object.Object) bool { return o != nil && w.inf.within()(o) }

// version is how the history counts: the version of a turn is its place and one.
func versionOf(o *object.Object) int {
	n, _ := strconv.Atoi(o.ResourceVersion())
	return n
}

// next shows a watcher what happened next.
func (r *reloads) next(w *watcher) bool {
	if w.at == len(r.history) || len(w.inf.proc.blocked) > 0 {
		return r.unblock(w)
	}
	h := r.history[w.at]
	w.at++
	d := queue.Delta{Object: h.is}
	switch before, after := w.sees(h.was), w.sees(h.is); {
	case before && !after: // its last state in the scope, with the version of its end
		d.Type, d.Object = queue.Deleted, informerObject(h.was, w.at)
	case after && before:
		d.Type = queue.Updated
	case after:
		d.Type = queue.Added
	default:
		return true
	}
	if !w.inf.controller.applyNow(d) {
		r.t.Fatal("something is queued")
	}
	w.inf.reflector.SetVersion(fmt.Sprint(w.at))
	return true
}

// informerObject returns an object's state with another version.
func informerObject(o *object.Object, version int) *object.Object {
	return labelled(o.Namespace(), o.Name(), o.UID(), version,
		fmt.Sprintf(`"app":%q`, o.Labels()["app"]))
}

// unblock offers again what the subscription has refused.
func (r *reloads) unblock(w *watcher) bool {
	p := w.inf.proc
	had := len(p.blocked)
	for len(p.blocked) > 0 && p.blocked[0].reg.subscription.offerAgain(p.blocked[0].reg,
		p.blocked[0].entry) {
		p.blocked = p.blocked[1:]
	}
	if had > 0 && len(p.blocked) == 0 {
		if _, ok := w.inf.queue.Pop(); ok {
			w.inf.queue.Done()
		}
	}
	return len(p.blocked) < had
}

// watch makes a watcher that lists at a moment of the history.
func (r *reloads) watch(scope Scope, at int) *watcher {
	inf, err := newInformer(nil, pods, scope, Shape{}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	w := &watcher{inf: inf, at: at}
	states := map[string]*object.Object{}
	for _, h := range r.history[:at] {
		if h.is != nil {
			states[h.is.Name()] = h.is
		} else {
			delete(states, h.was.Name())
		}
	}
	var list []*object.Object
	for _, o := range states {
		if w.sees(o) {
			list = append(list, o)
		}
	}
	inf.controller.takeList(r.t.Context(), list, "", false)
	inf.reflector.SetVersion(fmt.Sprint(at))
	return w
}

// reloadScopes are what an exchange is for. No object can move between two scopes of one.
var reloadScopes = [][]Scope{
	{{}}, {{LabelSelector: "app=x"}}, {{LabelSelector: "app=y"}}, {
		{LabelSelector: "app in (y, z)"}},
	{{Namespace: "shop"}}, {{Namespace: "shop"}, {Namespace: "pay"}}, {},
	{{Namespace: "shop", LabelSelector: "app=x"}, {Namespace: "pay"}},
	{{Shard: Shard{ByNamespace, 0, 2}}}, {{Shard: Shard{ByNamespace, 1, 3}}},
	{{Shard: Shard{ByNamespace, 0, 2}}, {Shard: Shard{ByNamespace, 1, 2}}},
	{{Shard: Shard{ByObject, 0, 2}}}, {{Shard: Shard{ByObject, 2, 3}}},
}

// namespaceOf returns where the objects of a name are.
func namespaceOf(name string) string {
	if name < "c" {
		return "shop"
	}
	return "pay"
}

// bookmark has the new watchers know how much of the history they have seen.
func (r *reloads) bookmark() {
	for _, w := range r.fresh {
		w.inf.reflector.SetVersion(fmt.Sprint(w.at))
	}
}

func (r *reloads) begin(t *rapid.T) {
	if r.x != nil {
		return
	}
	r.x = &Exchange{factory: &r.factory, s: r.sub}
	for _, w := range r.watchers {
		r.x.old = append(r.x.old, member{inf: w.inf, reg: w.reg})
	}
	r.fresh = nil
	for _, scope := range rapid.SampledFrom(reloadScopes).Draw(t, "scopes") {
		at := rapid.IntRange(max(r.retired, len(r.history)-5), len(r.history)).Draw(t, "listed at")
		w := r.watch(scope, at)
		w.reg = newRegistration(r.sub, w.inf.store, w.inf.proc)
		r.fresh = append(r.fresh, w)
		r.x.fresh = append(r.x.fresh, member{w.inf, w.reg, true})
	}
	r.x.begin()
}

func (r *reloads) try() bool {
	if r.x == nil {
		return true
	}
	done, err := r.x.Try(r.sub.cfg, false)
	if err != nil {
		r.t.Fatal(err)
	}
	if done {
		for _, w := range r.watchers {
			r.retired = max(r.retired, w.at)
		}
		r.watchers, r.x = r.fresh, nil
		r.exchanges++
	}
	return done
}

func (r *reloads) change(t *rapid.T, name string) {
	was, h := r.current[name], turn{}
	h.was = was
	if was == nil || rapid.IntRange(0, 3).Draw(t, "delete") > 0 {
		if was == nil || rapid.IntRange(0, 9).Draw(t, "another") == 0 {
			if was != nil { // deleted and created again
				r.history = append(r.history, turn{was: was})
				h.was = nil
			}
			r.uids[name]++
		}
		app := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "app")
		h.is = labelled(namespaceOf(name), name, fmt.Sprint(name, r.uids[name]), len(r.history)+1,
			fmt.Sprintf(`"app":%q`, app))
	}
	r.current[name] = h.is
	r.history = append(r.history, h)
}

func (r *reloads) config(t *rapid.T) SubscriptionConfig {
	cfg := SubscriptionConfig{
		Capacity: rapid.IntRange(1, 4).Draw(t, "capacity"),
		Overflow: rapid.SampledFrom([]Overflow{OverflowLatest, OverflowBlock, OverflowSpill}).Draw(
			t, "overflow"),
		SpillDir: r.dir, SpillBytes: 24_000, Name: "reloaded", Track: true,
	}
	if !r.plain {
		cfg.Transitions = rapid.Bool().Draw(t, "transitions")
		if rapid.Bool().Draw(t, "conditions") {
			cfg.Conditions = []condition.Condition{ofLabel("app", condition.In,
				rapid.SampledFrom([]string{"x", "y"}).Draw(t, "app"))}
		}
	}
	return cfg
}

func (r *reloads) take() bool {
	e, ok := r.sub.takeWithDisk()
	if !ok {
		return false
	}
	for _, o := range slices.Concat(r.out, r.parked) {
		if o.Object.Name() == e.Object.Name() {
			r.t.Fatalf("two events of %s are out", o.Object.Name())
		}
	}
	r.out = append(r.out, e)
	return true
}

func (r *reloads) finish(i int) {
	e := r.out[i]
	r.out = slices.Delete(r.out, i, i+1)
	name, known := e.Object.Name(), r.known[e.Object.Name()]
	if v := versionOf(e.Object); v < r.newest[name] {
		r.t.Fatalf("%s after version %d", story(e.Event), r.newest[name])
	} else {
		r.newest[name] = v
	}
	if r.plain {
		same := known != nil && known.UID() == e.Object.UID()
		merged := e.Op == event.Delete && e.Missed > 0 && known == nil // its add is among those
		if e.Op == event.Add && known != nil || e.Op != event.Add && !same && !merged ||
			e.Op == event.Update && versionOf(e.Old) != versionOf(known) ||
			e.Op == event.Resync && versionOf(e.Object) != versionOf(known) {
			r.t.Fatalf("%s, and the subscription knows %v", story(e.Event), known)
		}
	}
	if r.known[name] = e.Object; e.Op == event.Delete {
		delete(r.known, name)
	}
	r.sub.finish(&e, true)
}

// drain has everything done that can be done.
func (r *reloads) drain() {
	for busy := true; busy; {
		busy = false
		for _, w := range slices.Concat(r.watchers, r.fresh) {
			for r.next(w) {
				busy = true
			}
		}
		for _, e := range r.parked {
			r.sub.buf.Unpark(e.Object.Key())
		}
		r.parked = nil
		for r.take() || len(r.out) > 0 {
			busy = true
			if len(r.out) > 0 {
				r.finish(0)
			}
		}
	}
}

// TestReloadModel: whatever is reloaded at whatever moment, no state of an object comes after a
// newer one, and in the end the last state of each object in the scope is known. Without conditions
// each add, update and delete fits what came before it.
func TestReloadModel(t *testing.T) {
	dir, exchanges := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		r := &reloads{
			t: t, dir: dir, current: map[string]*object.Object{}, uids: map[string]int{},
			plain: rapid.Bool().Draw(t, "plain"), known: map[string]*object.Object{},
			newest: map[string]int{},
		}
		var err error
		if r.sub, err = NewSubscription(r.config(t)); err != nil {
			t.Fatal(err)
		}
		r.sub.diskByHand()
		name := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		for range rapid.IntRange(0, 5).Draw(t, "history") {
			r.change(t, name.Draw(t, "name"))
		}
		w := r.watch(Scope{}, len(r.history))
		w.reg = w.inf.join(r.sub)
		r.watchers = append(r.watchers, w)
		change := func(t *rapid.T) { r.change(t, name.Draw(t, "name")) }
		next := func(t *rapid.T) {
			if all := slices.Concat(r.watchers, r.fresh); len(all) > 0 {
				r.next(rapid.SampledFrom(all).Draw(t, "watcher"))
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"change": change, "change ": change, "next": next, "next ": next, "next  ": next,
			"bookmark": func(*rapid.T) { r.bookmark() },
			"begin":    r.begin,
			"try":      func(*rapid.T) { r.try() },
			"cancel": func(t *rapid.T) {
				if r.x != nil && rapid.IntRange(0, 3).Draw(t, "really") == 0 {
					r.x.Cancel()
					r.x, r.fresh = nil, nil
				}
			},
			"reconfigure": func(t *rapid.T) {
				if err := r.sub.Reconfigure(r.config(t)); err != nil {
					t.Fatal(err)
				}
			},
			"rescan": func(*rapid.T) { r.sub.Rescan() },
			"take":   func(*rapid.T) { r.take() },
			"work": func(t *rapid.T) {
				for range rapid.IntRange(1, 5).Draw(t, "n") {
					if r.take(); len(r.out) > 0 {
						r.finish(rapid.IntRange(0, len(r.out)-1).Draw(t, "which"))
					}
				}
			},
			"fail": func(t *rapid.T) {
				if len(r.out) > 0 {
					e := r.out[0]
					r.out = r.out[1:]
					r.sub.buf.Park(e)
					r.parked = append(r.parked, e)
				}
			},
			"retry": func(t *rapid.T) {
				if len(r.parked) > 0 {
					r.sub.buf.Unpark(r.parked[0].Object.Key())
					r.parked = r.parked[1:]
				}
			},
		})
		r.drain()
		r.bookmark()
		if !r.try() {
			t.Fatal("everything has been seen, and the registrations cannot be exchanged")
		}
		r.fresh = nil
		if !r.plain {
			r.sub.Rescan()
		}
		r.drain()
		r.check()
		exchanges += r.exchanges
	})
	if !t.Failed() && exchanges < 50 {
		t.Errorf("only %d exchanges", exchanges)
	}
}

func (r *reloads) check() {
	t := r.t
	for name, o := range r.current {
		visible := slices.ContainsFunc(r.watchers, func(w *watcher) bool { return w.sees(o) })
		known := r.known[name]
		if visible && (known == nil || !object.SameState(known, o)) {
			t.Fatalf("%s is known as %v, and is %v", name, known, o)
		}
		if !visible && r.plain && known != nil {
			t.Fatalf("%s is known as %v, and is not in the scope", name, known)
		}
	}
	s := r.sub.Stats()
	if r.sub.Waiting() != 0 || s.Held+s.Parked+s.Marked+s.Resyncing+int(s.Mistakes) > 0 ||
		len(r.sub.later) > 0 || len(r.sub.regs) != len(r.watchers) {
		t.Fatalf("all is done, but %d wait, %d come later: %+v", r.sub.Waiting(), len(r.sub.later),
			s)
	}
	for _, w := range r.watchers {
		if w.reg.Initials != 0 {
			t.Fatalf("%d initial adds are not accounted for", w.reg.Initials)
		}
		if n := w.reg.unfinished.Len(); n != 0 {
			t.Fatalf("all is done, and %d objects are listed", n)
		}
	}
}
