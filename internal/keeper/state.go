package keeper

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// state is what all cuts make together.
type state struct {
	informers map[informer.InformerID]*storedInformer
	listeners map[string]*Listener
	loose     map[informer.InformerID]struct{} // that a listener has left in this cut
}

// Listener is what a listener had.
type Listener struct {
	// Select is the expression by which it has its objects.
	Select string
	Route  route.Saved
}

// Unsettled is behind the select of before, as no expression of a configuration can have it. A
// restart that has that select again must not take it for the one by which all objects have been
// decided: those that have come since were decided by another one, as the route remembers.
const Unsettled = "\x00"

// storedInformer is an informer as its cuts have it.
type storedInformer struct {
	version string
	objects map[event.Key]*object.Object
	gone    map[event.Key]string
	told    map[string]map[event.Key]informer.Told
	begins  map[string]bool      // listeners that know no other objects
	due     map[string]time.Time // their next resyncs
	settled bool                 // nothing was delivered after that
}

func newState() *state {
	return &state{informers: map[informer.InformerID]*storedInformer{},
		listeners: map[string]*Listener{}, loose: map[informer.InformerID]struct{}{}}
}

// stored returns the informer as package informer takes it.
func (s *storedInformer) stored() *informer.Stored {
	to := &informer.Stored{Version: s.version, Objects: slices.Collect(maps.Values(s.objects)),
		Told: make(map[string][]informer.Told, len(s.told)), Due: maps.Clone(s.due),
		Killed: !s.settled}
	for key, version := range s.gone {
		to.Gone = append(to.Gone, informer.Gone{Key: key, Version: version})
	}
	for name, entries := range s.told {
		to.Told[name] = slices.Collect(maps.Values(entries))
		if s.begins[name] {
			to.Begins = append(to.Begins, name)
		}
	}
	return to
}

// whole returns the informer as a cut that has everything.
func whole(id informer.InformerID, s *informer.Stored) *informer.InformerCut {
	c := &informer.InformerCut{Informer: id, Whole: true, Version: s.Version,
		Killed: s.Killed, Objects: slices.Values(s.Objects), Gone: s.Gone}
	for _, name := range slices.Sorted(maps.Keys(s.Told)) {
		c.Told = append(c.Told, informer.ToldCut{Subscription: name, Whole: true,
			Begins: slices.Contains(s.Begins, name), Due: s.Due[name], Entries: s.Told[name]})
	}
	return c
}

// loading adds blocks to a state, cut by cut.
type loading struct {
	reader
	state *state
	// within a cut: the changes that its blocks have so far, and the informer of the next ones.
	within bool
	cut    []func(*state) error
	of     informer.InformerID
}

// add adds a block, which is valid until add returns. After an error, the state means nothing.
func (l *loading) add(block []byte) error {
	place, err := l.block(block)
	if err != nil {
		return refused(err)
	}
	switch first := place&placeFirst != 0; {
	case first: // a crash has cut off the one before, if there is one
		l.cut, l.within, l.of = l.cut[:0], true, informer.InformerID{}
	case !l.within:
		return refused(codec.ErrDamaged)
	}
	for l.More() {
		l.record()
	}
	if err := l.End(); err != nil {
		return refused(err)
	}
	if place&placeLast == 0 {
		return nil
	}
	for _, change := range l.cut {
		if err := change(l.state); err != nil {
			return refused(err)
		}
	}
	l.state.sweep()
	clear(l.cut)
	l.cut, l.within = l.cut[:0], false
	return nil
}

// refused returns the error of a block that cannot be read, as package checkpoint has it.
func refused(err error) error {
	if errors.Is(err, checkpoint.ErrVersion) || errors.Is(err, route.ErrVersion) {
		return fmt.Errorf("%w: %w", checkpoint.ErrVersion, err)
	}
	return fmt.Errorf("%w: %w", checkpoint.ErrDamaged, err)
}

// record reads a record, and notes what it changes.
func (l *loading) record() {
	switch kind(l.Byte()) {
	case kindInformer:
		l.informer()
	case kindObject:
		o := l.object()
		l.note(func(in *storedInformer) {
			in.objects[o.Key()] = o
			delete(in.gone, o.Key())
		})
	case kindGone:
		key, version := l.key(), l.Text()
		l.note(func(in *storedInformer) {
			delete(in.objects, key)
			in.gone[key] = version
		})
	case kindTold:
		l.told()
	case kindInformerEnded:
		id := l.id()
		l.change(func(s *state) { delete(s.informers, id) })
	case kindUnbound:
		id, listener := l.id(), l.Text()
		l.change(func(s *state) { s.unbind(id, listener) })
	case kindListener:
		l.listener()
	case kindForgotten:
		listener := l.Text()
		l.change(func(s *state) { s.forget(listener) })
	case kindPadding:
		l.Bytes()
	case kindSettled:
		id := l.id()
		l.change(func(s *state) {
			if in := s.informers[id]; in != nil {
				in.settled = true
			}
		})
	case kindBegun:
		l.change(func(s *state) {
			for _, in := range s.informers {
				in.settled = false
			}
		})
	default:
		l.Fail(codec.ErrDamaged)
	}
}

// change notes a change of the cut.
func (l *loading) change(how func(*state)) {
	l.cut = append(l.cut, func(s *state) error { how(s); return nil })
}

// note notes a change of the informer that the cut is at.
func (l *loading) note(how func(*storedInformer)) {
	id := l.of
	l.cut = append(l.cut, func(s *state) error {
		in := s.informers[id]
		if in == nil {
			return codec.ErrDamaged
		}
		how(in)
		return nil
	})
}

func (l *loading) informer() {
	id := l.id()
	whole, version := l.Bool(), l.Text()
	var left []string
	for range l.Count() {
		left = append(left, l.Text())
	}
	l.of = id
	l.change(func(s *state) {
		in := s.informers[id]
		if in == nil || whole {
			in = &storedInformer{objects: map[event.Key]*object.Object{},
				gone: map[event.Key]string{}, told: map[string]map[event.Key]informer.Told{},
				begins: map[string]bool{}, due: map[string]time.Time{}}
			s.informers[id] = in
		}
		in.version, in.settled = version, false
		complete, _ := strconv.ParseUint(version, 10, 64)
		maps.DeleteFunc(in.gone, func(_ event.Key, gone string) bool {
			n, err := strconv.ParseUint(gone, 10, 64)
			return err == nil && n <= complete
		})
		for _, name := range left {
			delete(in.told, name)
		}
	})
}

func (l *loading) told() {
	t := informer.ToldCut{Subscription: l.Text(), Whole: l.Bool(), Begins: l.Bool(),
		Due: l.time(), Entries: l.entries()}
	if l.Err() != nil {
		return
	}
	l.note(func(in *storedInformer) {
		told := in.told[t.Subscription]
		if told == nil || t.Whole {
			told = map[event.Key]informer.Told{}
			in.told[t.Subscription] = told
			in.begins[t.Subscription] = t.Begins
			delete(in.due, t.Subscription)
		}
		if !t.Due.IsZero() {
			in.due[t.Subscription] = t.Due
		}
		for _, e := range t.Entries {
			if e.Ended {
				delete(told, e.Key)
			} else {
				told[e.Key] = e
			}
		}
	})
}

func (l *loading) listener() {
	name, selects, cut := l.Text(), l.Text(), bytes.Clone(l.Bytes())
	l.cut = append(l.cut, func(s *state) error {
		to := s.listeners[name]
		if to == nil {
			to = &Listener{}
			s.listeners[name] = to
		}
		if to.Select = selects; len(cut) == 0 {
			return nil // nothing else has changed
		}
		return to.Route.Apply(cut, l.decode)
	})
}

// unbind notes that a listener has no part in an informer. Nobody needs an informer in which no
// listener has a part.
func (s *state) unbind(id informer.InformerID, listener string) {
	in := s.informers[id]
	if in == nil {
		return
	}
	delete(in.told, listener)
	s.loose[id] = struct{}{}
}

// sweep ends a cut: informers that the cut has left without a listener are forgotten. Others may
// have joined in the same cut.
func (s *state) sweep() {
	for id := range s.loose {
		if in := s.informers[id]; in != nil && len(in.told) == 0 {
			delete(s.informers, id)
		}
	}
	clear(s.loose)
}

// forget forgets a listener.
func (s *state) forget(listener string) {
	delete(s.listeners, listener)
	for id := range s.informers {
		s.unbind(id, listener)
	}
}
