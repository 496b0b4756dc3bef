package eval

import (
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// match pays for a match before it is made. RE2 takes text times instructions at worst, and
// for few instructions more than that. At this rate a step takes about 0.1 us.
func (e *Evaluator) match(p values.Pattern, text string) bool {
	e.charge(1 + len(text)*(p.Cost+20)/16)
	return p.Regexp.MatchString(text)
}

// matches is the operator with a pattern that is not constant. The last pattern is kept.
func (e *Evaluator) matches(text, patternText any) bool {
	a, b := e.load(text), e.load(patternText)
	if a.Kind == values.KindNil || b.Kind == values.KindNil {
		return false
	}
	if a.Kind != values.KindText || b.Kind != values.KindText {
		fail(`"matches" needs two strings, got %s and %s`, values.TypeName(text),
			values.TypeName(patternText))
	}
	if e.lastPattern.Regexp == nil || e.lastPattern.Regexp.String() != b.Text {
		e.charge(1000)
		p, err := values.CompilePattern(strings.Clone(b.Text)) // the text is borrowed
		if err != nil {
			fail("%v", err)
		}
		e.lastPattern = p
	}
	return e.match(e.lastPattern, a.Text)
}

// matchesConstant returns the operator with a constant pattern.
func (e *Evaluator) matchesConstant(p values.Pattern) func(any) bool {
	return func(text any) bool {
		v := e.load(text)
		if v.Kind == values.KindNil {
			return false
		}
		if v.Kind != values.KindText {
			fail(`"matches" needs a string on its left, got %s`, values.TypeName(text))
		}
		return e.match(p, v.Text)
	}
}
