package object

import (
	"sync"

	"github.com/informerd/informerd/pkg/informer/object/internal/delta"
	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// Scratch reads fields of many objects, one object after the other. It unpacks packed and dense
// ones into memory that it uses again. It serves one goroutine. The zero value is ready.
type Scratch struct {
	object *Object
	// suffixes are what Lookup has unpacked: used of them, in no order. There are three at most, as
	// a Path begins at one of three places.
	suffixes [3]suffix
	used     int
	unpacked unpacker // by LookupAll
	expanded []byte   // the JSON of a dense object, if it was needed
}

// suffix is the JSON of a packed object from a place on, unpacked as far as it was needed.
type suffix struct {
	from    uint32
	text    []byte
	decoder delta.Decoder // of the rest
}

// firstSuffix is how much of a suffix is unpacked at first: most fields that are looked up are near
// its beginning.
const firstSuffix = 512

// maxScratch is the largest buffer that a Scratch keeps for the next object. Larger ones go to
// largeBuffers, where the garbage collector finds them: growing a new one for each large object
// would take several steps.
const maxScratch = 256 << 10

// largeBuffers are shared by all Scratches.
var largeBuffers sync.Pool

// release releases a large buffer.
func (t *suffix) release() {
	if cap(t.text) > maxScratch {
		large := t.text[:0]
		largeBuffers.Put(&large)
		t.text = nil
	}
}

// add appends a piece. A large buffer is made with room for the whole rest.
func (t *suffix) add(piece string) {
	if need := len(t.text) + len(piece); need > cap(t.text) && need > maxScratch {
		need += t.decoder.Remaining
		had := *t
		if large, _ := largeBuffers.Get().(*[]byte); large != nil && cap(*large) >= need {
			t.text = *large
		} else {
			t.text = make([]byte, 0, need)
		}
		t.text = append(t.text, had.text...)
	}
	t.text = append(t.text, piece...)
}

// Set sets the object to read. Values that came from the last one must not be used any more.
func (s *Scratch) Set(o *Object) {
	s.object = o
	for i := range s.used {
		s.suffixes[i].release()
	}
	s.used = 0
	if s.unpacked.text = s.unpacked.text[:0]; cap(s.unpacked.text) > maxScratch {
		s.unpacked.text = nil
	}
	if s.expanded = s.expanded[:0]; cap(s.expanded) > maxScratch {
		s.expanded = nil
	}
}

// Lookup is like Path.Lookup. The value is valid until the next Set.
func (s *Scratch) Lookup(path Path) Value {
	o := s.object
	from, steps, ok := path.start(o)
	if !ok {
		return Value{}
	}
	if text, whole := s.fullText(); whole {
		return walk(text, int(from), steps)
	}
	for t := s.suffixFrom(from); ; t.unpack(4 * len(t.text)) {
		text := view(t.text)
		i := find(text, int(from-t.from), steps)
		if i >= 0 {
			// A value that ends where the text does may be incomplete.
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

// fullText returns the JSON of a plain or dense object, and false for a packed one. A dense one is
// decompressed once.
func (s *Scratch) fullText() (text string, ok bool) {
	o := s.object
	switch {
	case o.isPlain():
		return o.text[:o.size], true
	case !o.isDense:
		return "", false
	case len(s.expanded) == 0:
		s.expanded = o.AppendJSON(s.expanded)
	}
	return view(s.expanded), true
}

// suffixFrom returns a suffix that begins at a place or before.
func (s *Scratch) suffixFrom(from uint32) *suffix {
	for i := range s.used {
		if s.suffixes[i].from <= from {
			return &s.suffixes[i]
		}
	}
	// The others begin later. They are kept, as values in use may be part of them.
	t := &s.suffixes[s.used]
	s.used++
	t.from = from
	t.text, t.decoder = t.text[:0], s.object.delta()
	for skip := int(from); ; {
		piece := t.decoder.Next()
		if skip < len(piece) {
			t.add(piece[skip:])
			break
		}
		skip -= len(piece)
	}
	t.unpack(firstSuffix)
	return t
}

// unpack unpacks the first n bytes of a suffix, or all of it if it is shorter.
func (t *suffix) unpack(n int) {
	for t.decoder.Remaining > 0 && len(t.text) < n {
		t.add(t.decoder.Next())
	}
}

// unpacker unpacks a packed object from front to back, in parts.
type unpacker struct {
	text    []byte // unpacked and kept
	decoder delta.Decoder
	rest    string // of the last piece
}

func (u *unpacker) begin(o *Object) { u.decoder, u.rest = o.delta(), "" }

// next unpacks n bytes and keeps or skips them.
func (u *unpacker) next(n int, keep bool) {
	for n > 0 {
		if u.rest == "" {
			u.rest = u.decoder.Next()
			continue
		}
		part := u.rest[:min(n, len(u.rest))]
		u.rest = u.rest[len(part):]
		n -= len(part)
		if keep {
			u.text = append(u.text, part...)
		}
	}
}
