package eval

import (
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// glob tells whether the whole text is as the pattern: * stands for any characters, ? for one. It
// is false for nil.
func (e *Evaluator) glob(pattern, text any) bool {
	p, t := e.load(pattern), e.load(text)
	if p.Kind == values.KindNil || t.Kind == values.KindNil {
		return false
	}
	if p.Kind != values.KindText || t.Kind != values.KindText {
		fail("glob needs two strings, got %s and %s", values.TypeName(pattern),
			values.TypeName(text))
	}
	if len(p.Text) > lang.MaxPattern {
		fail("the pattern has %d bytes, the limit is %d", len(p.Text), lang.MaxPattern)
	}
	return e.globTexts(p.Text, t.Text)
}

// globTexts finds the texts between the stars one after the other, each where it stands first:
// should the rest not fit behind it, then it does not fit further behind either. Only what is
// behind the last star has its place at the end. So a text is gone over once, and what a part costs
// at each place of it is paid for before it is looked for.
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

// matchPart matches a part without stars with the beginning of a text and gives the length of what
// it matched.
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

// findPart gives the end of the first place at which a part stands in a text.
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

// matchEnd matches a part with the end of a text: it has as many characters as the part.
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
