package codec

import (
	"errors"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// item is one thing that is appended and read.
type item struct {
	append func([]byte) []byte
	read   func(*Reader) bool // reports whether it is the same
}

func drawItem(t *rapid.T) item {
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		n := rapid.Uint64().Draw(t, "uint")
		return item{func(b []byte) []byte { return AppendUint(b, n) },
			func(r *Reader) bool { return r.Uint() == n }}
	case 1:
		n := rapid.Int64().Draw(t, "int")
		return item{func(b []byte) []byte { return AppendInt(b, n) },
			func(r *Reader) bool { return r.Int() == n }}
	case 2:
		text := rapid.String().Draw(t, "text")
		return item{func(b []byte) []byte { return AppendText(b, text) },
			func(r *Reader) bool { return r.Text() == text }}
	case 3:
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
		return item{func(b []byte) []byte { return AppendText(b, text) },
			func(r *Reader) bool { return string(r.Bytes()) == string(text) }}
	case 4:
		is := rapid.Bool().Draw(t, "bool")
		return item{func(b []byte) []byte { return AppendBool(b, is) },
			func(r *Reader) bool { return r.Bool() == is }}
	case 5:
		at := time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "seconds"),
			rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds")).UTC()
		if rapid.IntRange(0, 3).Draw(t, "zero") == 0 {
			at = time.Time{}
		}
		return item{func(b []byte) []byte { return AppendTime(b, at) },
			func(r *Reader) bool { return r.Time() == at }}
	default:
		n := rapid.IntRange(0, math.MaxInt32).Draw(t, "small")
		return item{func(b []byte) []byte { return AppendUint(b, uint64(n)) },
			func(r *Reader) bool { return r.Small() == n }}
	}
}

// What was appended is read as it was, and no part of it reads as the whole.
func TestWhatWasAppendedIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOf(rapid.Custom(drawItem)).Draw(t, "items")
		var b []byte
		for _, i := range items {
			b = i.append(b)
		}
		r := NewReader(b)
		for n, i := range items {
			if !i.read(r) {
				t.Fatalf("item %d is another one", n)
			}
		}
		if err := r.End(); err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 {
			return
		}
		r = NewReader(b[:rapid.IntRange(0, len(b)-1).Draw(t, "length")])
		for _, i := range items {
			i.read(r)
		}
		if err := r.End(); !errors.Is(err, ErrDamaged) {
			t.Fatalf("a part of it: %v", err)
		}
	})
}

func TestWhatWasNotAppended(t *testing.T) {
	overlong := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}
	for _, c := range []struct {
		name  string
		bytes []byte
		read  func(*Reader)
	}{
		{"a number of more than 64 bits", overlong, func(r *Reader) { r.Uint() }},
		{"a negative one", overlong, func(r *Reader) { r.Int() }},
		{"a text that is longer than the rest", AppendUint(nil, 1), func(r *Reader) { r.Text() }},
		{"a text without end", AppendUint(nil, math.MaxUint64), func(r *Reader) { r.Bytes() }},
		{"more things than bytes", append(AppendUint(nil, 3), 0, 0),
			func(r *Reader) { r.Count() }},
		{"a large number for a small one", AppendUint(nil, 1<<31), func(r *Reader) { r.Small() }},
		{"a bool that is neither", []byte{2}, func(r *Reader) { r.Bool() }},
		{"too many nanoseconds", AppendUint(AppendInt(nil, 1), 1e9), func(r *Reader) { r.Time() }},
		{"too much", []byte{0}, func(*Reader) {}},
		{"too little", nil, func(r *Reader) { r.Byte() }},
	} {
		r := NewReader(c.bytes)
		c.read(r)
		if err := r.End(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestTheFirstErrorStays(t *testing.T) {
	first := errors.New("first")
	r := NewReader([]byte{1, 2, 3})
	r.Fail(first)
	if r.Byte() != 0 || r.Uint() != 0 || r.Text() != "" || !r.Time().IsZero() || r.Count() != 0 {
		t.Error("something is read after an error")
	}
	if r.End() != first || r.Err() != first {
		t.Errorf("%v", r.Err())
	}
}
