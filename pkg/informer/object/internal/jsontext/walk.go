package jsontext

import (
	"math/bits"
	"strings"
)

// FindMember returns the place of the value of the first member named key in the object at i, -1 if
// there is none.
func FindMember(s string, i int, key string) int {
	i = SkipSpace(s, i)
	if i >= len(s) || s[i] != '{' {
		return -1
	}
	for i = NextToken(s, i+1); i < len(s) && s[i] == '"'; i = NextToken(s, i) {
		end := StringEnd(s, i)
		name := s[i+1 : max(i+1, end-1)]
		if strings.IndexByte(name, '\\') >= 0 {
			name = Unescape(name) // the spelling alone could be another name
		}
		i = NextToken(s, end) // the value, past the colon
		if name == key {
			return i
		}
		i = ValueEnd(s, i)
	}
	return -1
}

// FindItem returns the place of the n-th item, from 0, of the array at i, -1 if there is none.
func FindItem(s string, i, n int) int {
	i = SkipSpace(s, i)
	if i >= len(s) || s[i] != '[' {
		return -1
	}
	for i = NextToken(s, i+1); i < len(s) && s[i] != ']'; i = NextToken(s, i) {
		if n == 0 {
			return i
		}
		n--
		i = ValueEnd(s, i)
	}
	return -1
}

// SkipSpace returns the first place from i on that is not white space.
func SkipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// NextToken is like SkipSpace and also skips one comma or colon.
func NextToken(s string, i int) int {
	i = SkipSpace(s, i)
	if i < len(s) && (s[i] == ',' || s[i] == ':') {
		i = SkipSpace(s, i+1)
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// ValueEnd returns the end of the value at i. It is greater than i, except at the end of the text.
func ValueEnd(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	switch s[i] {
	case '"':
		return StringEnd(s, i)
	case '{', '[':
		return containerEnd(s, i)
	}
	start := i
	for i < len(s) && s[i] != ',' && s[i] != '}' && s[i] != ']' && !isSpace(s[i]) {
		i++
	}
	return max(i, min(start+1, len(s)))
}

// containerEnd returns the end of the object or array at i. It counts brackets outside of strings.
func containerEnd(s string, i int) int { return EnclosingEnd(s, i, 0) }

// EnclosingEnd returns the end of the depth-th object or array around place i; 1 is the innermost.
func EnclosingEnd(s string, i, depth int) int {
	for i < len(s) {
		switch s[i] {
		case '"':
			i = StringEnd(s, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(s)
}

// StringEnd returns the end of the string whose opening quote is at i.
func StringEnd(s string, i int) int {
	i++
	for words := 0; words < 4 && i+8 <= len(s); words++ {
		if x := specials(Word(s, i)); x != 0 {
			if i += bits.TrailingZeros64(x) / 8; s[i] == '"' {
				return i + 1
			}
			break
		}
		i += 8
	}
	return restOfString(s, i)
}

// restOfString is StringEnd from a place i within the string on, which must not be within an
// escape.
func restOfString(s string, i int) int {
	for {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return len(s)
		}
		quote, escapes := i+n, 0
		for quote-escapes > i && s[quote-escapes-1] == '\\' {
			escapes++
		}
		if i = quote + 1; escapes%2 == 0 {
			return i
		}
		// Where there is one escape, the next is often near, as in JSON within JSON.
		for i+8 <= len(s) {
			x := specials(Word(s, i))
			next := i + bits.TrailingZeros64(x)/8
			if x == 0 || s[next] != '"' && s[next] != '\\' {
				break
			}
			if s[next] == '"' {
				return next + 1
			}
			i = min(next+2, len(s))
		}
	}
}
