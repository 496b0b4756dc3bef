package jsontext

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Unescape decodes a string's text between its quotes. It returns s itself if that has no escapes.
// A lone surrogate becomes U+FFFD, as in encoding/json.
func Unescape(s string) string {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s
	}
	out := make([]byte, 0, len(s))
	for at >= 0 && at+1 < len(s) {
		out = append(out, s[:at]...)
		var n int
		out, n = appendEscape(out, s[at:])
		s = s[at+n:]
		at = strings.IndexByte(s, '\\')
	}
	return string(append(out, s...))
}

// appendEscape appends the character of the escape at the start of s. It returns the
// length of the escape.
func appendEscape(out []byte, s string) ([]byte, int) {
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

// hexRune returns the number of an escape such as \u00e9.
func hexRune(s string) rune {
	var r rune
	for i := 2; i < 6 && i < len(s); i++ {
		r = r<<4 | rune(max(HexDigit(s[i]), 0))
	}
	return r
}

// HexDigit returns the value of a hexadecimal digit, -1 if c is none.
func HexDigit(c byte) int {
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
