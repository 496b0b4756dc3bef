package keeper

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// world is what cuts are made of, and knows nothing of blocks.
type world struct {
	t         testing.TB
	informers map[string]*fakeInformer
	listeners map[string]*fakeListener
	flush     func() error
}

func newWorld(t testing.TB) *world {
	return &world{t: t, informers: map[string]*fakeInformer{},
		listeners: map[string]*fakeListener{}, flush: func() error { return nil }}
}

func (w *world) source() Source {
	return Source{Informers: w, Listeners: w.cutters, Flush: func() error { return w.flush() }}
}

func (w *world) cutters() (all []Cutter) {
	for _, name := range slices.Sorted(maps.Keys(w.listeners)) {
		if l := w.listeners[name]; l.begun || l.saved != nil {
			all = append(all, l)
		}
	}
	return all
}

// Cut is as that of a Factory.
func (w *world) Cut() (cuts []informer.InformerCut) {
	for _, name := range slices.Sorted(maps.Keys(w.informers)) {
		if in := w.informers[name]; in.begun {
			cuts = append(cuts, in.cut())
		}
	}
	return cuts
}

// Kept begins nobody: tests do.
func (w *world) Kept([]string) (waiting bool) { return false }

// CutAndWhole is as that of a Factory.
func (w *world) CutAndWhole() (last, all []informer.InformerCut) {
	last = w.Cut()
	for _, name := range slices.Sorted(maps.Keys(w.informers)) {
		if in := w.informers[name]; in.begun {
			all = append(all, in.whole())
		}
	}
	return last, all
}

// text is what has to be loaded of the world as it is.
func (w *world) text() (text string) {
	for _, name := range slices.Sorted(maps.Keys(w.informers)) {
		text += fmt.Sprintf("%+v: %s", informerID(name), storedText(w.informers[name].stored()))
	}
	for _, name := range slices.Sorted(maps.Keys(w.listeners)) {
		text += name + ": " + listenerText(w.listeners[name].listener(w.t))
	}
	return text
}

// restart has everything wait until it is begun.
func (w *world) restart() {
	for _, in := range w.informers {
		in.begun, in.pending = false, pending{}
	}
	for _, l := range w.listeners {
		l.begun, l.saved, l.changed, l.rulesChanged = false, nil, map[uint64]bool{}, false
	}
}

// clone returns the world as it is.
func (w *world) clone() *world {
	c := newWorld(w.t)
	for name, in := range w.informers {
		n := *in
		n.objects, n.gone = maps.Clone(in.objects), maps.Clone(in.gone)
		n.told = map[string]map[event.Key]*object.Object{}
		for name, told := range in.told {
			n.told[name] = maps.Clone(told)
		}
		n.begins, n.due = maps.Clone(in.begins), maps.Clone(in.due)
		c.informers[name] = &n
	}
	for name, l := range w.listeners {
		n := *l
		n.unsent = maps.Clone(l.unsent)
		c.listeners[name] = &n
	}
	return c
}

// fakeInformer is an informer.
type fakeInformer struct {
	name    string
	begun   bool
	version int
	objects map[event.Key]*object.Object
	gone    map[event.Key]int
	told    map[string]map[event.Key]*object.Object
	begins  map[string]bool
	due     map[string]time.Time
	pending pending
}

// pending is what the next cut has.
type pending struct {
	whole     bool
	due       bool
	keys      map[event.Key]bool
	left      []string
	toldWhole map[string]bool
	told      map[string]map[event.Key]bool
}

// informer begins an informer.
func (w *world) informer(name string) *fakeInformer {
	in := &fakeInformer{name: name, begun: true, objects: map[event.Key]*object.Object{},
		gone: map[event.Key]int{}, told: map[string]map[event.Key]*object.Object{},
		begins: map[string]bool{}, due: map[string]time.Time{}, pending: pending{whole: true}}
	w.informers[name] = in
	return in
}

func (in *fakeInformer) put(o *object.Object) {
	in.note(o.Key())
	in.objects[o.Key()] = o
	delete(in.gone, o.Key())
}

func (in *fakeInformer) remove(key event.Key, version int) {
	if in.objects[key] == nil {
		return
	}
	in.note(key)
	delete(in.objects, key)
	in.gone[key] = version
}

func (in *fakeInformer) note(key event.Key) {
	if in.pending.keys == nil {
		in.pending.keys = map[event.Key]bool{}
	}
	in.pending.keys[key] = true
}

// complete sets the version up to which the objects are complete.
func (in *fakeInformer) complete(version int) {
	in.version = version
	maps.DeleteFunc(in.gone, func(_ event.Key, gone int) bool { return gone <= version })
}

func (in *fakeInformer) join(name string) {
	in.told[name] = map[event.Key]*object.Object{}
	delete(in.due, name)
	in.begin(name, false)
}

// begin notes whether a subscription knows only what is listed for it.
func (in *fakeInformer) begin(name string, begins bool) {
	in.begins[name] = begins
	for key := range in.told[name] {
		in.noteTold(name, key)
	}
	if in.pending.toldWhole == nil {
		in.pending.toldWhole = map[string]bool{}
	}
	in.pending.toldWhole[name] = true
}

func (in *fakeInformer) leave(name string) {
	if in.told[name] == nil {
		return
	}
	delete(in.told, name)
	delete(in.pending.toldWhole, name)
	delete(in.pending.told, name)
	in.pending.left = append(in.pending.left, name)
}

// tell notes the state that a subscription knows, or with ended that it knows what is stored.
func (in *fakeInformer) tell(name string, key event.Key, state *object.Object, ended bool) {
	if in.told[name] == nil {
		return
	}
	if in.told[name][key] = state; ended {
		delete(in.told[name], key)
	}
	in.noteTold(name, key)
}

func (in *fakeInformer) noteTold(name string, key event.Key) {
	if in.pending.told == nil {
		in.pending.told = map[string]map[event.Key]bool{}
	}
	if in.pending.told[name] == nil {
		in.pending.told[name] = map[event.Key]bool{}
	}
	in.pending.told[name][key] = true
}

func (in *fakeInformer) stored() *informer.Stored {
	s := &informer.Stored{Version: strconv.Itoa(in.version),
		Objects: slices.Collect(maps.Values(in.objects)), Unfinished: map[string][]informer.Unfinished{},
		Due: in.due}
	for key, version := range in.gone {
		s.Gone = append(s.Gone, informer.Gone{Key: key, Version: strconv.Itoa(version)})
	}
	for name, told := range in.told {
		s.Unfinished[name] = nil
		if in.begins[name] {
			s.Begins = append(s.Begins, name)
		}
		for key, state := range told {
			s.Unfinished[name] = append(s.Unfinished[name], informer.Unfinished{Key: key, State: state})
		}
	}
	return s
}

func (in *fakeInformer) whole() informer.InformerCut {
	s := in.stored()
	c := informer.InformerCut{Informer: informerID(in.name), Whole: true, Version: s.Version,
		Objects: slices.Values(s.Objects), Gone: s.Gone}
	for name, entries := range s.Unfinished {
		c.Unfinished = append(c.Unfinished, informer.UnfinishedCut{Subscription: name, Whole: true,
			Begins: in.begins[name], Due: in.due[name], Entries: entries})
	}
	return c
}

func (in *fakeInformer) cut() informer.InformerCut {
	p := in.pending
	in.pending = pending{}
	if p.whole {
		return in.whole()
	}
	c := informer.InformerCut{Informer: informerID(in.name), Version: strconv.Itoa(in.version),
		Left: p.left}
	var objects []*object.Object
	for key := range p.keys {
		if o := in.objects[key]; o != nil {
			objects = append(objects, o)
		} else if version, gone := in.gone[key]; gone {
			c.Gone = append(c.Gone, informer.Gone{Key: key, Version: strconv.Itoa(version)})
		} else { // the version has come to it meanwhile
			c.Gone = append(c.Gone, informer.Gone{Key: key, Version: strconv.Itoa(in.version)})
		}
	}
	c.Objects = slices.Values(objects)
	for _, name := range slices.Sorted(maps.Keys(in.told)) {
		told := informer.UnfinishedCut{Subscription: name, Whole: p.toldWhole[name],
			Begins: p.toldWhole[name] && in.begins[name], Due: in.due[name]}
		for key := range p.told[name] {
			state, has := in.told[name][key]
			told.Entries = append(told.Entries, informer.Unfinished{Key: key, State: state, Ended: !has})
		}
		if told.Whole || len(told.Entries) > 0 || p.due {
			c.Unfinished = append(c.Unfinished, told)
		}
	}
	return c
}
