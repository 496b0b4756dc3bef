package object

import (
	"github.com/klauspost/compress/zstd"

	"strings"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// The dense form. A dense object's text is the fields of its header, one after the other, and then
// its compressed JSON:
//
//	web-1shop0d6a-1...  <zstd of {"apiVersion":"v1",...}>
//	^ the header        ^ Object.literals
//
// Its base is the dictionary that the JSON was compressed with, nil if there was none. The
// invariant: the compressed JSON, decompressed with the dictionary, is the JSON of the object.

const (
	// minDense is the length below which an object is not made dense.
	minDense = 512
	// maxDensePercent is the memory of a dense object, in percent of what the object takes
	// otherwise, up to which it is worth it: a dense object costs more to read.
	maxDensePercent = 66
	// A dictionary consists of samples of objects, of no one more than maxSample bytes. Its size is
	// a sixteenth of what it is made for; below minDictionary there is none, and beyond
	// maxDictionary it would hardly be better (bench/packing).
	dictionaryShare = 16
	minDictionary   = 8 << 10
	maxDictionary   = 32 << 10
	maxSample       = 8 << 10
	// relearnRatio is how many times as much as for the last dictionary there must be for the next.
	relearnRatio = 4
)

// Condenser makes those objects of a store dense that nobody has replaced for a while. The store is
// walked in passes, some time apart; objects for which Cold returns true are passed to Condense. A
// Condenser serves one goroutine. The zero value is ready.
type Condenser struct {
	encoder      *zstd.Encoder // nil between passes
	dictionary   *align.Base   // of the encoder, and of the next ones
	learnedFrom  int           // bytes that the dictionary was made for
	seenBytes    int           // of objects seen before this pass
	newBytes     int           // of objects seen in this pass for the first time
	waitedPasses int
	dueNow       bool // the objects seen before are condensed in this pass
	text, out    []byte
}

// coldness is what a Condenser knows about an object. Nobody else uses it.
type coldness uint8

const (
	unseen coldness = iota
	seen
	incompressible // not smaller when dense
)

// Each pass that condenses something makes an encoder, which takes as long as condensing some 50
// KB. So less than minBatch waits, for up to maxWait passes.
const (
	minBatch = 64 << 10
	maxWait  = 8
)

// BeginPass begins a pass: Cold is called for each object of the store, and then EndPass.
func (c *Condenser) BeginPass() {
	c.seenBytes, c.newBytes = c.seenBytes+c.newBytes, 0
	c.waitedPasses++
	c.dueNow = c.seenBytes > minBatch || c.waitedPasses >= maxWait
}

// EndPass ends a pass and frees what is needed only within one.
func (c *Condenser) EndPass() {
	if c.dueNow {
		c.seenBytes, c.waitedPasses = 0, 0
	}
	c.encoder, c.text, c.out = nil, nil, nil
}

// Cold reports whether an object was there in an earlier pass and may take less memory if it is
// dense. An object whose text others refer to is not cold.
func (c *Condenser) Cold(o *Object) bool {
	if o.isDense || o.size < minDense || o.coldness == incompressible || o.sharesText() {
		return false
	}
	if o.coldness == unseen {
		o.coldness = seen
		c.newBytes += int(o.size)
		return false
	}
	return c.dueNow
}

// sharesText reports whether others need the object's text, or the one that it refers to.
func (o *Object) sharesText() bool {
	b := o.base
	if b == nil {
		b = o.ownBase
	}
	return b != nil && b.Held.Load() > 1
}

// Condense returns the dense form of an object, nil if it would hardly take less memory. others are
// objects that are about to be condensed; the dictionary is made of them.
func (c *Condenser) Condense(o *Object, others []*Object) *Object {
	if c.seenBytes > relearnRatio*c.learnedFrom {
		c.learn(others)
	}
	if c.encoder == nil {
		c.encoder = newEncoder(c.dictionary.Dictionary())
	}
	c.text = o.AppendJSON(c.text[:0])
	c.out = c.encoder.EncodeAll(c.text, c.out[:0])
	d := o.compressed(c.out, c.dictionary)
	takes := len(o.text)
	if o.base != nil {
		takes += len(o.base.Text) + o.base.Overhead()
	}
	if len(d.text)*100 > takes*maxDensePercent {
		o.coldness = incompressible
		return nil
	}
	return d
}

// learn makes a dictionary for the objects seen before this pass.
func (c *Condenser) learn(from []*Object) {
	c.learnedFrom = max(c.seenBytes, maxDictionary)
	size := min(c.seenBytes/dictionaryShare, maxDictionary)
	if size < minDictionary {
		return
	}
	var text strings.Builder
	text.Grow(size)
	for _, o := range from {
		sample := o.slice(0, min(o.size, maxSample))
		text.WriteString(sample[:min(len(sample), size-text.Len())])
	}
	if text.Len() >= minDictionary {
		c.dictionary, c.encoder = &align.Base{Text: text.String()}, nil
	}
}

// compressed returns the dense form with the object's compressed JSON.
func (o *Object) compressed(json []byte, dictionary *align.Base) *Object {
	d := &Object{typeMeta: o.typeMeta, header: o.header, size: o.size, base: dictionary,
		isDense: true}
	var b strings.Builder
	b.Grow(int(o.header.identitySize()) + len(json))
	for _, f := range d.header.identity() {
		text := o.str(*f)
		f.from = uint32(b.Len())
		b.WriteString(text)
	}
	d.literals = uint32(b.Len())
	b.Write(json)
	d.text = b.String()
	return d
}
