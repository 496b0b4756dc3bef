package wasmbin

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// MaxSize is the most bytes that a module may have.
const MaxSize = 64 << 20

// What is wrong with many a file.
var (
	ErrEnd  = errors.New("unexpected end")
	errLEB  = errors.New("number is too long")
	errUTF8 = errors.New("name is not valid UTF-8")
)

// Error is what is wrong and where.
type Error struct {
	Offset int // in the file
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("offset %d: %s", e.Offset, e.Reason) }

// Reader walks over part of a file. It remembers its first error and returns zeros afterwards, so
// that callers check once for each item. The zero value has nothing to read.
type Reader struct {
	File     []byte
	Pos, End int // offsets in File
	Err      error
}

// More reports whether there is something left, and no error.
func (r *Reader) More() bool { return r.Err == nil && r.Pos < r.End }

// left returns how many bytes remain, 0 after an error.
func (r *Reader) left() int {
	if r.Err != nil {
		return 0
	}
	return r.End - r.Pos
}

// Rest returns the remaining bytes, nil after an error.
func (r *Reader) Rest() []byte {
	if r.Err != nil {
		return nil
	}
	return r.File[r.Pos:r.End]
}

// Fail notes an error at where the reader stands.
func (r *Reader) Fail(format string, args ...any) { r.FailAt(r.Pos, format, args...) }

// FailAt notes an error somewhere else.
func (r *Reader) FailAt(offset int, format string, args ...any) {
	if r.Err == nil {
		r.Err = &Error{offset, fmt.Sprintf(format, args...)}
	}
}

// NothingLeft fails if there is something left.
func (r *Reader) NothingLeft() {
	if r.More() {
		r.Fail("%d bytes too many", r.left())
	}
}

// Byte reads a byte.
func (r *Reader) Byte() byte {
	if r.Err != nil || r.Pos >= r.End {
		r.Fail("%v", ErrEnd)
		return 0
	}
	r.Pos++
	return r.File[r.Pos-1]
}

// Take reads some bytes, which remain the file's.
func (r *Reader) Take(n uint32) []byte {
	if r.Err != nil || uint64(n) > uint64(r.End-r.Pos) {
		r.Fail("%v", ErrEnd)
		return nil
	}
	r.Pos += int(n)
	return r.File[r.Pos-int(n) : r.Pos]
}

// Sub returns a reader for the next n bytes and moves behind them.
func (r *Reader) Sub(n uint32) *Reader {
	start := r.Pos
	r.Take(n)
	return &Reader{File: r.File, Pos: start, End: r.Pos, Err: r.Err}
}

// U32 reads an unsigned LEB128 number of at most 5 bytes.
func (r *Reader) U32() uint32 {
	if r.Err == nil && r.Pos < r.End && r.File[r.Pos] < 0x80 { // nearly always
		r.Pos++
		return uint32(r.File[r.Pos-1])
	}
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.Byte()
		v |= uint64(c&0x7f) << shift
		if c&0x80 == 0 {
			if v > 0xffffffff {
				break
			}
			return uint32(v)
		}
	}
	r.Fail("%v", errLEB)
	return 0
}

// Signed reads a signed LEB128 number of at most most bytes. What does not fit into its type is
// left to the engine to refuse.
func (r *Reader) Signed(most int) (v int64) {
	for i := range most {
		c := r.Byte()
		v |= int64(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			if shift := 7 * (i + 1); c&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
	r.Fail("%v", errLEB)
	return 0
}

// Count reads the length of a vector whose items have at least least bytes each.
func (r *Reader) Count(least int) uint32 {
	n := r.U32()
	if uint64(n)*uint64(least) > uint64(r.End-r.Pos) {
		r.Fail("%d items stated, but only %d bytes are left", n, r.End-r.Pos)
		return 0
	}
	return n
}

// Name reads a text with its length before it.
func (r *Reader) Name() string {
	b := r.Take(r.U32())
	if !utf8.Valid(b) {
		r.Fail("%v", errUTF8)
		return ""
	}
	return string(b)
}

// Below reads an index that must be smaller than n.
func (r *Reader) Below(n uint32, what string) uint32 {
	start := r.Pos
	i := r.U32()
	if i >= n {
		r.FailAt(start, "there is no %s %d", what, i)
	}
	return i
}

// ValueType reads a value type, which is one byte. The engine knows longer ones, of later versions,
// and would see other instructions behind them.
func (r *Reader) ValueType() byte {
	t := r.Byte()
	r.checkValueType(t)
	return t
}

func (r *Reader) checkValueType(t byte) {
	switch t {
	case 0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f:
	default:
		r.Fail("value type %#x is not part of WebAssembly 2.0", t)
	}
}

// RefType reads a type of references.
func (r *Reader) RefType() byte {
	t := r.Byte()
	if t != 0x70 && t != 0x6f {
		r.Fail("reference type %#x is not part of WebAssembly 2.0", t)
	}
	return t
}

// Limits are the sizes of a table (in elements) or a memory (in pages).
type Limits struct {
	Min, Max uint32
	HasMax   bool
}

// Limits reads the sizes of a table or memory.
func (r *Reader) Limits() Limits {
	switch flag := r.Byte(); flag {
	case 0:
		return Limits{Min: r.U32()}
	case 1:
		return Limits{Min: r.U32(), Max: r.U32(), HasMax: true}
	default:
		r.Fail("limits of form %#x (shared or 64-bit) are not part of WebAssembly 2.0", flag)
		return Limits{}
	}
}

// firstMemory passes over the index of the only memory.
func (r *Reader) firstMemory() {
	if r.Byte() != 0 {
		r.Fail("a memory other than the first one")
	}
}
