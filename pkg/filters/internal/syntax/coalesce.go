package syntax

import (
	"regexp"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

var (
	// mixedCoalesce is expr's message about ?? next to another operator.
	mixedCoalesce = regexp.MustCompile(`^Operator \(.*coalesce expressions`)

	operandAt = `(?:"[^"]*"|'[^']*'|(?:[\w.#$]|\?\.|\[[^\[\]]*\]|\([^()]*\))+)`
	beforeIt  = regexp.MustCompile(`(` + operandAt + `)\s*$`)
	behindIt  = regexp.MustCompile(`^\s*(-?` + operandAt + `)`)
	// comparedTo is the comparison of a value with a constant, before the default of the value.
	comparedTo = regexp.MustCompile(`(` + operandAt + `)(\s*(?:==|!=|<=|>=|<|>)\s*)("[^"]*"|'[^']*'|-?[\d.]+|true|false)\s*$`)
)

// coalesce puts brackets around a ?? b next to another operator.
func (s Source) coalesce(message string, offset int) *lang.CompileError {
	if !mixedCoalesce.MatchString(message) {
		return nil
	}
	for _, at := range coalesceSign.FindAllStringIndex(s.Text, -1) {
		before, behind := s.Text[:at[0]], s.Text[at[1]:]
		left, right := beforeIt.FindStringSubmatch(before), behindIt.FindStringSubmatch(behind)
		if left == nil || right == nil {
			continue
		}
		by, begin := "("+left[1]+" ?? "+right[1]+")", len(before)-len(left[0])
		if found := comparedTo.FindStringSubmatch(before); found != nil {
			by, begin = "("+found[1]+" ?? "+right[1]+")"+found[2]+found[3], len(before)-len(found[0])
		}
		fix := lang.Fix{From: len([]rune(s.Text[:begin])), Text: by,
			To: len([]rune(s.Text[:at[1]+len(right[0])]))}
		if s.Mends(fix, offset) {
			return s.Proposed(fix.From, &fix, "?? needs brackets next to another operator; write %s", by)
		}
	}
	return nil
}

var coalesceSign = regexp.MustCompile(`\?\?`)

// dotAlone is a dot between blanks and the like.
var dotAlone = regexp.MustCompile(`[\s,(!]\.\s`)

// bareDot answers a dot without a name, which is the item itself in other languages.
func (s Source) bareDot(message string, offset int, text []rune) *lang.CompileError {
	if message != "expected name" {
		return nil
	}
	before := string(text[:min(offset, len(text))])
	found := dotAlone.FindAllStringIndex(before, -1)
	if found == nil {
		return nil
	}
	at := len([]rune(before[:found[len(found)-1][0]])) + 1
	if !InsidePredicate(string(text[:at])) {
		return nil
	}
	return s.Replacing(at, at+1, "#", "within any(…) and the like an item is #; write #")
}
