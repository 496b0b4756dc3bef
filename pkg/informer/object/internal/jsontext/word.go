package jsontext

import "math/bits"

// The functions in this file look at eight bytes at a time: most of an object's text is strings,
// and most of these are short. The tests for a byte in a word are those of "Bit Twiddling Hacks"
// (Anderson, 2005). They are exact for the lowest byte that matches, which is the one wanted.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Word returns the eight bytes at i as a number, the first byte as the lowest. The compiler makes
// it one load.
func Word(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// specials returns a mask with the highest bit set of each byte of w that is a quote, a backslash
// or a control character.
func specials(w uint64) uint64 {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
}

// SpecialsOrNonASCII is like specials and also has the bytes that are not ASCII. Only its lowest
// bit is exact.
func SpecialsOrNonASCII(w uint64) uint64 {
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((quote - ones) | (slash - ones) | (w - ones*0x20) | w) & highs
}

// UnescapedRun returns the first place from i on with a quote, a backslash or a control character,
// len(s) if there is none.
func UnescapedRun(s string, i int) int {
	for i+8 <= len(s) {
		if x := specials(Word(s, i)); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		i += 8
	}
	for i < len(s) && s[i] != '"' && s[i] != '\\' && s[i] >= 0x20 {
		i++
	}
	return i
}

// ASCIIRun is like UnescapedRun, but also ends at the first byte that is not ASCII.
func ASCIIRun(s string, i int) int {
	for ; i+16 <= len(s); i += 16 {
		x, y := SpecialsOrNonASCII(Word(s, i)), SpecialsOrNonASCII(Word(s, i+8))
		if x|y == 0 {
			continue
		}
		if x == 0 {
			return i + 8 + bits.TrailingZeros64(y)/8
		}
		return i + bits.TrailingZeros64(x)/8
	}
	for i < len(s) && s[i] != '"' && s[i] != '\\' && s[i] >= 0x20 && s[i] < 0x80 {
		i++
	}
	return i
}

// CommonPrefix returns the length of the common prefix of a and b. Long stretches are compared by
// the runtime, which is faster at that than Go code.
func CommonPrefix(a, b string) int {
	n, i := min(len(a), len(b)), 0
	for ; i+8 <= n; i += 8 {
		if x := Word(a, i) ^ Word(b, i); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		if i&31 == 24 {
			for i+136 <= n && a[i+8:i+136] == b[i+8:i+136] {
				i += 128
			}
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
