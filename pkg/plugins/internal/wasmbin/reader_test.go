package wasmbin

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func over(b []byte) *Reader {
	return &Reader{File: append([]byte("before"), b...), Pos: 6, End: 6 + len(b)}
}

func TestNumbersComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, s := rapid.Uint32().Draw(t, "unsigned"), rapid.Int64().Draw(t, "signed")
		name := rapid.String().Draw(t, "name")
		r := over(AppendName(AppendSigned(AppendUint(nil, u), s), name))
		if got := r.U32(); got != u {
			t.Errorf("got %d, want %d", got, u)
		}
		if got := r.Signed(10); got != s {
			t.Errorf("got %d, want %d", got, s)
		}
		if got := r.Name(); got != name || r.More() || r.Err != nil {
			t.Errorf("got %q, want %q; %v", got, name, r.Err)
		}
	})
}

// After its first error a reader keeps it, returns zeros and stays where it is.
func TestErrorsLast(t *testing.T) {
	for _, test := range []struct {
		name  string
		bytes string
		read  func(*Reader)
		want  string
	}{
		{"byte", "", func(r *Reader) { r.Byte() }, "offset 6: unexpected end"},
		{"bytes", "abc", func(r *Reader) { r.Take(4) }, "offset 6: unexpected end"},
		{"part", "abc", func(r *Reader) { r.Sub(math.MaxUint32) }, "offset 6: unexpected end"},
		{"six bytes", "\x80\x80\x80\x80\x80\x00", func(r *Reader) {
			r.U32()
		}, "offset 11: number is too long"},
		{"33 bits", "\xff\xff\xff\xff\x1f", func(r *Reader) {
			r.U32()
		}, "offset 11: number is too long"},
		{"signed", "\x80\x80\x00", func(r *Reader) { r.Signed(2) }, "offset 8: number is too long"},
		{"cut off", "\x80", func(r *Reader) { r.U32() }, "offset 7: unexpected end"},
		{"count", "\x02abc", func(r *Reader) {
			r.Count(2)
		}, "offset 7: 2 items stated, but only 3 bytes are left"},
		{"name", "\x02\xff\xff", func(r *Reader) { r.Name() }, "offset 9: name is not valid UTF-8"},
		{"index", "\x05", func(r *Reader) { r.Below(5, "table") }, "offset 6: there is no table 5"},
		{"left", "ab", func(r *Reader) { r.NothingLeft() }, "offset 6: 2 bytes too many"},
		{"memory", "\x01", func(r *Reader) {
			r.GrowMemory()
		}, "offset 7: a memory other than the first one"},
		{"block", "\xbf\x7f", func(r *Reader) {
			r.blockType()
		}, "offset 8: block of the unknown type -65"},
		{"constant", "\x6a", func(r *Reader) {
			r.ConstExpr(nil)
		}, "offset 7: instruction 0x6a in a constant expression"},
	} {
		r := over([]byte(test.bytes))
		test.read(r)
		var e *Error
		if !errors.As(r.Err, &e) || e.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, r.Err, test.want)
		}
		pos := r.Pos
		if r.Byte() != 0 || r.U32() != 0 || r.Signed(5) != 0 || r.Count(1) != 0 || r.Name() != "" ||
			r.Take(0) != nil ||
			r.left() != 0 || r.Rest() != nil || r.More() || r.Sub(0).Err == nil || r.Pos != pos ||
			r.Err != error(e) {
			t.Errorf("%s: it goes on after its error: %+v", test.name, r)
		}
	}
}

func TestSplit(t *testing.T) {
	file := AppendSection(AppendSection(AppendSection([]byte(Preamble), SectionType, []byte("ab")), SectionCustom,
		nil), SectionDataCount, []byte("c"))
	secs, err := Split(file)
	want := []Section{{SectionType, 8, 10, 12}, {SectionCustom, 12, 14, 14}, {SectionDataCount, 14, 16, 17}}
	if err != nil || len(secs) != 3 || secs[0] != want[0] || secs[1] != want[1] ||
		secs[2] != want[2] {
		t.Errorf("got %v, %v, want %v", secs, err, want)
	}
	if content := secs[0].Reader(file).Rest(); !bytes.Equal(content, []byte("ab")) {
		t.Errorf("got %q", content)
	}
	for cut := len(Preamble) + 1; cut < len(file); cut++ {
		_, err := Split(file[:cut])
		if whole := cut == 12 || cut == 14; whole != (err == nil) {
			t.Errorf("cut off at %d: %v", cut, err)
		}
	}
}

// FuzzReader reads anything as everything: it does not panic and does not move behind its end.
func FuzzReader(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3}, []byte("\x02\x40\xfc\x0b\x00\xfd\x0c\x80\x01"))
	f.Fuzz(func(t *testing.T, what, b []byte) {
		r := over(b)
		for _, w := range what {
			before := r.Pos
			switch w % 12 {
			case 0:
				r.U32()
			case 1:
				r.Signed(int(w) % 11)
			case 2:
				r.Name()
			case 3:
				r.Limits()
			case 4:
				r.ConstExpr(func(byte) { r.U32() })
			case 5:
				r.blockType()
			case 6:
				r.BulkOp()
			case 7:
				r.Immediates(r.Byte(), uint32(w))
			case 8:
				r.Targets(BrTable, func(uint32) {})
			case 9:
				if n := r.Count(2); int(n)*2 > r.left() {
					t.Fatalf("%d items in %d bytes", n, r.left())
				}
			case 10:
				r.Sub(uint32(w)).ValueType()
			case 11:
				r.RefType()
			}
			if r.Pos < before || r.Pos > r.End {
				t.Fatalf("it is at %d of %d", r.Pos, r.End)
			}
		}
		_, _ = Split(append([]byte(Preamble), b...))
	})
}
