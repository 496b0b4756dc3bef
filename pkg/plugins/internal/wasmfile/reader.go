package wasmfile

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

var (
	errEnd  = errors.New("unexpected end")
	errLEB  = errors.New("number is too long")
	errUTF8 = errors.New("name is not valid UTF-8")
)

// reader walks over part of a file. It remembers its first error and gives zeros afterwards, so that callers check once
// for each item.
type reader struct {
	b   []byte
	at  int // offset in the file of b[0]
	err error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("offset %d: %w", r.at, err)
	}
	r.b = nil
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail(errEnd)
		return 0
	}
	c := r.b[0]
	r.b, r.at = r.b[1:], r.at+1
	return c
}

func (r *reader) take(n uint32) []byte {
	if uint64(n) > uint64(len(r.b)) {
		r.fail(errEnd)
		return nil
	}
	b := r.b[:n]
	r.b, r.at = r.b[n:], r.at+int(n)
	return b
}

// sub gives a reader for the next n bytes and moves behind them.
func (r *reader) sub(n uint32) *reader {
	at := r.at
	b := r.take(n)
	return &reader{b: b, at: at, err: r.err}
}

// u32 reads an unsigned LEB128 number of at most 5 bytes.
func (r *reader) u32() uint32 {
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

// skipLEB passes over a signed number of at most max bytes.
func (r *reader) skipLEB(max int) { r.signed(max) }

// signed reads a signed LEB128 number of at most max bytes. What does not fit into its type is left to the engine to refuse.
func (r *reader) signed(max int) (v int64) {
	for i := range max {
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

// count reads the length of a vector whose items have at least min bytes each.
func (r *reader) count(min int) uint32 {
	n := r.u32()
	if uint64(n)*uint64(min) > uint64(len(r.b)) {
		r.fail(fmt.Errorf("%d items stated, but only %d bytes are left", n, len(r.b)))
		return 0
	}
	return n
}

func (r *reader) name() string {
	b := r.take(r.u32())
	if !utf8.Valid(b) {
		r.fail(errUTF8)
		return ""
	}
	return string(b)
}
