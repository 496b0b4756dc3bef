package object

import (
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"github.com/informerd/informerd/pkg/informer/object/internal/compress"
)

// This file makes and reads dense objects. A dense object's text is the fields of its header, one
// behind the other, and then the compressed JSON. Its base is the dictionary that this was
// compressed against, nil if there was none.

const (
	// minDense is how long an object must be to be made dense.
	minDense = 512
	// worthDensing is how many percent of what it takes an object may take once it is dense. To
	// read it costs more.
	maxDensePercent = 66
	// A dictionary is a sixteenth of what it is made for. What is too little for a short one has
	// none; what exceeds maxDictionary is hardly better for it (bench/packing). It is samples of
	// objects, of no one more than maxSample.
	dictionaryShare = 16
	minDictionary   = 8 << 10
	maxDictionary   = 32 << 10
	maxSample       = 8 << 10
	// learnAgain is how many times as much as a dictionary was made for there must be for the next
	// one.
	relearnRatio = 4
)

// Condenser makes dense the objects of a store that nobody has replaced for a while. The store is
// walked through in passes, some time apart: what Cold reports true of is given to Condense. One
// goroutine may use it. The zero value is ready.
type Condenser struct {
	encoder    *zstd.Encoder // nil between passes
	dictionary *align.Base   // of the encoder, and the next ones
	learned    int           // for how many bytes the dictionary was made
	expected   int           // bytes of what was seen before this pass, and young those since
	young      int
	waited     int  // passes for more
	dueNow     bool // what is expected is condensed in this pass
	text, out  []byte
}

// coldness is what a Condenser knows of an object. Nobody else looks at it.
type coldness uint8

const (
	unseen coldness = iota
	seen
	incompressible // it does not get smaller
)

// An encoder is made for each pass that has something to do. It takes as long as to condense some
// 50 KB, so less than that waits, for maxWait passes.
const (
	minBatch = 64 << 10
	maxWait  = 8
)

// BeginPass says that all objects will be asked about, EndPass that they were.
func (c *Condenser) BeginPass() {
	c.expected, c.young = c.expected+c.young, 0
	c.waited++
	c.dueNow = c.expected > minBatch || c.waited >= maxWait
}

// EndPass frees what is needed within a pass alone.
func (c *Condenser) EndPass() {
	if c.dueNow {
		c.expected, c.waited = 0, 0
	}
	c.encoder, c.text, c.out = nil, nil, nil
}

// Cold reports whether an object was there in an earlier pass, and may take less if it is dense.
// The text that others refer to has to stay as it is.
func (c *Condenser) Cold(o *Object) bool {
	if o.dense || o.size < minDense || o.coldness == incompressible || o.isReferredTo() {
		return false
	}
	if o.coldness == unseen {
		o.coldness = seen
		c.young += int(o.size)
		return false
	}
	return c.dueNow
}

// isReferredTo reports whether the object's text, or the one that it refers to, is needed by
// others.
func (o *Object) isReferredTo() bool {
	b := o.base
	if b == nil {
		b = o.ownBase
	}
	return b != nil && b.Held.Load() > 1
}

// Condense returns the dense form of an object, nil if that would hardly take less. Others are what
// it may learn from: some that are about to be condensed.
func (c *Condenser) Condense(o *Object, others []*Object) *Object {
	if c.expected > relearnRatio*c.learned {
		c.learn(others)
	}
	if c.encoder == nil {
		c.encoder = compress.NewEncoder(c.dictionary.Dictionary())
	}
	c.text = o.AppendJSON(c.text[:0])
	c.out = c.encoder.EncodeAll(c.text, c.out[:0])
	d := o.densified(c.out, c.dictionary)
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

// learn makes the dictionary for what is expected.
func (c *Condenser) learn(from []*Object) {
	c.learned = max(c.expected, maxDictionary)
	size := min(c.expected/dictionaryShare, maxDictionary)
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

// densified returns the object with its JSON compressed.
func (o *Object) densified(compressed []byte, dictionary *align.Base) *Object {
	d := &Object{typeMeta: o.typeMeta, header: o.header, size: o.size, base: dictionary,
		dense: true}
	var b strings.Builder
	b.Grow(int(o.header.identitySize()) + len(compressed))
	for _, f := range d.header.identity() {
		text := o.str(*f)
		f.from = uint32(b.Len())
		b.WriteString(text)
	}
	d.literals = uint32(b.Len())
	b.Write(compressed)
	d.text = b.String()
	return d
}
