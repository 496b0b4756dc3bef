package meter

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var (
	errEnd = errors.New("unexpected end")
	errLEB = errors.New("number is too long")
)

// reader walks over part of a file. It remembers its first error and gives zeros afterwards, so that callers check once
// for each item.
type reader struct {
	file     []byte
	pos, end int // offsets in file
	err      error
}

func (r *reader) more() bool { return r.err == nil && r.pos < r.end }

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = &UnmeterableError{Func: -1, Offset: r.pos, Reason: err.Error()}
	}
}

func (r *reader) failf(format string, args ...any) { r.fail(fmt.Errorf(format, args...)) }

func (r *reader) byte() byte {
	if r.err != nil || r.pos >= r.end {
		r.fail(errEnd)
		return 0
	}
	r.pos++
	return r.file[r.pos-1]
}

// zero passes over a byte that must be 0: the index of the only memory.
func (r *reader) zero() {
	if r.byte() != 0 {
		r.failf("a memory other than the first one")
	}
}

func (r *reader) take(n uint32) []byte {
	if r.err != nil || uint64(n) > uint64(r.end-r.pos) {
		r.fail(errEnd)
		return nil
	}
	r.pos += int(n)
	return r.file[r.pos-int(n) : r.pos]
}

// sub gives a reader for the next n bytes and moves behind them.
func (r *reader) sub(n uint32) *reader {
	start := r.pos
	r.take(n)
	return &reader{file: r.file, pos: start, end: r.pos, err: r.err}
}

// u32 reads an unsigned LEB128 number of at most 5 bytes.
func (r *reader) u32() uint32 {
	if r.err == nil && r.pos < r.end && r.file[r.pos] < 0x80 { // nearly always
		r.pos++
		return uint32(r.file[r.pos-1])
	}
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		c := r.byte()
		v |= uint64(c&0x7f) << shift
		if c&0x80 == 0 {
			if v > 0xffffffff {
				break
			}
			return uint32(v)
		}
	}
	r.fail(errLEB)
	return 0
}

// signed reads a signed LEB128 number of at most most bytes. What does not fit into the type is left to the engine to
// refuse.
func (r *reader) signed(most int) (v int64) {
	for i := range most {
		c := r.byte()
		v |= int64(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			if shift := 7 * (i + 1); c&0x40 != 0 && shift < 64 {
				v |= -1 << shift
			}
			return v
		}
	}
	r.fail(errLEB)
	return 0
}

// valueType passes over a value type, which is one byte. The engine knows longer ones, of later versions, and would see
// other instructions behind them.
func (r *reader) valueType() {
	switch t := r.byte(); t {
	case 0x7f, 0x7e, 0x7d, 0x7c, 0x7b, 0x70, 0x6f:
	default:
		r.failf("type %#x is not part of WebAssembly 2.0", t)
	}
}

// refType passes over a type of references.
func (r *reader) refType() {
	if t := r.byte(); t != 0x70 && t != 0x6f {
		r.failf("type %#x of references is not part of WebAssembly 2.0", t)
	}
}

// count reads the length of a vector whose items have at least one byte each.
func (r *reader) count() uint32 {
	n := r.u32()
	if uint64(n) > uint64(r.end-r.pos) {
		r.failf("%d items stated, but only %d bytes are left", n, r.end-r.pos)
		return 0
	}
	return n
}

func (r *reader) name() string { return string(r.take(r.u32())) }

// below reads an index that must be smaller than n. The rewritten module has more items than the original, which must
// not become names for them.
func (r *reader) below(n uint32, what string) uint32 {
	start := r.pos
	i := r.u32()
	if i >= n && r.err == nil {
		r.pos = start
		r.failf("there is no %s %d", what, i)
	}
	return i
}

func appendUint(b []byte, v uint32) []byte { return binary.AppendUvarint(b, uint64(v)) }

func appendSigned(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func appendName(b []byte, s string) []byte { return append(appendUint(b, uint32(len(s))), s...) }

func appendSection(b []byte, id byte, content []byte) []byte {
	return append(appendUint(append(b, id), uint32(len(content))), content...)
}
