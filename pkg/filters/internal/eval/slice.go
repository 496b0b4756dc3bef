package eval

import (
	"slices"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// slice returns a part of a list or of a text; limits beyond the ends are the ends.
func (e *Evaluator) slice(args ...any) any {
	if len(args) != 3 || args[0] == nil {
		return nil
	}
	if v := e.load(args[0]); v.Kind == values.KindText {
		e.charge(1 + len(v.Text)/scannedBytes)
		from, to := e.limits(args[1], args[2], utf8.RuneCountInString(v.Text))
		start := byteOf(v.Text, from)
		return v.Text[start : start+byteOf(v.Text[start:], to-from)]
	}
	items := e.anyItems(args[0])
	from, to := e.limits(args[1], args[2], len(items))
	return items[from:to:to]
}

// byteOf returns the offset in bytes of the n-th character of a text.
func byteOf(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// indexOf returns indexOf or lastIndexOf: places are counted in characters, as len and
// slices do.
func (e *Evaluator) indexOf(name string, index func(text, part string) int) func(args ...any) any {
	return func(args ...any) any {
		if slices.ContainsFunc(args, values.IsNil) {
			return nil
		}
		texts := [2]string{}
		for i, arg := range args {
			v := e.load(arg)
			if v.Kind != values.KindText {
				fail("%s cannot take %s", name, values.TypeName(arg))
			}
			e.charge(1 + len(v.Text)/scannedBytes)
			texts[i%2] = v.Text
		}
		at := index(texts[0], texts[1])
		if at < 0 {
			return -1
		}
		return utf8.RuneCountInString(texts[0][:at])
	}
}

func (e *Evaluator) limits(a, b any, length int) (from, to int) {
	limit := func(x any, otherwise int) int {
		v := e.load(x)
		if v.Kind == values.KindNil {
			return otherwise
		}
		if v.Kind != values.KindInt {
			fail("the limits of a slice are ints, got %s", values.TypeName(x))
		}
		if v.Int < 0 {
			v.Int += length
		}
		return min(max(v.Int, 0), length)
	}
	from, to = limit(a, 0), limit(b, length)
	return min(from, to), to
}
