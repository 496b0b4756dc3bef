package syntax

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// wordOperators are words of other languages between two values, in lower case and without dashes,
// by the operator that they mean.
var wordOperators = map[string]string{
	"startwith": "startsWith", "startswith": "startsWith", "beginswith": "startsWith",
	"beginwith": "startsWith", "hasprefix": "startsWith", "prefix": "startsWith",
	"endwith": "endsWith", "endswith": "endsWith", "hassuffix": "endsWith", "suffix": "endsWith",
	"contain": "contains", "contains": "contains", "containing": "contains", "include": "contains",
	"includes": "contains", "has": "contains",
	"match": "matches", "matches": "matches", "matching": "matches", "regex": "matches",
	"regexp": "matches", "rlike": "matches",
	"notin": "not in", "nin": "not in", "oneof": "in", "anyof": "in",
	"isnt": "!=", "equal": "==", "neq": "!=", "notequal": "!=", "notequals": "!=",
}

// operatorWords are the operators that are words.
var operatorWords = []string{"startsWith", "endsWith", "contains", "matches"}

var (
	negatedWord = regexp.MustCompile(`^(?i)(?:does\s+not|doesn'?t|do\s+not|not|is\s+not)\s+([a-z_-]+)`)
	anyWord     = regexp.MustCompile(`^[A-Za-z][A-Za-z_-]*`)
	between     = regexp.MustCompile(`^(?i)between\s+([\w."]+)\s+and\s+([\w."]+)`)
	postfix     = regexp.MustCompile(`^(?i)(is\s+not|isn'?t|is|not)?\s*` +
		`\b(empty|null|nil|none|undefined|missing|exists?|defined|set|present|unset|absent)\b`)
	operandBefore = regexp.MustCompile(`([A-Za-z_#.][\w.\[\]"#]*(?:\([^()]*\))?(?:\.[\w.]+)?)\s*$`)
)

// operatorOf returns the operator that a word means, "" if none.
func operatorOf(word string) string {
	plain := strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(word))
	if by := wordOperators[plain]; by != "" {
		return by
	}
	if len(word) < 4 {
		return ""
	}
	near, _ := nearest.Name(word, operatorWords)
	return near
}

// wordOperator recognizes an operator of another language that is a word or several, or a misspelt
// one.
func (s Source) wordOperator(plain string, offset int, text []rune) *lang.CompileError {
	from, to := RunesAround(text, offset, IsWordRune)
	if from == to {
		return nil
	}
	if before := strings.TrimRight(string(text[:from]), " "); strings.HasSuffix(before, " not") {
		from = len([]rune(strings.TrimSuffix(before, "not"))) // a not b
	}
	behind := string(text[from:])
	replace := func(found, by string) *lang.CompileError {
		if found == by {
			return nil
		}
		return s.Replacing(from, from+len([]rune(found)), by, "unexpected %q; write %s", found, by)
	}
	if found := between.FindStringSubmatch(behind); found != nil {
		if operand := operandBefore.FindStringSubmatch(string(text[:from])); operand != nil {
			return replace(found[0], ">= "+found[1]+" && "+operand[1]+" <= "+found[2])
		}
	}
	if found := postfix.FindStringSubmatch(behind); found != nil {
		if e := s.postfix(from, string(text[:from]), found); e != nil {
			return e
		}
	}
	if found := negatedWord.FindStringSubmatch(behind); found != nil {
		if by := operatorOf(found[1]); by != "" && by != "not in" {
			by = "not " + by
			switch by {
			case "not ==":
				by = "!="
			case "not !=":
				by = "=="
			}
			return replace(found[0], by)
		}
	}
	if word := anyWord.FindString(behind); operatorOf(word) != "" {
		return replace(word, operatorOf(word))
	}
	return nil
}

// postfix recognizes x is empty, x exists and the like.
func (s Source) postfix(from int, before string, found []string) *lang.CompileError {
	by := "== nil"
	switch strings.ToLower(found[2]) {
	case "exist", "exists", "defined", "set", "present":
		by = "!= nil"
	case "empty":
		by = "== 0"
	}
	if found[1] != "" && !strings.EqualFold(found[1], "is") {
		by = map[string]string{"== nil": "!= nil", "!= nil": "== nil", "== 0": "> 0"}[by]
	}
	end := from + len([]rune(found[0]))
	operand := operandBefore.FindStringSubmatch(before)
	if operand == nil {
		return nil
	}
	if strings.HasSuffix(by, "0") {
		begin := len([]rune(before[:len(before)-len(operand[0])]))
		fix := &lang.Fix{From: begin, To: end, Text: "len(" + operand[1] + ") " + by}
		if !s.Mends(*fix, from) {
			return nil
		}
		return s.Proposed(from, fix, "unexpected %q; write %s", found[0], fix.Text)
	}
	return s.Replacing(from, end, by, "unexpected %q; write %s %s", found[0], operand[1], by)
}
