package codec

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// ErrDamaged is the error of bytes that are not what was appended.
var ErrDamaged = errors.New("it is not what was written")

// AppendUint appends a number.
func AppendUint(b []byte, n uint64) []byte { return binary.AppendUvarint(b, n) }

// AppendInt appends a number that may be negative.
func AppendInt(b []byte, n int64) []byte { return binary.AppendVarint(b, n) }

// AppendText appends a text with its length.
func AppendText[T string | []byte](b []byte, text T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// AppendBool appends a bool.
func AppendBool(b []byte, is bool) []byte {
	if is {
		return append(b, 1)
	}
	return append(b, 0)
}

// AppendTime appends a point in wall time. Its location is lost.
func AppendTime(b []byte, t time.Time) []byte {
	return binary.AppendUvarint(binary.AppendVarint(b, t.Unix()), uint64(t.Nanosecond()))
}

// Reader reads what was appended. The zero value has nothing to read.
type Reader struct {
	rest []byte
	err  error
}

// NewReader returns a reader of bytes, which must not change meanwhile.
func NewReader(b []byte) *Reader { return &Reader{rest: b} }

// Err returns why something could not be read: ErrDamaged, or what Fail was called with.
func (r *Reader) Err() error { return r.err }

// Fail has all that follows read as zero values. The first error stays.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err, r.rest = err, nil
	}
}

// More reports whether there is more to read.
func (r *Reader) More() bool { return len(r.rest) > 0 }

// End returns Err, or ErrDamaged if there is more to read.
func (r *Reader) End() error {
	if len(r.rest) > 0 {
		r.Fail(ErrDamaged)
	}
	return r.err
}

// Byte returns one byte.
func (r *Reader) Byte() byte {
	if len(r.rest) == 0 {
		r.Fail(ErrDamaged)
		return 0
	}
	b := r.rest[0]
	r.rest = r.rest[1:]
	return b
}

// Bool returns what AppendBool has appended.
func (r *Reader) Bool() bool {
	b := r.Byte()
	if b > 1 {
		r.Fail(ErrDamaged)
	}
	return b == 1
}

// Uint returns what AppendUint has appended.
func (r *Reader) Uint() uint64 {
	n, length := binary.Uvarint(r.rest)
	return take(r, n, length)
}

// Int returns what AppendInt has appended.
func (r *Reader) Int() int64 {
	n, length := binary.Varint(r.rest)
	return take(r, n, length)
}

func take[T int64 | uint64](r *Reader, n T, length int) T {
	if length <= 0 {
		r.Fail(ErrDamaged)
		return 0
	}
	r.rest = r.rest[length:]
	return n
}

// Count returns a number of things that follow, each of which takes at least one byte. So the
// caller may make room for all of them at once.
func (r *Reader) Count() int {
	n := r.Uint()
	if n > uint64(len(r.rest)) {
		r.Fail(ErrDamaged)
		return 0
	}
	return int(n)
}

// Small returns a number of at most 31 bits that AppendUint has appended.
func (r *Reader) Small() int {
	n := r.Uint()
	if n > math.MaxInt32 {
		r.Fail(ErrDamaged)
		return 0
	}
	return int(n)
}

// Bytes returns a text as a part of what is read.
func (r *Reader) Bytes() []byte {
	n := r.Count()
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// Text returns a copy of a text.
func (r *Reader) Text() string { return string(r.Bytes()) }

// Time returns a time, in UTC.
func (r *Reader) Time() time.Time {
	seconds, nanoseconds := r.Int(), r.Uint()
	if r.err != nil || nanoseconds >= uint64(time.Second) {
		r.Fail(ErrDamaged)
		return time.Time{}
	}
	return time.Unix(seconds, int64(nanoseconds)).UTC()
}
