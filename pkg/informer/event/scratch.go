package event

// Scratch reads fields of objects, packed ones by unpacking them into memory that it uses again: for those who look at many
// objects and keep none. It serves one goroutine. The zero value is ready.
type Scratch struct {
	object *Object
	buf    []byte
	from   uint32 // buf is the object's JSON from here on
}

// maxScratch is how much memory is kept for the next object.
const maxScratch = 256 << 10

// Set takes the object that Lookup is to read. Values and texts that came from the last one must not be used any more.
func (s *Scratch) Set(o *Object) {
	s.object = o
	s.buf = s.buf[:0]
	if cap(s.buf) > maxScratch {
		s.buf = nil
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
	switch {
	case len(s.buf) == 0:
		s.unpack(from)
	case from < s.from:
		// Values of the part that is there are in use: they keep it.
		s.buf = nil
		s.unpack(from)
	}
	return walk(view(s.buf[from-s.from:]), 0, steps)
}

// unpack fills buf with the JSON from a place on.
func (s *Scratch) unpack(from uint32) {
	s.from = from
	at := 0
	for it := s.object.operations(); it.left > 0; {
		piece := it.next()
		at += len(piece)
		if skip := int(from) - (at - len(piece)); skip > 0 {
			piece = piece[min(skip, len(piece)):]
		}
		s.buf = append(s.buf, piece...)
	}
}
