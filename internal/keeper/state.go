package keeper

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// state is what all cuts make together.
type state struct {
	informers map[informer.InformerID]record.Set
	listeners map[string]record.Set
	unbound   map[informer.InformerID]struct{} // that a listener has left in this cut

	// within a cut: the changes that each of its blocks has. Of a snapshot there may be millions.
	reader reader
	within bool
	cut    [][]change

	last    *owner // of which records were looked up
	records record.Set
}

// Listener is what a listener had.
type Listener struct {
	// Select is the expression by which it has its objects.
	Select string
	// Records are those of its route, and Route is what they say.
	Records record.Set
	Route   *route.Saved
	// Resource is what it was about, zero if nobody knows.
	Resource informer.Resource
}

// Unsettled is behind the select of before, as no expression of a configuration can have it. A
// restart that has that select again must not take it for the one by which all objects have been
// decided: those that have come since were decided by another one, as the route remembers.
const Unsettled = "\x00"

func newState() *state {
	return &state{informers: map[informer.InformerID]record.Set{},
		listeners: map[string]record.Set{}, unbound: map[informer.InformerID]struct{}{}}
}

// add adds a block, which is valid until add returns. After an error, the state means nothing.
func (s *state) add(block []byte) error {
	if err := s.addBlock(block); err != nil {
		return fmt.Errorf("%w: %w", checkpoint.ErrDamaged, err)
	}
	return nil
}

func (s *state) addBlock(block []byte) error {
	if len(block) == 0 {
		return record.ErrDamaged
	}
	place, rest := block[0], block[1:]
	switch {
	case place&placeFirst != 0: // a crash has cut off the one before, if there is one
		s.cut, s.within = s.cut[:0], true
		s.reader.owner, s.reader.part = nil, ""
	case !s.within:
		return record.ErrDamaged
	}
	var changes []change
	for len(rest) > 0 {
		c, after, err := s.reader.next(rest)
		if err != nil {
			return err
		}
		changes, rest = append(changes, c), after
	}
	s.cut = append(s.cut, changes)
	if place&placeLast == 0 {
		return nil
	}
	for _, changes := range s.cut {
		for i := range changes {
			if err := s.apply(&changes[i]); err != nil {
				return err
			}
		}
	}
	s.sweep()
	clear(s.cut)
	s.cut, s.within = s.cut[:0], false
	return nil
}

// of returns the records of the owner of a change.
func (s *state) of(o *owner) record.Set {
	switch {
	case o == s.last:
	case o.listener != "":
		s.last, s.records = o, ofKey(s.listeners, o.listener)
	default:
		s.last, s.records = o, ofKey(s.informers, o.informer)
	}
	return s.records
}

func ofKey[K comparable](all map[K]record.Set, key K) record.Set {
	if all[key] == nil {
		all[key] = record.Set{}
	}
	return all[key]
}

func (s *state) apply(c *change) error {
	switch c.verb {
	case verbReset:
		s.of(c.owner).Reset()
	case verbClear:
		s.of(c.owner).Clear(c.part)
	case verbPut:
		s.of(c.owner).Add(c.part, c.key, c.Record)
		if c.owner.listener == "" {
			return forgetGone(s.of(c.owner), c)
		}
	case verbDelete:
		s.of(c.owner).Delete(c.part, c.key)
	case verbEnded:
		s.last = nil
		delete(s.informers, c.owner.informer)
	case verbUnbound:
		s.unbind(c.owner.informer, c.key.Name)
	case verbForgotten:
		s.last = nil
		delete(s.listeners, c.key.Name)
		for id := range s.informers {
			s.unbind(id, c.key.Name)
		}
	}
	return nil
}

// forgetGone forgets what a record of an informer makes void: that an object is there or gone, and
// what was gone by the version that the objects are complete to.
func forgetGone(records record.Set, c *change) error {
	switch c.part {
	case objectsPart:
		if len(c.Objects) != 1 {
			return record.ErrDamaged
		}
		records.Delete(gonePart, c.key)
	case gonePart:
		records.Delete(objectsPart, c.key)
	case versionPart:
		var version, gone string
		if err := c.Decode(&version); err != nil {
			return err
		}
		complete := object.ParseVersion(version)
		for key, r := range records[gonePart] {
			if err := r.Decode(&gone); err != nil {
				return err
			}
			if gone != "" && object.ParseVersion(gone) <= complete {
				records.Delete(gonePart, key)
			}
		}
	}
	return nil
}

// unbind notes that a listener has no part in an informer. Nobody needs an informer in which no
// listener has a part.
func (s *state) unbind(id informer.InformerID, listener string) {
	s.informers[id].Clear(unfinishedPrefix + listener)
	s.unbound[id] = struct{}{}
}

// sweep ends a cut: informers that the cut has left without a listener are forgotten. Others may
// have joined in the same cut.
func (s *state) sweep() {
	for id := range s.unbound {
		if !hasListener(s.informers[id]) {
			delete(s.informers, id)
		}
	}
	clear(s.unbound)
	s.last, s.records = nil, nil
}

func hasListener(informer record.Set) bool {
	for part := range informer {
		if strings.HasPrefix(part, unfinishedPrefix) {
			return true
		}
	}
	return false
}

// stored returns the informers and listeners that there are.
func (s *state) stored() (map[informer.InformerID]*informer.Stored, map[string]*Listener, error) {
	informers := make(map[informer.InformerID]*informer.Stored, len(s.informers))
	listeners := make(map[string]*Listener, len(s.listeners))
	for name, records := range s.listeners {
		l, err := readListener(records)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: listener %q: %w", checkpoint.ErrDamaged, name, err)
		}
		listeners[name] = l
	}
	for id, records := range s.informers {
		stored, err := readInformer(records)
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %s: %w", checkpoint.ErrDamaged, id.Resource, err)
		}
		informers[id] = stored
		for name := range stored.Unfinished {
			if l := listeners[name]; l != nil {
				l.Resource = id.Resource
			}
		}
	}
	return informers, listeners, nil
}

func readListener(records record.Set) (l *Listener, err error) {
	l = &Listener{Records: records}
	if text, has := records[selectPart][event.Key{}]; has {
		err = text.Decode(&l.Select)
	}
	if is, has := records[ResourcePart][event.Key{}]; has && err == nil {
		err = is.Decode(&l.Resource)
	}
	if err == nil {
		l.Route, err = route.Read(records)
	}
	return l, err
}

// readInformer returns an informer as package informer takes it.
func readInformer(records record.Set) (*informer.Stored, error) {
	_, settled := records[settledPart]
	to := &informer.Stored{Unfinished: map[string][]informer.Unfinished{}, Due: map[string]time.Time{},
		Objects: make([]*object.Object, 0, len(records[objectsPart])), Killed: !settled}
	if err := records[versionPart][event.Key{}].Decode(&to.Version); err != nil {
		return nil, err
	}
	for _, r := range records[objectsPart] {
		to.Objects = append(to.Objects, r.Objects[0])
	}
	for key, r := range records[gonePart] {
		gone := informer.Gone{Key: key}
		if err := r.Decode(&gone.Version); err != nil {
			return nil, err
		}
		to.Gone = append(to.Gone, gone)
	}
	for key, r := range records[resyncsPart] {
		var due time.Time
		if err := r.Decode(&due); err != nil {
			return nil, err
		}
		to.Due[key.Name] = due.Local()
	}
	for part, entries := range records {
		name, is := strings.CutPrefix(part, unfinishedPrefix)
		if !is {
			continue
		}
		var begins bool
		var err error
		if to.Unfinished[name], begins, err = readUnfinished(entries); err != nil {
			return nil, err
		}
		if begins {
			to.Begins = append(to.Begins, name)
		}
	}
	return to, nil
}

// whole returns an informer as a cut that has everything.
func whole(id informer.InformerID, s *informer.Stored) *informer.InformerCut {
	c := &informer.InformerCut{Informer: id, Whole: true, Version: s.Version,
		Killed: s.Killed, Objects: slices.Values(s.Objects), Gone: s.Gone}
	for _, name := range slices.Sorted(maps.Keys(s.Unfinished)) {
		c.Unfinished = append(c.Unfinished, informer.UnfinishedCut{Subscription: name, Whole: true,
			Begins: slices.Contains(s.Begins, name), Due: s.Due[name], Entries: s.Unfinished[name]})
	}
	return c
}

// readUnfinished returns what a listener has not finished of an informer, and whether it begins.
func readUnfinished(records map[event.Key]record.Record) (all []informer.Unfinished, begins bool,
	err error) {
	all = make([]informer.Unfinished, 0, len(records))
	for key, r := range records {
		if key == (event.Key{}) {
			if err := r.Decode(&begins); err != nil {
				return nil, false, err
			}
			continue
		}
		var s savedUnfinished
		if err := r.Decode(&s); err != nil {
			return nil, false, err
		}
		e := informer.Unfinished{Key: key, Present: s&unfinishedPresent != 0, Same: s&unfinishedSame != 0,
			Gone: slices.Clip(r.Objects)}
		if s&unfinishedState != 0 {
			if len(r.Objects) == 0 {
				return nil, false, record.ErrDamaged
			}
			e.State, e.Gone = r.Objects[0], r.Objects[1:]
		}
		if at := int64(s / unfinishedArrived); at != 0 {
			e.Arrived = event.At(time.UnixMilli(at))
		}
		all = append(all, e)
	}
	return all, begins, nil
}
