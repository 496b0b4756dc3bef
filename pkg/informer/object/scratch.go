package object

import (
	"sync"

	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// Scratch reads fields of objects, packed ones by unpacking them into memory that it uses again:
// for those who look at many objects and keep none. It serves one goroutine. The zero value is
// ready.
type Scratch struct {
	object *Object
	// What was unpacked. A Path begins at one of three places, so there are no more of them.
	tails [3]tail
	used  int
	// ahead is how far LookupAll has unpacked.
	unpacked unpacker
	// expanded is a dense object's JSON, once it was needed.
	expanded []byte
}

// tail is an object's JSON from a place on, as far as it was unpacked.
type tail struct {
	from    uint32
	text    []byte
	decoder delta.Decoder // what is left
}

// firstTail is how much of a tail is unpacked at first: most fields that are asked for are not far
// behind its beginning.
const firstTail = 512

// maxScratch is how much memory is kept for the next object. What exceeds it is kept where the
// collector finds it: it would have to be grown, step by step, for each of several large objects.
const maxScratch = 256 << 10

var largeTails sync.Pool

// release lets go of memory that is large.
func (t *tail) release() {
	if cap(t.text) > maxScratch {
		large := t.text[:0]
		largeTails.Put(&large)
		t.text = nil
	}
}

// add appends a piece. Memory that is large is made for all that is left.
func (t *tail) add(piece string) {
	if need := len(t.text) + len(piece); need > cap(t.text) && need > maxScratch {
		need += t.decoder.Remaining
		had := *t
		if large, _ := largeTails.Get().(*[]byte); large != nil && cap(*large) >= need {
			t.text = *large
		} else {
			t.text = make([]byte, 0, need)
		}
		t.text = append(t.text, had.text...)
	}
	t.text = append(t.text, piece...)
}

// Set takes the object that Lookup is to read. Values and texts that came from the last one must
// not be used any more.
func (s *Scratch) Set(o *Object) {
	s.object = o
	for i := range s.used {
		s.tails[i].release()
	}
	s.used = 0
	if s.unpacked.text = s.unpacked.text[:0]; cap(s.unpacked.text) > maxScratch {
		s.unpacked.text = nil
	}
	if s.expanded = s.expanded[:0]; cap(s.expanded) > maxScratch {
		s.expanded = nil
	}
}

// Lookup is as Path.Lookup. The value is good until the next Set.
func (s *Scratch) Lookup(path Path) Value {
	o := s.object
	from, steps, ok := path.start(o)
	if !ok {
		return Value{}
	}
	if text, whole := s.fullText(); whole {
		return walk(text, int(from), steps)
	}
	for t := s.tail(from); ; t.unpack(4 * len(t.text)) {
		text := view(t.text)
		i := find(text, int(from-t.from), steps)
		if i >= 0 {
			// One that does not end before the text does may go on.
			if v := valueAt(text, i); v.kind != Missing &&
				jsontext.SkipSpace(text, i)+len(v.raw) < len(text) || t.decoder.Remaining == 0 {
				return v
			}
		}
		if t.decoder.Remaining == 0 {
			return Value{}
		}
	}
}

// whole returns the JSON of a plain or dense object. A dense one is decompressed once.
func (s *Scratch) fullText() (text string, ok bool) {
	o := s.object
	switch {
	case o.isPlain():
		return o.text[:o.size], true
	case !o.dense:
		return "", false
	case len(s.expanded) == 0:
		s.expanded = o.AppendJSON(s.expanded)
	}
	return view(s.expanded), true
}

// tail returns the JSON from a place on, or from one before, as far as it was unpacked.
func (s *Scratch) tail(from uint32) *tail {
	for i := range s.used {
		if s.tails[i].from <= from {
			return &s.tails[i]
		}
	}
	// Those that are there begin later. Values in use may be part of them.
	t := &s.tails[s.used]
	s.used++
	t.from = from
	t.text, t.decoder = t.text[:0], s.object.operations()
	for skip := int(from); ; {
		piece := t.decoder.Next()
		if skip < len(piece) {
			t.add(piece[skip:])
			break
		}
		skip -= len(piece)
	}
	t.unpack(firstTail)
	return t
}

// unpack has at least n bytes unpacked, if there are as many.
func (t *tail) unpack(n int) {
	for t.decoder.Remaining > 0 && len(t.text) < n {
		t.add(t.decoder.Next())
	}
}
