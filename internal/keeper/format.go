package keeper

import (
	"bytes"
	"encoding/binary"
	"slices"
	"time"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// A block has a byte, which is its place in its cut, and entries up to its end. An entry is this:
//
//	verb     byte, with hasValue if there is a value
//	key      namespace and name, each a length and a text; both are empty if it is the first object's
//	objects  their number
//	value    CBOR
//	objects  as package object encodes them

// place is where a block is in its cut.
const (
	placeFirst = 1 << iota
	placeLast
)

// verb is what an entry says.
type verb uint8

const (
	// Entries are about the owner that was named last in their cut, and its part.
	verbInformer verb = iota + 1 // the value is an owner
	verbListener                 // the name is the owner
	verbPart                     // the name is the part
	verbReset
	verbClear
	verbPut
	verbDelete
	// verbEnded: there is no such informer any more.
	verbEnded
	// verbUnbound: the listener has no part in the informer any more.
	verbUnbound
	// verbForgotten: there is no such listener any more, in any informer.
	verbForgotten
	// verbPadding is for nothing but the bytes that it has.
	verbPadding
)

// hasValue is added to the verb of an entry that has a value.
const hasValue = 1 << 7

// The parts of an informer's records, and those of a listener that a keeper has itself. Each
// listener has a part of its own in an informer.
const (
	versionPart = "version" // a savedVersion
	objectsPart = "objects"
	gonePart    = "gone"    // the versions by which objects are gone, until versionPart has come there
	resyncsPart = "resyncs" // by listener: the time of the next one
	settledPart = "settled" // nothing was delivered after that
	// unfinishedPrefix and the name of a listener are what that has not finished: with no key
	// whether it begins, and a savedUnfinished for each object
	unfinishedPrefix = "unfinished "
	selectPart       = "select" // a listener's
	// ResourcePart is what a listener was about that is not in the configuration any more, nor at an
	// informer: an informer.Resource.
	ResourcePart = "resource"
)

// savedUnfinished is an object of which a listener has not finished the last event. Its record has
// the state, if there is one, and those that are gone.
type savedUnfinished uint64

const (
	unfinishedState savedUnfinished = 1 << iota // it knows one
	unfinishedPresent
	unfinishedSame
	unfinishedArrived // times the milliseconds since 1970 at which the first event came, if that is known
)

// sealPage is at least what a disk writes at once.
const sealPage = 4096

// blockSize is the size from which on a cut goes on in another block. Tests have smaller ones.
var blockSize = 1 << 20

// owner is an informer, or else a listener.
type owner struct {
	informer informer.InformerID
	listener string
}

// writer makes the blocks of one log or snapshot. Objects share texts among its blocks, so all of
// them have to be written, in their order. It is the record.Writer of the owner.
type writer struct {
	encoder object.Encoder
	write   func(block []byte) error
	block   bytes.Buffer
	owner   owner
	named   owner  // the owner that the cut has named last
	part    string // that the cut has named last of it
	begun   bool   // the cut has a block that was written
	err     error  // of a write; then there is nothing more to write

	objects []*object.Object // used again
}

// add adds an entry.
func (w *writer) add(v verb, key event.Key, value any, objects []*object.Object) {
	if w.block.Len() >= blockSize {
		w.flush(0)
	}
	if w.block.Len() == 0 {
		first := byte(0)
		if !w.begun {
			first = placeFirst
		}
		w.block.WriteByte(first)
	}
	if len(objects) > 0 && key == objects[0].Key() {
		key = event.Key{}
	}
	if value != nil {
		v |= hasValue
	}
	b := append(w.block.AvailableBuffer(), byte(v))
	for _, text := range []string{key.Namespace, key.Name} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	w.block.Write(binary.AppendUvarint(b, uint64(len(objects))))
	if value != nil {
		record.Encode(&w.block, value)
	}
	for _, o := range objects {
		w.block.Write(w.encoder.Append(w.block.AvailableBuffer(), o))
	}
}

// flush writes the block.
func (w *writer) flush(place byte) {
	if w.err != nil {
		return
	}
	w.block.Bytes()[0] |= place
	w.err = w.write(w.block.Bytes())
	w.begun = true
	if w.block.Reset(); w.block.Cap() > 4*blockSize {
		w.block = bytes.Buffer{}
	}
}

// end writes the rest of the cut, if there is anything in it, and returns the first error.
func (w *writer) end() error {
	if w.empty() {
		return w.err
	}
	if w.block.Len() == 0 {
		w.block.WriteByte(0)
	}
	w.flush(placeLast)
	w.begun, w.named, w.part = false, owner{}, ""
	return w.err
}

// empty reports whether the cut has nothing so far.
func (w *writer) empty() bool { return w.block.Len() == 0 && !w.begun }

// own names the owner, unless the cut has named it last.
func (w *writer) own() {
	if w.named == w.owner {
		return
	}
	w.named, w.part = w.owner, ""
	if w.owner.listener != "" {
		w.add(verbListener, event.Key{Name: w.owner.listener}, nil, nil)
	} else {
		w.add(verbInformer, event.Key{}, &w.owner.informer, nil)
	}
}

// in names the part of the owner, unless the cut has named it last.
func (w *writer) in(part string) {
	w.own()
	if w.part != part {
		w.part = part
		w.add(verbPart, event.Key{Name: part}, nil, nil)
	}
}

// Reset implements record.Writer.
func (w *writer) Reset() {
	w.own()
	w.add(verbReset, event.Key{}, nil, nil)
}

// Clear implements record.Writer.
func (w *writer) Clear(part string) {
	w.in(part)
	w.add(verbClear, event.Key{}, nil, nil)
}

// Put implements record.Writer.
func (w *writer) Put(part string, key event.Key, value any, objects []*object.Object) {
	w.in(part)
	w.add(verbPut, key, value, objects)
}

// Delete implements record.Writer.
func (w *writer) Delete(part string, key event.Key) {
	w.in(part)
	w.add(verbDelete, key, nil, nil)
}

// listener implements target.
func (w *writer) listener(name string) record.Writer {
	w.owner = owner{listener: name}
	return w
}

// informer implements target.
func (w *writer) informer(c *informer.InformerCut) {
	w.owner = owner{informer: c.Informer}
	if c.Whole {
		w.Reset()
	}
	w.Put(versionPart, event.Key{}, c.Version, nil)
	for _, name := range c.Left {
		w.Clear(unfinishedPrefix + name)
	}
	for o := range c.Objects {
		w.objects = append(w.objects[:0], o)
		w.Put(objectsPart, o.Key(), nil, w.objects)
	}
	for i := range c.Gone {
		w.Put(gonePart, c.Gone[i].Key, c.Gone[i].Version, nil)
	}
	for i := range c.Unfinished {
		w.unfinished(&c.Unfinished[i])
	}
}

// unfinished adds what a listener has finished of the informer, or not any more.
func (w *writer) unfinished(t *informer.UnfinishedCut) {
	part, resync := unfinishedPrefix+t.Subscription, event.Key{Name: t.Subscription}
	if t.Whole {
		w.Clear(part)
		w.Put(part, event.Key{}, t.Begins, nil)
		w.Delete(resyncsPart, resync)
	}
	if !t.Due.IsZero() {
		w.Put(resyncsPart, resync, t.Due.Truncate(time.Millisecond), nil)
	}
	for i := range t.Entries {
		e := &t.Entries[i]
		if e.Ended {
			w.Delete(part, e.Key)
			continue
		}
		w.objects = w.objects[:0]
		if e.State != nil {
			w.objects = append(w.objects, e.State)
		}
		w.objects = append(w.objects, e.Gone...)
		w.Put(part, e.Key, flags(e), w.objects)
	}
	clear(w.objects)
}

func flags(e *informer.Unfinished) (f savedUnfinished) {
	if e.State != nil {
		f |= unfinishedState
	}
	if e.Present {
		f |= unfinishedPresent
	}
	if e.Same {
		f |= unfinishedSame
	}
	if e.Arrived != 0 {
		f |= savedUnfinished(e.Arrived.Time().UnixMilli()) * unfinishedArrived
	}
	return f
}

// informerEnded implements target.
func (w *writer) informerEnded(id informer.InformerID) {
	w.owner = owner{informer: id}
	w.own()
	w.add(verbEnded, event.Key{}, nil, nil)
}

// unbound implements target.
func (w *writer) unbound(id informer.InformerID, listener string) {
	w.owner = owner{informer: id}
	w.own()
	w.add(verbUnbound, event.Key{Name: listener}, nil, nil)
}

// forgotten implements target.
func (w *writer) forgotten(listener string) {
	w.add(verbForgotten, event.Key{Name: listener}, nil, nil)
}

// settled notes whether something of an informer may have been delivered that no cut has.
func (w *writer) settled(id informer.InformerID, is bool) {
	if w.owner = (owner{informer: id}); is {
		w.Put(settledPart, event.Key{}, nil, nil)
	} else {
		w.Clear(settledPart)
	}
}

func (w *writer) padding(size int) { w.add(verbPadding, event.Key{}, make([]byte, size), nil) }

// reader reads the entries of blocks, in their order.
type reader struct {
	decoder object.Decoder
	owner   *owner // nil until one is named
	part    string
}

// change is an entry with what those before it say.
type change struct {
	owner *owner // the same for all that follow where it was named
	part  string
	verb  verb
	key   event.Key
	record.Record
}

// next reads an entry.
func (r *reader) next(b []byte) (c change, rest []byte, err error) {
	v, rest := b[0], b[1:]
	c.verb = verb(v &^ hasValue)
	var namespace, name []byte
	for _, to := range []*[]byte{&namespace, &name} {
		n, length := binary.Uvarint(rest)
		if length <= 0 || n > uint64(len(rest)-length) {
			return c, nil, record.ErrDamaged
		}
		*to, rest = rest[length:][:n], rest[length:][n:]
	}
	c.key = event.Key{Namespace: string(namespace), Name: string(name)}
	objects, length := binary.Uvarint(rest)
	if length <= 0 || objects > uint64(len(rest)) || objects > 0 && c.verb != verbPut {
		return c, nil, record.ErrDamaged
	}
	if rest = rest[length:]; v&hasValue != 0 {
		var value record.Raw
		if rest, err = record.DecodeFirst(rest, &value); err != nil {
			return c, nil, err
		}
		c.Value = value
	}
	c.Objects = slices.Grow(c.Objects, int(objects))
	for range objects {
		var o *object.Object
		if o, rest, err = r.decoder.Next(rest); err != nil {
			return c, nil, err
		}
		c.Objects = append(c.Objects, o)
	}
	if objects > 0 && c.key == (event.Key{}) {
		c.key = c.Objects[0].Key()
	}
	switch c.verb {
	case verbInformer:
		r.owner, r.part = &owner{}, ""
		err = c.Decode(&r.owner.informer)
	case verbListener:
		r.owner, r.part = &owner{listener: c.key.Name}, ""
	case verbPart:
		r.part = c.key.Name
	case verbReset, verbEnded, verbUnbound:
		if r.owner == nil || *r.owner == (owner{}) {
			err = record.ErrDamaged
		}
	case verbClear, verbPut, verbDelete:
		if r.owner == nil || *r.owner == (owner{}) || r.part == "" {
			err = record.ErrDamaged
		}
	case verbForgotten, verbPadding:
	default:
		err = record.ErrDamaged
	}
	c.owner, c.part = r.owner, r.part
	return c, rest, err
}
