package filters

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// compilePattern compiles a regular expression (RE2) within its bounds.
func compilePattern(text string) (pattern, error) {
	if len(text) > MaxPattern {
		return pattern{}, fmt.Errorf("the pattern has %d bytes, the limit is %d", len(text),
			MaxPattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		var bad *syntax.Error
		if errors.As(err, &bad) {
			return pattern{}, fmt.Errorf("the pattern is not a regular expression: %s", bad.Code)
		}
		return pattern{}, errors.New("the pattern is not a regular expression")
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return pattern{}, errors.New("the pattern is too large")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return pattern{}, errors.New("the pattern is not a regular expression")
	}
	return pattern{re: re, cost: len(program.Inst)}, nil
}

// pattern is a regular expression.
type pattern struct {
	re   *regexp.Regexp
	cost int // the number of its instructions
}

// maxProgram bounds what a short pattern with counted repetition compiles to.
const maxProgram = 10_000
