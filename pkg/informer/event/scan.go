package event

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"
)

// This file checks text nobody has looked at yet. Each function takes the place where its value begins and gives the
// place behind it. Errors are *SyntaxError; when the text ends too early they wrap ErrTruncated, so that a reader of a
// stream knows to read on.

// ErrTruncated says that the text ends before the value does.
var ErrTruncated = errors.New("unexpected end of JSON text")

// maxDepth is how deep arrays and objects may stand in each other, the limit of encoding/json.
const maxDepth = 10000

// SyntaxError says where a text stops being a JSON object that informerd takes. It never quotes the text itself, since
// that may be a Secret.
type SyntaxError struct {
	Offset int // in bytes
	Err    error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("offset %d: %v", e.Offset, e.Err) }

// Unwrap gives the reason.
func (e *SyntaxError) Unwrap() error { return e.Err }

func syntaxErr(s string, i int, want string) error {
	if i >= len(s) {
		return &SyntaxError{Offset: len(s), Err: ErrTruncated}
	}
	return &SyntaxError{Offset: i, Err: fmt.Errorf("expected %s, found %q", want, s[i])}
}

// ScanValue checks the JSON value at the beginning of text, after white space, and gives the offset behind it.
func ScanValue(text []byte) (end int, err error) {
	s := view(text)
	c := checker{lax: true}
	return c.value(s, skipSpace(s, 0), 0)
}

// checker checks values, and notes whether an object in them might have a name twice. That is decided by hashes, so that
// it costs little; deduplicate looks closer.
type checker struct {
	names []uint64 // hashes of the names in the objects being read, innermost last
	twice bool
	lax   bool // names are not looked at
}

func (c *checker) value(s string, i, depth int) (int, error) {
	if i >= len(s) {
		return i, syntaxErr(s, i, "")
	}
	switch b := s[i]; {
	case b == '"':
		return scanString(s, i)
	case b == '{':
		return c.object(s, i, depth)
	case b == '[':
		return c.array(s, i, depth)
	case b == '-' || b >= '0' && b <= '9':
		return scanNumber(s, i)
	case b == 't':
		return scanWord(s, i, "true")
	case b == 'f':
		return scanWord(s, i, "false")
	case b == 'n':
		return scanWord(s, i, "null")
	default:
		return i, syntaxErr(s, i, "a JSON value")
	}
}

func (c *checker) object(s string, i, depth int) (int, error) {
	if err := tooDeep(i, depth); err != nil {
		return i, err
	}
	outer := len(c.names)
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1, nil
	}
	for {
		end, value, err := scanName(s, i)
		if err != nil {
			return end, err
		}
		if !c.lax {
			c.note(s[i+1 : end-1])
		}
		if i, err = c.value(s, value, depth+1); err != nil {
			return i, err
		}
		i = skipSpace(s, i)
		if i < len(s) && s[i] == '}' {
			c.leave(outer)
			return i + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, syntaxErr(s, i, "',' or '}'")
		}
		i = skipSpace(s, i+1)
	}
}

func (c *checker) array(s string, i, depth int) (int, error) {
	if err := tooDeep(i, depth); err != nil {
		return i, err
	}
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = c.value(s, i, depth+1); err != nil {
			return i, err
		}
		i = skipSpace(s, i)
		if i < len(s) && s[i] == ']' {
			return i + 1, nil
		}
		if i >= len(s) || s[i] != ',' {
			return i, syntaxErr(s, i, "',' or ']'")
		}
		i = skipSpace(s, i+1)
	}
}

func tooDeep(i, depth int) error {
	if depth < maxDepth {
		return nil
	}
	return &SyntaxError{Offset: i, Err: fmt.Errorf("nested deeper than %d levels", maxDepth)}
}

// scanName reads a member's name and the colon: end is behind the name, value where the value begins.
func scanName(s string, i int) (end, value int, err error) {
	if i >= len(s) || s[i] != '"' {
		return i, i, syntaxErr(s, i, "a member name")
	}
	if end, err = scanString(s, i); err != nil {
		return end, end, err
	}
	i = skipSpace(s, end)
	if i >= len(s) || s[i] != ':' {
		return i, i, syntaxErr(s, i, "':'")
	}
	return end, skipSpace(s, i+1), nil
}

// note remembers a name.
func (c *checker) note(name string) { c.names = append(c.names, hashName(name)) }

// nameSeed differs from process to process, so that nobody can write names which collide.
var nameSeed = maphash.MakeSeed()

// hashName returns the hash of a member's name, given as it is written. Names that are equal have the same hash, with
// whatever escapes they are written.
func hashName(s string) uint64 {
	if at := strings.IndexByte(s, '\\'); at >= 0 && oddEscape(s[at:]) {
		s = withoutOddEscapes(s)
	}
	n := len(s)
	if n < 8 {
		h := uint64(n)
		for i := range n {
			h = h<<8 | uint64(s[i])
		}
		return h
	}
	return maphash.String(nameSeed, s)
}

// leave forgets the names of an object that has been read, and looks whether two of them are equal.
func (c *checker) leave(outer int) {
	names := c.names[outer:]
	c.names = c.names[:outer]
	if c.twice {
		return
	}
	if len(names) > 32 {
		slices.Sort(names)
		for i := 1; i < len(names); i++ {
			c.twice = c.twice || names[i] == names[i-1]
		}
		return
	}
	for i, name := range names {
		for _, other := range names[:i] {
			if name == other {
				c.twice = true
			}
		}
	}
}

func scanString(s string, i int) (int, error) {
	for i++; ; {
		i = plainRun(s, i)
		if i >= len(s) {
			return i, syntaxErr(s, i, "")
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
			return i, syntaxErr(s, i, "no control character in a string")
		}
	}
}

func scanEscape(s string, i int) (int, error) {
	if i+1 >= len(s) {
		return i, syntaxErr(s, len(s), "")
	}
	switch s[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, nil
	case 'u':
		for j := i + 2; j < i+6; j++ {
			if j >= len(s) || hexDigit(s[j]) < 0 {
				return j, syntaxErr(s, j, "a hexadecimal digit")
			}
		}
		return i + 6, nil
	}
	return i + 1, syntaxErr(s, i+1, "an escape character")
}

func scanWord(s string, i int, word string) (int, error) {
	for j := range len(word) {
		if i+j >= len(s) || s[i+j] != word[j] {
			return i + j, syntaxErr(s, i+j, word)
		}
	}
	return i + len(word), nil
}

func scanNumber(s string, i int) (int, error) {
	if s[i] == '-' {
		i++
	}
	if i < len(s) && s[i] == '0' {
		i++
	} else {
		end := digits(s, i)
		if end == i {
			return i, syntaxErr(s, i, "a digit")
		}
		i = end
	}
	if i < len(s) && s[i] == '.' {
		end := digits(s, i+1)
		if end == i+1 {
			return end, syntaxErr(s, end, "a digit")
		}
		i = end
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		end := digits(s, i)
		if end == i {
			return end, syntaxErr(s, end, "a digit")
		}
		i = end
	}
	return i, nil
}

func digits(s string, i int) int {
	for i < len(s) && s[i] >= '0' && s[i] <= '9' {
		i++
	}
	return i
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plainRun gives the first place from i on that holds a quote, a backslash or a control character, len(s) if there is
// none. It looks at eight bytes at a time, since most of an object's text is strings; the tests for a byte in a word
// are those of "Bit Twiddling Hacks" (Anderson, 2005), exact for the lowest byte that matches, which is the one wanted.
func plainRun(s string, i int) int {
	for i+8 <= len(s) {
		w := word(s, i)
		quote := w ^ ones*'"'
		slash := w ^ ones*'\\'
		special := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
		if special != 0 {
			return i + bits.TrailingZeros64(special)/8
		}
		i += 8
	}
	for i < len(s) && s[i] != '"' && s[i] != '\\' && s[i] >= 0x20 {
		i++
	}
	return i
}

// word reads eight bytes, the first as the lowest: the compiler makes one load of it.
func word(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
