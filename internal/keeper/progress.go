package keeper

import (
	"bytes"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/internal/route"
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
// are Ahead of it, but for what Told lists.
type Part struct {
	Version string
	// Ahead are versions of objects, or by which they were gone, that are after Version.
	Ahead map[event.Key]uint64
	// Newest is the newest version of an object that the informer has had, gone ones included.
	Newest uint64
	// Killed: a process before was killed, and may have delivered what comes after Version.
	Killed bool
	// Begins: the listener knows no other object than those that Told lists.
	Begins bool
	Due    time.Time // of the next resync, zero if there is none
	Told   []informer.Told
}

// progress are the cuts of a keeper that does not keep objects. It is a target.
type progress struct {
	// publish makes what listeners have finished known, those that there are no more included as
	// nil. final: nothing comes after it. It blocks until that is done.
	publish func(segments map[string][]byte, final bool) error

	informers map[informer.InformerID]*position
	listeners map[string]*Listener
	changed   map[string]struct{} // listeners, since the last publication
	encoder   object.Encoder      // of the cut that is being made
	reader    *reader             // of what the encoder has appended
	err       error
	last      bool
}

// position is how far an informer is.
type position struct {
	Part
	told   map[string]map[event.Key]informer.Told
	begins map[string]bool      // listeners that know no other objects
	due    map[string]time.Time // their next resyncs
}

// Publish returns a keeper that goes on with what others know: the objects of informers with what
// listeners have finished of them, and the segments that a keeper has published, of which those
// without a name in the first are forgotten. publish makes segments known to others, nil if there
// is no such listener any more, and blocks until it has; final is set in the last call.
func Publish(stored map[informer.InformerID]*informer.Stored, segments map[string][]byte,
	publish func(segments map[string][]byte, final bool) error, log *slog.Logger) (*Keeper, error) {
	p := &progress{publish: publish, informers: map[informer.InformerID]*position{},
		listeners: map[string]*Listener{}, changed: map[string]struct{}{}, reader: &reader{}}
	k := &Keeper{published: p, out: p, due: func() bool { return false }, log: log,
		wake: make(chan struct{}, 1), waiting: stored, begun: map[informer.InformerID]string{},
		loaded: map[string]*Listener{}, selects: map[string]string{},
		alive: map[informer.InformerID]string{}, killed: map[informer.InformerID]bool{}}
	for name, segment := range segments {
		for _, to := range []map[string]*Listener{k.loaded, p.listeners} { // they share nothing
			read, err := ReadProgress(segment)
			if err != nil {
				return nil, fmt.Errorf("listener %q: %w", name, err)
			}
			to[name] = &read.Listener
		}
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
	if at == nil {
		at = newPosition(Part{})
		p.informers[c.Informer] = at
	}
	if c.Whole {
		for name := range at.told { // it may have no part in it any more
			p.changed[name] = struct{}{}
		}
		*at = *newPosition(Part{Newest: at.Newest})
	}
	at.advance(c)
	for _, name := range c.Left {
		delete(at.told, name)
		p.changed[name] = struct{}{}
	}
	for i := range c.Told {
		at.apply(&c.Told[i])
	}
	for name := range at.told {
		p.changed[name] = struct{}{}
	}
}

func newPosition(p Part) *position {
	return &position{Part: p, told: map[string]map[event.Key]informer.Told{},
		begins: map[string]bool{}, due: map[string]time.Time{}}
}

// advance notes the versions that a cut has.
func (at *position) advance(c *informer.InformerCut) {
	at.Version, at.Killed = c.Version, c.Killed
	complete := parseVersion(c.Version)
	maps.DeleteFunc(at.Ahead, func(_ event.Key, v uint64) bool { return v <= complete })
	note := func(key event.Key, text string) {
		version := parseVersion(text)
		at.Newest = max(at.Newest, version)
		if version > complete {
			if at.Ahead == nil {
				at.Ahead = map[event.Key]uint64{}
			}
			at.Ahead[key] = version
		}
	}
	for o := range c.Objects {
		note(o.Key(), o.ResourceVersion())
	}
	for _, gone := range c.Gone {
		note(gone.Key, gone.Version)
	}
}

func (at *position) apply(t *informer.ToldCut) {
	told := at.told[t.Subscription]
	if told == nil || t.Whole {
		told = map[event.Key]informer.Told{}
		at.told[t.Subscription] = told
		at.begins[t.Subscription] = t.Begins
		delete(at.due, t.Subscription)
	}
	if !t.Due.IsZero() {
		at.due[t.Subscription] = t.Due
	}
	for _, e := range t.Entries {
		if e.Ended {
			delete(told, e.Key)
		} else {
			told[e.Key] = e
		}
	}
}

// informerEnded implements target.
func (p *progress) informerEnded(id informer.InformerID) {
	if at := p.informers[id]; at != nil {
		for name := range at.told {
			p.changed[name] = struct{}{}
		}
		delete(p.informers, id)
	}
}

// unbound implements target.
func (p *progress) unbound(id informer.InformerID, listener string) {
	if at := p.informers[id]; at != nil {
		delete(at.told, listener)
		p.changed[listener] = struct{}{}
	}
}

// forgotten implements target.
func (p *progress) forgotten(listener string) {
	delete(p.listeners, listener)
	for _, at := range p.informers {
		delete(at.told, listener)
	}
	p.changed[listener] = struct{}{}
}

// listener implements target.
func (p *progress) listener(name, selects string, cut []byte) {
	to := p.listeners[name]
	if to == nil {
		to = &Listener{}
		p.listeners[name] = to
	}
	to.Select = selects
	p.changed[name] = struct{}{}
	if len(cut) > 0 && p.err == nil {
		p.err = to.Route.Apply(bytes.Clone(cut), p.reader.decode)
	}
}

// appendObject implements target.
func (p *progress) appendObject(to []byte, o *object.Object) []byte {
	return p.encoder.Append(to, o)
}

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
	p.encoder, p.reader = object.Encoder{}, &reader{}
	p.err = p.publish(segments, p.last)
	return p.err
}

// segment returns the progress of a listener.
//
//	version    byte
//	select     text
//	route      bytes, a cut of everything
//	informers  for each: its id, version, newest version, whether killed, whether it begins, when
//	           the next resync is; a count of those ahead, each a key and a version; a count of
//	           those told, each as in a block
func (p *progress) segment(name string) []byte {
	l := p.listeners[name]
	w := &writer{block: []byte{formatVersion}}
	w.putText(l.Select)
	w.block = codec.AppendText(w.block, l.Route.Append(nil, w.appendObject))
	for id, at := range p.informers {
		told, has := at.told[name]
		if !has {
			continue
		}
		w.putID(id)
		w.putText(at.Version)
		w.block = codec.AppendBool(codec.AppendUint(w.block, at.Newest), at.Killed)
		w.block = codec.AppendBool(w.block, at.begins[name])
		w.putTime(at.due[name])
		w.block = codec.AppendUint(w.block, uint64(len(at.Ahead)))
		for key, version := range at.Ahead {
			w.putKey(key)
			w.block = codec.AppendUint(w.block, version)
		}
		w.putEntries(slices.Collect(maps.Values(told)))
	}
	return w.block
}

// ReadProgress reads what a keeper has published of a listener.
func ReadProgress(segment []byte) (*Progress, error) {
	r := &reader{Reader: *codec.NewReader(segment)}
	if version := r.Byte(); r.Err() == nil && version != formatVersion {
		return nil, route.ErrVersion
	}
	p := &Progress{Informers: map[informer.InformerID]*Part{}}
	p.Select = r.Text()
	if cut := r.Bytes(); r.Err() == nil {
		if err := p.Route.Apply(bytes.Clone(cut), r.decode); err != nil {
			return nil, err
		}
	}
	for r.More() {
		id := r.id()
		part := &Part{Version: r.Text(), Newest: r.Uint(), Killed: r.Bool(),
			Begins: r.Bool(), Due: r.time(), Ahead: map[event.Key]uint64{}}
		for range r.Count() {
			part.Ahead[r.key()] = r.Uint()
		}
		part.Told = r.entries()
		p.Informers[id] = part
	}
	return p, r.End()
}

// parseVersion returns a resourceVersion as a number, 0 if it is none.
func parseVersion(version string) uint64 {
	n, _ := strconv.ParseUint(version, 10, 64)
	return n
}
