package meter

import "fmt"

// Bounds of what Rewrite and Fallback take and make.
const (
	MaxSize = 8 << 20  // of a module
	maxOut  = 64 << 20 // of a rewritten one
	maxBody = 7 << 20  // of a rewritten function; the engine takes little more
)

// The charges, in units. An instruction costs one.
const (
	bytesPerUnit  = 16 // of a range of the memory
	unitsPerPage  = 64 << 10 / bytesPerUnit
	leave         = 64 // for instructions that leave native code
	smallFunction = 64 // a function this small need not check, if it calls no other one
)

// DefaultMaxTable is the most elements of a table unless Options say otherwise.
const DefaultMaxTable = 65_536

// Options say how a module is rewritten. The zero value is usable.
type Options struct {
	// MaxTable is the maximum that tables get which have none or a larger one; default is DefaultMaxTable.
	MaxTable uint32
}

func (o Options) withDefaults() Options {
	if o.MaxTable == 0 {
		o.MaxTable = DefaultMaxTable
	}
	return o
}

// Metered is a module that pays for what it does.
type Metered struct {
	Module []byte
	// Fuel is the name of the exported global that holds the fuel; see Tank.
	Fuel string
}

// UnmeterableError tells why a module cannot be rewritten. Most of these modules are invalid, which the engine finds too.
type UnmeterableError struct {
	Func   int    // index of the function it was found in, imported ones counted; -1 outside of functions
	Name   string // of that function, if the module has names
	Offset int    // in the file
	Reason string
}

func (e *UnmeterableError) Error() string {
	where := ""
	switch {
	case e.Func >= 0 && e.Name != "":
		where = fmt.Sprintf("function %d (%q), ", e.Func, e.Name)
	case e.Func >= 0:
		where = fmt.Sprintf("function %d, ", e.Func)
	}
	return fmt.Sprintf("the module cannot be metered: %soffset %d: %s", where, e.Offset, e.Reason)
}

// Rewrite makes a module that can run only as far as its fuel goes. Errors are of type *UnmeterableError.
func Rewrite(file []byte, o Options) (Metered, error) {
	m, err := parse(file, o.withDefaults())
	if err != nil {
		return Metered{}, err
	}
	out, err := m.rewrite()
	if err != nil {
		return Metered{}, err
	}
	return Metered{Module: out, Fuel: m.fuel}, nil
}

// Fallback puts an empty loop at the begin of each function, for a module that cannot be rewritten: an engine that looks
// at its context in loops does so in calls then, too. Errors are of type *UnmeterableError.
func Fallback(file []byte) ([]byte, error) {
	secs, err := split(file)
	if err != nil {
		return nil, err
	}
	for i, s := range secs {
		if s.id == secCustom {
			r := s.reader(file)
			if r.name(); r.err != nil {
				return nil, r.err
			}
		}
		if s.id != secCode {
			continue
		}
		if secs[i].content, err = withLoops(s.reader(file)); err != nil {
			return nil, err
		}
	}
	return join(secs), nil
}

// withLoops makes a code section with an empty loop at the begin of each function.
func withLoops(r *reader) ([]byte, error) {
	n := r.count()
	out := appendUint(nil, n)
	for range n {
		b := r.sub(r.u32())
		start := b.pos
		skipLocals(b)
		if r.err == nil {
			r.err = b.err
		}
		if r.err != nil {
			return nil, r.err
		}
		out = appendUint(out, uint32(b.end-start+3))
		out = append(out, b.file[start:b.pos]...)
		out = append(out, opLoop, 0x40, opEnd)
		out = append(out, b.file[b.pos:b.end]...)
	}
	if r.more() {
		r.failf("%d bytes too many", r.end-r.pos)
	}
	return out, r.err
}

func skipLocals(b *reader) {
	for range b.count() {
		b.u32()
		b.valueType()
		if b.err != nil {
			return
		}
	}
}
