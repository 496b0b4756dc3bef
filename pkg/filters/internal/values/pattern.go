package values

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// CompilePattern compiles a regular expression (RE2) within its bounds.
func CompilePattern(text string) (Pattern, error) {
	if len(text) > MaxPattern {
		return Pattern{}, fmt.Errorf("the pattern has %d bytes, the limit is %d", len(text),
			MaxPattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		var bad *syntax.Error
		if errors.As(err, &bad) {
			return Pattern{}, fmt.Errorf("the pattern is not a regular expression: %s", bad.Code)
		}
		return Pattern{}, errors.New("the pattern is not a regular expression")
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return Pattern{}, errors.New("the pattern is too large")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return Pattern{}, errors.New("the pattern is not a regular expression")
	}
	return Pattern{Regexp: re, Cost: len(program.Inst)}, nil
}

// Pattern is a regular expression.
type Pattern struct {
	Regexp *regexp.Regexp
	Cost   int // the number of its instructions
}

// MaxPattern is how many bytes a pattern may have.
const MaxPattern = 1 << 10

// maxProgram is how many instructions a short pattern with counted repetition may compile
// to.
const maxProgram = 10_000
