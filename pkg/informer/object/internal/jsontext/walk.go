package jsontext

import (
	"math/bits"
	"strings"
)

// This file reads text that Parser.Parse has found valid, and so checks nothing again. Positions
// are byte offsets into that text; -1 means "not there". Text that is not valid gives wrong answers
// here, but never a read outside of it.

// findMember gives the place of the first member named key in the object that begins at i.
func FindMember(s string, i int, key string) int {
	i = SkipSpace(s, i)
	if i >= len(s) || s[i] != '{' {
		return -1
	}
	for i = NextToken(s, i+1); i < len(s) && s[i] == '"'; i = NextToken(s, i) {
		end := StringEnd(s, i)
		name := s[i+1 : max(i+1, end-1)]
		if strings.IndexByte(name, '\\') >= 0 {
			name = Unescape(name) // as it is written, it could be another one
		}
		i = NextToken(s, end) // the value, past the colon
		if name == key {
			return i
		}
		i = ValueEnd(s, i)
	}
	return -1
}

// findItem gives the place of the n-th item of the array that begins at i.
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

// skipSpace gives the first place from i on that is no white space.
func SkipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// nextToken is skipSpace that also passes one comma or colon.
func NextToken(s string, i int) int {
	i = SkipSpace(s, i)
	if i < len(s) && (s[i] == ',' || s[i] == ':') {
		i = SkipSpace(s, i+1)
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// skipTrusted gives the place behind the value that begins at i. It always moves on.
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

// skipNested gives the place behind the object or array that begins at i: brackets outside of
// strings are counted.
func containerEnd(s string, i int) int { return EnclosingEnd(s, i, 0) }

// skipOpen returns the place behind the depth-th object or array around i, 1 being the innermost.
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

// stringEnd returns the place behind the string whose opening quote is at i.
func StringEnd(s string, i int) int {
	i++
	for few := 0; few < 4 && i+8 <= len(s); few++ {
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

// restOfTrusted is stringEnd from a place within the string on, which is not within an escape.
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
	}
}
