package filters

import (
	"slices"
	"unicode/utf8"
)

// slice returns a part of a list or of a text; limits beyond the ends are the ends.
func (e *Evaluator) slice(args ...any) any {
	if len(args) != 3 || args[0] == nil {
		return nil
	}
	if v := e.load(args[0]); v.kind == kindText {
		e.charge(1 + len(v.s)/scannedBytes)
		from, to := e.limits(args[1], args[2], utf8.RuneCountInString(v.s))
		start := byteOf(v.s, from)
		return v.s[start : start+byteOf(v.s[start:], to-from)]
	}
	items := e.anyItems(args[0])
	from, to := e.limits(args[1], args[2], len(items))
	return items[from:to:to]
}

// byteOf returns the place of the n-th character of a text, in bytes.
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

// indexOf makes indexOf and lastIndexOf: places are counted in characters, as len and slices do.
func (e *Evaluator) indexOf(name string, index func(text, part string) int) func(args ...any) any {
	return func(args ...any) any {
		if slices.ContainsFunc(args, isNil) {
			return nil
		}
		texts := [2]string{}
		for i, arg := range args {
			v := e.load(arg)
			if v.kind != kindText {
				fail("%s cannot take %s", name, typeName(arg))
			}
			e.charge(1 + len(v.s)/scannedBytes)
			texts[i%2] = v.s
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
		if v.kind == kindNil {
			return otherwise
		}
		if v.kind != kindInt {
			fail("the limits of a slice are ints, got %s", typeName(x))
		}
		if v.i < 0 {
			v.i += length
		}
		return min(max(v.i, 0), length)
	}
	from, to = limit(a, 0), limit(b, length)
	return min(from, to), to
}
