package keeper

import (
	"fmt"
	"math"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/internal/codec"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// formatVersion is the version of the blocks. No other one is read.
//
//	version  byte
//	place    byte: whether the block is the first one of its cut, and whether it is the last
//	records  each a kind, and what that says, up to the end of the block
const formatVersion = 1

// place is where a block is in its cut.
const (
	placeFirst = 1 << iota
	placeLast
)

// kind is what a record is about.
type kind byte

const (
	// kindInformer begins what a cut has of an informer, to which the next three belong.
	kindInformer kind = iota + 1
	kindObject
	kindGone
	kindTold
	// kindInformerEnded: nothing of an informer counts any more.
	kindInformerEnded
	// kindUnbound: a listener has no part in an informer any more.
	kindUnbound
	kindListener
	// kindForgotten: there is no such listener any more, in any informer.
	kindForgotten
	// kindPadding is for nothing but the bytes that it has.
	kindPadding
	// kindSettled: of an informer, nothing is delivered after this. kindBegun: from here on,
	// anything of any informer may be.
	kindSettled
	kindBegun
)

// sealPage is at least what a disk writes at once.
const sealPage = 4096

// blockSize is the size from which on a cut goes on in another block. Tests have smaller ones.
var blockSize = 1 << 20

// writer makes the blocks of one log or snapshot. Objects share texts among its blocks, so all of
// them have to be written, in their order.
type writer struct {
	encoder object.Encoder
	write   func(block []byte) error
	block   []byte
	object  []byte // the last one, used again
	begun   bool   // the cut has a block that was written
	err     error  // of a write; then there is nothing more to write
}

// record begins a record.
func (w *writer) record(k kind) {
	if len(w.block) >= blockSize {
		w.flush(0)
	}
	if len(w.block) == 0 {
		first := byte(0)
		if !w.begun {
			first = placeFirst
		}
		w.block = append(w.block, formatVersion, first)
	}
	w.block = append(w.block, byte(k))
}

// flush writes the block.
func (w *writer) flush(place byte) {
	if w.err != nil {
		return
	}
	w.block[1] |= place
	w.err = w.write(w.block)
	w.block, w.begun = w.block[:0], true
	if cap(w.block) > 4*blockSize {
		w.block = nil
	}
}

// end writes the rest of the cut, if there is anything in it, and returns the first error.
func (w *writer) end() error {
	if w.empty() {
		return w.err
	}
	if len(w.block) == 0 {
		w.block = append(w.block, formatVersion, 0)
	}
	w.flush(placeLast)
	w.begun = false
	return w.err
}

// empty reports whether the cut has nothing so far.
func (w *writer) empty() bool { return len(w.block) == 0 && !w.begun }

// appendObject appends an object to bytes, as routes do.
func (w *writer) appendObject(to []byte, o *object.Object) []byte { return w.encoder.Append(to, o) }

func (w *writer) putObject(o *object.Object) {
	w.object = w.encoder.Append(w.object[:0], o)
	w.block = codec.AppendText(w.block, w.object)
}

func (w *writer) putText(text string) { w.block = codec.AppendText(w.block, text) }

func (w *writer) putKey(k event.Key) {
	w.putText(k.Namespace)
	w.putText(k.Name)
}

func (w *writer) putID(id informer.InformerID) {
	r := id.Resource
	for _, text := range []string{r.Group, r.Version, r.Resource, r.Kind, id.Scope.Namespace,
		id.Scope.LabelSelector, id.Scope.FieldSelector, id.Keeps} {
		w.putText(text)
	}
}

// informer adds an informer's cut.
func (w *writer) informer(c *informer.InformerCut) {
	w.record(kindInformer)
	w.putID(c.Informer)
	w.block = codec.AppendBool(w.block, c.Whole)
	w.putText(c.Version)
	w.block = codec.AppendUint(w.block, uint64(len(c.Left)))
	for _, name := range c.Left {
		w.putText(name)
	}
	for o := range c.Objects {
		w.record(kindObject)
		w.putObject(o)
	}
	for _, gone := range c.Gone {
		w.record(kindGone)
		w.putKey(gone.Key)
		w.putText(gone.Version)
	}
	for i := range c.Told {
		w.told(&c.Told[i])
	}
}

func (w *writer) told(t *informer.ToldCut) {
	w.record(kindTold)
	w.putText(t.Subscription)
	w.block = codec.AppendBool(codec.AppendBool(w.block, t.Whole), t.Begins)
	w.putTime(t.Due)
	w.putEntries(t.Entries)
}

// putTime adds a time, to the millisecond.
func (w *writer) putTime(t time.Time) {
	ms := int64(0)
	if !t.IsZero() {
		ms = max(t.UnixMilli(), 1)
	}
	w.block = codec.AppendUint(w.block, uint64(ms))
}

func (w *writer) putEntries(all []informer.Told) {
	w.block = codec.AppendUint(w.block, uint64(len(all)))
	for i := range all {
		e := &all[i]
		w.putKey(e.Key)
		w.block = codec.AppendBool(codec.AppendBool(w.block, e.Ended), e.State != nil)
		if e.State != nil {
			w.putObject(e.State)
		}
		w.block = codec.AppendBool(codec.AppendBool(w.block, e.Present), e.Same)
		w.block = codec.AppendUint(w.block, uint64(len(e.Gone)))
		for _, o := range e.Gone {
			w.putObject(o)
		}
	}
}

func (w *writer) settled(id informer.InformerID) {
	w.record(kindSettled)
	w.putID(id)
}

func (w *writer) informerEnded(id informer.InformerID) {
	w.record(kindInformerEnded)
	w.putID(id)
}

func (w *writer) unbound(id informer.InformerID, listener string) {
	w.record(kindUnbound)
	w.putID(id)
	w.putText(listener)
}

// listener adds what a listener's route has cut, and by which select it has its objects.
func (w *writer) listener(name, selects string, cut []byte) {
	w.record(kindListener)
	w.putText(name)
	w.putText(selects)
	w.block = codec.AppendText(w.block, cut)
}

func (w *writer) forgotten(listener string) {
	w.record(kindForgotten)
	w.putText(listener)
}

func (w *writer) padding(size int) {
	w.record(kindPadding)
	w.block = codec.AppendText(w.block, make([]byte, size))
}

// reader reads blocks, in their order.
type reader struct {
	decoder object.Decoder
	codec.Reader
}

// block begins a block, and returns where it is in its cut.
func (r *reader) block(b []byte) (place byte, err error) {
	r.Reader = *codec.NewReader(b)
	version := r.Byte()
	if place = r.Byte(); r.Err() == nil && version != formatVersion {
		return place, fmt.Errorf("%w: it has version %d, and version %d is known",
			checkpoint.ErrVersion, version, formatVersion)
	}
	return place, r.Err()
}

func (r *reader) id() (id informer.InformerID) {
	for _, text := range []*string{&id.Resource.Group, &id.Resource.Version, &id.Resource.Resource,
		&id.Resource.Kind, &id.Scope.Namespace, &id.Scope.LabelSelector, &id.Scope.FieldSelector,
		&id.Keeps} {
		*text = r.Text()
	}
	return id
}

func (r *reader) entries() []informer.Told {
	n := r.Count()
	all := make([]informer.Told, 0, n)
	for range n {
		e := informer.Told{Key: r.key(), Ended: r.Bool()}
		if has := r.Bool(); has {
			e.State = r.object()
		}
		e.Present, e.Same = r.Bool(), r.Bool()
		for range r.Count() {
			e.Gone = append(e.Gone, r.object())
		}
		if r.Err() != nil {
			return nil
		}
		all = append(all, e)
	}
	return all
}

func (r *reader) time() time.Time {
	ms := r.Uint()
	if ms == 0 || ms > math.MaxInt64 {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms))
}

func (r *reader) key() event.Key { return event.Key{Namespace: r.Text(), Name: r.Text()} }

func (r *reader) object() *object.Object {
	text := r.Bytes()
	if r.Err() != nil {
		return nil
	}
	o, err := r.decode(text)
	if err != nil {
		r.Fail(err)
	}
	return o
}

// decode reads an object that is all of a text.
func (r *reader) decode(text []byte) (*object.Object, error) {
	o, rest, err := r.decoder.Next(text)
	if err == nil && len(rest) > 0 {
		err = codec.ErrDamaged
	}
	return o, err
}
