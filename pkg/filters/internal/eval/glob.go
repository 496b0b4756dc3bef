package eval

import (
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// glob reports whether the whole text matches the pattern: * stands for any characters, ?
// for one. It is false for nil.
func (e *Evaluator) glob(pattern, text any) bool {
	p, t := e.load(pattern), e.load(text)
	if p.Kind == values.KindNil || t.Kind == values.KindNil {
		return false
	}
	if p.Kind != values.KindText || t.Kind != values.KindText {
		fail("glob needs two strings, got %s and %s", values.TypeName(pattern),
			values.TypeName(text))
	}
	if len(p.Text) > values.MaxPattern {
		fail("the pattern has %d bytes, the limit is %d", len(p.Text), values.MaxPattern)
	}
	return e.globTexts(p.Text, t.Text)
}

// globTexts finds the parts between the stars one after another, each at the first place
// where it matches. A later place would leave less text for the rest, so the first one is
// enough. Only the part after the last star is matched with the end. So the text is scanned
// once, and what a part costs at each place is paid for before the search.
func (e *Evaluator) globTexts(pattern, text string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	e.charge(1 + len(head)/16)
	n, ok := matchPart(head, text)
	if !star {
		return ok && n == len(text)
	}
	if !ok {
		return false
	}
	text = text[n:]
	for {
		part, behind, more := strings.Cut(rest, "*")
		if !more {
			return e.matchEnd(part, text)
		}
		n, ok := e.findPart(part, text)
		if !ok {
			return false
		}
		text, rest = text[n:], behind
	}
}

// matchPart matches a part without stars with the beginning of a text and returns the length
// of the match.
func matchPart(part, text string) (n int, ok bool) {
	for i := 0; i < len(part); i++ {
		if n == len(text) {
			return 0, false
		}
		if part[i] == '?' {
			_, size := utf8.DecodeRuneInString(text[n:])
			n += size
			continue
		}
		if part[i] != text[n] {
			return 0, false
		}
		n++
	}
	return n, true
}

// findPart returns the end of the first match of a part in a text.
func (e *Evaluator) findPart(part, text string) (end int, ok bool) {
	if !strings.Contains(part, "?") {
		e.charge(1 + len(text)/64)
		i := strings.Index(text, part)
		return i + len(part), i >= 0
	}
	for i := 0; i <= len(text); {
		e.charge(1 + len(part)/16)
		if n, ok := matchPart(part, text[i:]); ok {
			return i + n, true
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		i += max(1, size)
	}
	return 0, false
}

// matchEnd matches a part with the end of a text of as many characters.
func (e *Evaluator) matchEnd(part, text string) bool {
	e.charge(1 + len(part)/16)
	if !strings.Contains(part, "?") {
		return strings.HasSuffix(text, part)
	}
	start := len(text)
	for range utf8.RuneCountInString(part) {
		if start == 0 {
			return false
		}
		_, size := utf8.DecodeLastRuneInString(text[:start])
		start -= size
	}
	n, ok := matchPart(part, text[start:])
	return ok && start+n == len(text)
}
