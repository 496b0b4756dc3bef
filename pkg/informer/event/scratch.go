package event

// Scratch reads fields of objects, packed ones by unpacking them into memory that it uses again: for those who look at many
// objects and keep none. It serves one goroutine. The zero value is ready.
type Scratch struct {
	object *Object
	// What was unpacked, each to the end of the JSON. A Path begins at one of three places, so there are no more of them.
	tails [3]tail
	used  int
	// ahead is how far LookupAll has unpacked.
	ahead unpacking
}

// tail is an object's JSON from a place on.
type tail struct {
	from uint32
	text []byte
}

// maxScratch is how much memory is kept for the next object.
const maxScratch = 256 << 10

// Set takes the object that Lookup is to read. Values and texts that came from the last one must not be used any more.
func (s *Scratch) Set(o *Object) {
	s.object = o
	s.used = 0
	if s.ahead.text = s.ahead.text[:0]; cap(s.ahead.text) > maxScratch {
		s.ahead.text = nil
	}
}

// Lookup is as Path.Lookup. The value is good until the next Set.
func (s *Scratch) Lookup(path Path) Value {
	o := s.object
	if o.base == nil {
		return path.Lookup(o)
	}
	from, steps, ok := path.start(o)
	if !ok {
		return Value{}
	}
	t := s.tail(from)
	return walk(view(t.text), int(from-t.from), steps)
}

// tail gives the JSON from a place on, or from one before.
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
	if cap(t.text) > maxScratch {
		t.text = nil
	}
	t.text = s.object.appendJSON(t.text[:0], int(from))
	return t
}
