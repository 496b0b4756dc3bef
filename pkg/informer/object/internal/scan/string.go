package scan

import (
	"math/bits"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// String checks the string at i and returns its end.
func (sc *Scanner) String(s string, i int) (int, error) {
	for i++; i+8 <= len(s); i += 8 {
		if x := jsontext.SpecialsOrNonASCII(jsontext.Word(s, i)); x != 0 {
			if i += bits.TrailingZeros64(x) / 8; s[i] == '"' {
				return i + 1, nil
			}
			break
		}
	}
	return sc.restOfString(s, i)
}

// restOfString is String from a place i within the string on.
func (sc *Scanner) restOfString(s string, i int) (int, error) {
	for {
		i = jsontext.ASCIIRun(s, i)
		if i < len(s) && s[i] >= 0x80 {
			sc.NonASCII = true
			i = jsontext.UnescapedRun(s, i)
		}
		if i >= len(s) {
			return i, Unexpected(s, i, "")
		}
		switch s[i] {
		case '"':
			return i + 1, nil
		case '\\':
			end, err := scanEscape(s, i)
			if err != nil {
				return end, err
			}
			i = end
		default:
			return i, Unexpected(s, i, "no control character in a string")
		}
	}
}

// scanEscape checks the escape at i and returns its end.
func scanEscape(s string, i int) (int, error) {
	if i+1 >= len(s) {
		return i, Unexpected(s, len(s), "")
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, nil
	case 'u':
		for j := i + 2; j < i+6; j++ {
			if j >= len(s) || jsontext.HexDigit(s[j]) < 0 {
				return j, Unexpected(s, j, "a hexadecimal digit")
			}
		}
		return i + 6, nil
	}
	return i + 1, Unexpected(s, i+1, "an escape character")
}
