package keeper

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Progress is what a listener has finished, without the objects of its informers: those who know
// the objects from elsewhere can go on with it.
type Progress struct {
	Listener
	Informers map[informer.InformerID]*Part
}

// Part is what a listener has finished of an informer: all events up to the Version and those that
// are Later of it, but for what Unfinished lists.
type Part struct {
	Version string
	// Later are versions of objects, or by which they were gone, that are after Version.
	Later map[event.Key]uint64
	// Newest is the newest version of an object that the informer has had, gone ones included, since
	// it was cut whole.
	Newest uint64
	// Killed: a process before was killed, and may have delivered what comes after Version.
	Killed bool
	// Begins: the listener knows no other object than those that Unfinished lists.
	Begins     bool
	Due        time.Time // of the next resync, zero if there is none
	Unfinished []informer.Unfinished
}

// progress are the cuts of a keeper that does not keep objects. It is a target.
type progress struct {
	// publish makes what listeners have finished known, those that there are no more included as
	// nil. final: nothing comes after it. It blocks until that is done.
	publish func(segments map[string][]byte, final bool) error

	informers map[informer.InformerID]*position
	listeners map[string]record.Set
	changed   map[string]struct{} // listeners, since the last publication
	writes    string              // the listener whose record.Writer it is
	err       error
	last      bool
}

// position is how far an informer is.
type position struct {
	Part
	unfinished map[string]map[event.Key]informer.Unfinished
	begins     map[string]bool      // listeners that know no other objects
	due        map[string]time.Time // their next resyncs
}

// Publish returns a keeper that goes on with what others know: the objects of informers with what
// listeners have finished of them, and the segments that a keeper has published, of which those
// without a name in the first are forgotten. publish makes segments known to others, nil if there
// is no such listener any more, and blocks until it has; final is set in the last call.
func Publish(stored map[informer.InformerID]*informer.Stored, segments map[string][]byte,
	publish func(segments map[string][]byte, final bool) error, log *slog.Logger) (*Keeper, error) {
	p := &progress{publish: publish, informers: map[informer.InformerID]*position{},
		listeners: map[string]record.Set{}, changed: map[string]struct{}{}}
	k := &Keeper{published: p, out: p, due: func() bool { return false }, log: log,
		wake: make(chan struct{}, 1), waiting: stored, begun: map[informer.InformerID]string{},
		loaded: map[string]*Listener{}, selects: map[string]string{},
		alive: map[informer.InformerID]string{}, killed: map[informer.InformerID]bool{}}
	for name, segment := range segments {
		read, err := ReadProgress(segment)
		if err != nil {
			return nil, fmt.Errorf("listener %q: %w", name, err)
		}
		k.loaded[name], p.listeners[name] = &read.Listener, record.Set{}
		read.Records.Write(p.listeners[name])
		k.selects[name] = k.loaded[name].Select
	}
	for id, s := range stored {
		p.informer(whole(id, s))
	}
	return k, nil
}

// informer implements target.
func (p *progress) informer(c *informer.InformerCut) {
	at := p.informers[c.Informer]
	if at != nil && c.Whole {
		p.allChange(at) // they may have no part in it any more
	}
	if at == nil || c.Whole {
		at = newPosition()
		p.informers[c.Informer] = at
	}
	at.advance(c)
	for _, name := range c.Left {
		delete(at.unfinished, name)
		p.changed[name] = struct{}{}
	}
	for i := range c.Unfinished {
		at.apply(&c.Unfinished[i])
	}
	p.allChange(at)
}

// allChange notes that the listeners that have a part in an informer change.
func (p *progress) allChange(at *position) {
	for name := range at.unfinished {
		p.changed[name] = struct{}{}
	}
}

func newPosition() *position {
	return &position{Part: Part{Later: map[event.Key]uint64{}},
		unfinished: map[string]map[event.Key]informer.Unfinished{},
		begins:     map[string]bool{}, due: map[string]time.Time{}}
}

// advance notes the versions that a cut has.
func (at *position) advance(c *informer.InformerCut) {
	at.Version, at.Killed = c.Version, c.Killed
	complete := object.ParseVersion(c.Version)
	maps.DeleteFunc(at.Later, func(_ event.Key, v uint64) bool { return v <= complete })
	note := func(key event.Key, text string) {
		version := object.ParseVersion(text)
		at.Newest = max(at.Newest, version)
		if version > complete {
			at.Later[key] = version
		}
	}
	for o := range c.Objects {
		note(o.Key(), o.ResourceVersion())
	}
	for _, gone := range c.Gone {
		note(gone.Key, gone.Version)
	}
}

func (at *position) apply(t *informer.UnfinishedCut) {
	unfinished := at.unfinished[t.Subscription]
	if unfinished == nil || t.Whole {
		unfinished = map[event.Key]informer.Unfinished{}
		at.unfinished[t.Subscription] = unfinished
		at.begins[t.Subscription] = t.Begins
		delete(at.due, t.Subscription)
	}
	if !t.Due.IsZero() {
		at.due[t.Subscription] = t.Due
	}
	for _, e := range t.Entries {
		if e.Ended {
			delete(unfinished, e.Key)
		} else {
			unfinished[e.Key] = e
		}
	}
}

// informerEnded implements target.
func (p *progress) informerEnded(id informer.InformerID) {
	if at := p.informers[id]; at != nil {
		p.allChange(at)
		delete(p.informers, id)
	}
}

// unbound implements target.
func (p *progress) unbound(id informer.InformerID, listener string) {
	if at := p.informers[id]; at != nil {
		delete(at.unfinished, listener)
		p.changed[listener] = struct{}{}
	}
}

// forgotten implements target.
func (p *progress) forgotten(listener string) {
	delete(p.listeners, listener)
	for _, at := range p.informers {
		delete(at.unfinished, listener)
	}
	p.changed[listener] = struct{}{}
}

// listener implements target.
func (p *progress) listener(name string) record.Writer {
	p.writes = name
	return p
}

// written returns the records of the listener that is written, which change.
func (p *progress) written() record.Set {
	p.changed[p.writes] = struct{}{}
	return ofKey(p.listeners, p.writes)
}

// Reset implements record.Writer.
func (p *progress) Reset() { p.written().Reset() }

// Clear implements record.Writer.
func (p *progress) Clear(part string) { p.written().Clear(part) }

// Put implements record.Writer.
func (p *progress) Put(part string, key event.Key, value any, objects []*object.Object) {
	p.written().Put(part, key, value, objects)
}

// Delete implements record.Writer.
func (p *progress) Delete(part string, key event.Key) { p.written().Delete(part, key) }

// empty implements target.
func (p *progress) empty() bool { return len(p.changed) == 0 && !p.last }

// end implements target.
func (p *progress) end() error {
	if p.err != nil {
		return p.err
	}
	segments := make(map[string][]byte, len(p.changed))
	for name := range p.changed {
		if segments[name] = nil; p.listeners[name] != nil {
			segments[name] = p.segment(name)
		}
	}
	clear(p.changed)
	p.err = p.publish(segments, p.last)
	return p.err
}

// segment is what is published of a listener: blocks as in a log, with what it has finished of an
// informer in place of the objects.
type segment struct {
	_      struct{} `cbor:",toarray"`
	Format int
	Blocks [][]byte
}

const (
	positionPart = "position" // a savedPosition
	laterPart    = "later"    // versions, by key
)

// savedPosition is how far an informer is.
type savedPosition struct {
	_      struct{} `cbor:",toarray"`
	Newest uint64
	Killed bool
}

// segment returns the progress of a listener.
func (p *progress) segment(name string) []byte {
	s := segment{Format: checkpoint.Format}
	w := &writer{write: func(block []byte) error {
		s.Blocks = append(s.Blocks, bytes.Clone(block))
		return nil
	}}
	p.listeners[name].Write(w.listener(name))
	for id, at := range p.informers {
		unfinished, has := at.unfinished[name]
		if !has {
			continue
		}
		w.owner = owner{informer: id}
		w.Put(versionPart, event.Key{}, at.Version, nil)
		w.Put(positionPart, event.Key{}, &savedPosition{Newest: at.Newest, Killed: at.Killed}, nil)
		for key, version := range at.Later {
			w.Put(laterPart, key, version, nil)
		}
		w.unfinished(&informer.UnfinishedCut{Subscription: name, Whole: true, Begins: at.begins[name],
			Due: at.due[name], Entries: slices.Collect(maps.Values(unfinished))})
	}
	_ = w.end() // nothing of it can fail
	var b bytes.Buffer
	record.Encode(&b, &s)
	return b.Bytes()
}

// ReadProgress reads what a keeper has published of a listener.
func ReadProgress(published []byte) (*Progress, error) {
	var of segment
	if err := (record.Record{Value: published}).Decode(&of); err != nil {
		return nil, err
	}
	if of.Format != checkpoint.Format {
		return nil, checkpoint.ErrVersion
	}
	s := newState()
	for _, block := range of.Blocks {
		if err := s.addBlock(block); err != nil {
			return nil, err
		}
	}
	if len(s.listeners) != 1 || s.within {
		return nil, record.ErrDamaged
	}
	p := &Progress{Informers: map[informer.InformerID]*Part{}}
	for name, records := range s.listeners {
		l, err := readListener(records)
		if err != nil {
			return nil, err
		}
		p.Listener = *l
		for id, records := range s.informers {
			p.Resource = id.Resource
			if p.Informers[id], err = readPart(name, records); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

func readPart(listener string, records record.Set) (*Part, error) {
	stored, err := readInformer(records)
	if err != nil {
		return nil, err
	}
	var position savedPosition
	if err := records[positionPart][event.Key{}].Decode(&position); err != nil {
		return nil, err
	}
	part := &Part{Version: stored.Version, Newest: position.Newest, Killed: position.Killed,
		Begins: len(stored.Begins) > 0, Due: stored.Due[listener],
		Unfinished: stored.Unfinished[listener],
		Later:      map[event.Key]uint64{}}
	for key, r := range records[laterPart] {
		var version uint64
		if err := r.Decode(&version); err != nil {
			return nil, err
		}
		part.Later[key] = version
	}
	return part, nil
}
