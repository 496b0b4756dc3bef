package event

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
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
	return scanValue(s, skipSpace(s, 0), 0)
}

func scanValue(s string, i, depth int) (int, error) {
	if i >= len(s) {
		return i, syntaxErr(s, i, "")
	}
	switch c := s[i]; {
	case c == '"':
		return scanString(s, i)
	case c == '{':
		return scanMembers(s, i, depth)
	case c == '[':
		return scanItems(s, i, depth)
	case c == '-' || c >= '0' && c <= '9':
		return scanNumber(s, i)
	case c == 't':
		return scanWord(s, i, "true")
	case c == 'f':
		return scanWord(s, i, "false")
	case c == 'n':
		return scanWord(s, i, "null")
	default:
		return i, syntaxErr(s, i, "a JSON value")
	}
}

// members walks the members of an object whose text nobody has checked. The caller moves at behind each value.
type members struct {
	s     string
	depth int // of the members' values
	at    int // behind what was read last
	start int // of the current member: the opening quote of its name
	name  string
	value int // where the current member's value begins
	begun bool
}

// enterObject begins a walk over the object that stands at i.
func enterObject(s string, i, depth int) (members, error) {
	if i >= len(s) || s[i] != '{' {
		return members{}, syntaxErr(s, i, "an object")
	}
	if depth >= maxDepth {
		return members{}, &SyntaxError{Offset: i, Err: fmt.Errorf("nested deeper than %d levels", maxDepth)}
	}
	return members{s: s, depth: depth + 1, at: i + 1}, nil
}

// next moves to the next member, or, when there is none, puts at behind the object and gives false.
func (m *members) next() (bool, error) {
	s, i := m.s, skipSpace(m.s, m.at)
	if i < len(s) && s[i] == '}' {
		m.at = i + 1
		return false, nil
	}
	if m.begun {
		if i >= len(s) || s[i] != ',' {
			return false, syntaxErr(s, i, "',' or '}'")
		}
		i = skipSpace(s, i+1)
	}
	m.begun = true
	if i >= len(s) || s[i] != '"' {
		return false, syntaxErr(s, i, "a member name")
	}
	end, err := scanString(s, i)
	if err != nil {
		return false, err
	}
	m.start, m.name = i, s[i+1:end-1]
	i = skipSpace(s, end)
	if i >= len(s) || s[i] != ':' {
		return false, syntaxErr(s, i, "':'")
	}
	m.value = skipSpace(s, i+1)
	return true, nil
}

// key is the current member's name with its escapes resolved.
func (m *members) key() string { return decodeString(m.name) }

func scanMembers(s string, i, depth int) (int, error) {
	m, err := enterObject(s, i, depth)
	if err != nil {
		return i, err
	}
	for {
		more, err := m.next()
		if err != nil || !more {
			return m.at, err
		}
		if m.at, err = scanValue(s, m.value, m.depth); err != nil {
			return m.at, err
		}
	}
}

func scanItems(s string, i, depth int) (int, error) {
	if depth >= maxDepth {
		return i, &SyntaxError{Offset: i, Err: fmt.Errorf("nested deeper than %d levels", maxDepth)}
	}
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		i, err = scanValue(s, i, depth+1)
		if err != nil {
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
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
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

// decodeString resolves the escapes of a string's inner text. A lone surrogate becomes U+FFFD, as in encoding/json.
func decodeString(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for at >= 0 && at+1 < len(s) {
		out = append(out, s[:at]...)
		var n int
		out, n = decodeEscape(out, s[at:])
		s = s[at+n:]
		at = strings.IndexByte(s, '\\')
	}
	return string(append(out, s...))
}

// decodeEscape appends what the escape at the start of s stands for, and gives its length.
func decodeEscape(out []byte, s string) ([]byte, int) {
	switch c := s[1]; c {
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	case 'u':
		r := hexRune(s)
		if utf16.IsSurrogate(r) {
			if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
				if pair := utf16.DecodeRune(r, hexRune(s[6:])); pair != utf8.RuneError {
					return utf8.AppendRune(out, pair), 12
				}
			}
			r = utf8.RuneError
		}
		return utf8.AppendRune(out, r), min(6, len(s))
	default:
		return append(out, c), 2
	}
}

// hexRune reads the four digits of an escape such as \u00e9.
func hexRune(s string) rune {
	var r rune
	for i := 2; i < 6 && i < len(s); i++ {
		r = r<<4 | rune(max(hexDigit(s[i]), 0))
	}
	return r
}

func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
