package filters

import "strings"

// match pays for the match before it is made: RE2 takes text times instructions at worst, and more
// for few instructions than that says. The rate makes a step of it cost about 0.1 us.
func (e *Evaluator) match(p pattern, text string) bool {
	e.charge(1 + len(text)*(p.cost+20)/16)
	return p.re.MatchString(text)
}

// matches is the operator with a pattern that is only known now. The last one is kept.
func (e *Evaluator) matches(text, patternText any) bool {
	a, b := e.load(text), e.load(patternText)
	if a.kind == kindNil || b.kind == kindNil {
		return false
	}
	if a.kind != kindText || b.kind != kindText {
		fail(`"matches" needs two strings, got %s and %s`, typeName(text), typeName(patternText))
	}
	if e.lastPattern.re == nil || e.lastPattern.re.String() != b.s {
		e.charge(1000)
		p, err := compilePattern(strings.Clone(b.s)) // the text is only lent
		if err != nil {
			fail("%v", err)
		}
		e.lastPattern = p
	}
	return e.match(e.lastPattern, a.s)
}

// matchesConstant is the operator with the i-th pattern of the filter.
func (e *Evaluator) matchesConstant(i int) func(any) bool {
	p := e.program.patterns[i]
	return func(text any) bool {
		v := e.load(text)
		if v.kind == kindNil {
			return false
		}
		if v.kind != kindText {
			fail(`"matches" needs a string on its left, got %s`, typeName(text))
		}
		return e.match(p, v.s)
	}
}
