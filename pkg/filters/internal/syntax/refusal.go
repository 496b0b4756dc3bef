package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/file"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// tokens are messages for expr's tokens that people often get wrong.
var tokens = map[string]string{
	`EOF`:           "the expression ends too early",
	`Operator("=")`: "unexpected =; write == to compare",
	`Operator("&")`: "unexpected &; write && or and",
	`Operator("#")`: "# is an item of a list; it exists only within any(…) and the like",
	`Operator(".")`: "unexpected .; a field needs object or old before it, except within any(…) and the like",
}

// operators are those of other languages, with the ones to write instead.
var operators = map[string]string{
	"=~": "matches", "!~": "not matches", "~=": "matches", "===": "==", "!==": "!=", "<>": "!=",
	"=>": ">=", "=<": "<=", "=": "==",
	"&": "&&", "|": "||", "=!": "!=", ">==": ">=", "<==": "<=",
}

// words are operators of other languages that are words, in lower case. "" is a hint without
// a text.
var words = map[string]string{
	"and": "and", "or": "or", "not": "not", "in": "in", "is not": "!=", "is": "==", "equals": "==",
	"eq": "==", "ne": "!=", "gt": ">", "ge": ">=",
	"gte": ">=", "lt": "<", "le": "<=", "lte": "<=", "contains": "contains", "matches": "matches",
	"startswith": "startsWith", "endswith": "endsWith", "xor": "!=",
}

// Refusal adds its place and better words to an error of expr's parser.
func (s Source) Refusal(where *file.Error) *lang.CompileError {
	offset, text := where.From, []rune(s.Text)
	plain := s.parserWords(where.Message)
	if e := s.lines(plain, offset, text); e != nil {
		return e
	}
	if e := s.joined(plain, offset, text); e != nil {
		return e
	}
	isProse := s.Kind.Returns() == lang.ReturnsText ||
		s.Kind.Returns() == lang.ReturnsJSON && Template.MatchString(s.Text)
	if isProse && !strings.ContainsAny(s.Text, "\"`=<>+") {
		if e := s.Prose(offset, plain); e.Fix != nil {
			return e
		}
	}
	if where.Message == "invalid char escape" {
		if e := s.escape(offset, text); e != nil {
			return e
		}
	}
	if e := s.coalesce(where.Message, offset); e != nil {
		return e
	}
	if e := s.bareDot(where.Message, offset, text); e != nil {
		return e
	}
	if e := s.prefix(plain, offset, text); e != nil {
		return e
	}
	if e := s.template(offset); e != nil {
		return e
	}
	for _, try := range []func(string, int, []rune) *lang.CompileError{
		s.otherForm, s.lambda, s.objectOfItem, s.amountWithoutQuotes, s.otherOperator,
		s.functionForm, s.wordOperator, s.otherWord, s.otherQuotes, s.path,
		s.listInBrackets, s.openBracket,
	} {
		if e := try(plain, offset, text); e != nil {
			return e
		}
	}
	if isProse {
		if e := s.Prose(offset, plain); e.Fix != nil {
			return e
		}
	}
	if from := pipe(text); from >= 0 && from < offset {
		if found := filterBehind.FindStringSubmatch(string(text[from:])); found != nil &&
			!slices.Contains(s.Kind.Variables(), found[1]) {
			if found[1] == "default" {
				return s.CompileError(from, "unexpected |; a default is written with ??, as in (x ?? 1)")
			}
			return s.CompileError(from,
				"unexpected |; a function is written before its value, as in len(x)")
		}
		if e := s.Replacing(from, from+1, "||", "unexpected |; write ||"); e != nil {
			return e
		}
	}
	return s.CompileError(offset, "%s", plain)
}

// filterBehind is a pipe into a filter of another language, which is no "or".
var filterBehind = regexp.MustCompile(`^\|\s*([a-z_]+)(\s*$|\s*["(|=]|\s+[=!<>\d])`)

var parserToken = regexp.MustCompile(`^unexpected token (\w+)(?:\((.*)\))?$`)

// parserWords returns the message for what the parser has met.
func (s Source) parserWords(message string) string {
	if message == "unexpected end of expression" {
		return tokens["EOF"]
	}
	if strings.HasPrefix(message, "a map key must be") {
		return "unexpected key of a map; a key is a text in quotes, a name or a number, and a list of values is written in [ ]"
	}
	if strings.HasPrefix(message, "expected at least 2 arguments") {
		return `a list and a condition are needed here, as in any(object.spec.containers, .name == "web")`
	}
	if message == "literal not terminated" {
		return "a text that begins here or earlier has no closing quote"
	}
	if message == "expected name" {
		return "the name of a field is missing behind the dot"
	}
	if mixedCoalesce.MatchString(message) {
		return "?? needs brackets next to another operator, as in (a ?? 0) > 5"
	}
	if found := parserToken.FindStringSubmatch(message); found != nil {
		if known := tokens[strings.TrimPrefix(message, "unexpected token ")]; known != "" {
			return known
		}
		value, err := strconv.Unquote(found[2])
		if err != nil {
			value = found[2]
		}
		if found[1] == "String" {
			return fmt.Sprintf("unexpected text %q; an operator or a comma is missing before it",
				value)
		}
		return "unexpected " + strconv.Quote(value)
	}
	return s.Reword(message)
}

var (
	amountWord   = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[A-Za-z][A-Za-z0-9]*$`)
	durationWord = regexp.MustCompile(`^([0-9.]+(ns|us|ms|s|m|h|d))+$`)
	amountHead   = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)[ ]+$`)
)

// amountWithoutQuotes recognizes 10m or 4Gi as a number.
func (s Source) amountWithoutQuotes(plain string, offset int, text []rune) *lang.CompileError {
	from, to := RunesAround(text, offset, func(r rune) bool { return IsWordRune(r) || r == '.' })
	word := string(text[from:to])
	if head := amountHead.FindString(string(text[:from])); head != "" && from < len(text) &&
		!amountWord.MatchString(word) {
		from -= len([]rune(head))
		word = strings.TrimSpace(head) + word
	}
	_, isDuration := values.ParseDuration(word)
	if !amountWord.MatchString(word) || !isDuration && values.ParseQuantity(word) == nil {
		return nil
	}
	hint := ""
	switch duration := durationWord.MatchString(word); {
	case duration && !strings.Contains(s.Text, "age(") && !strings.Contains(s.Text, "duration("):
		hint = ", and duration(…) or age(…) on the other side"
	case !duration && !strings.Contains(s.Text, "quantity("):
		hint = ", and quantity(…) on the other side"
	}
	quoted := strconv.Quote(word)
	return s.Replacing(from, to, quoted,
		"%s is not a number; an amount with a unit needs quotes: write %s%s", word, quoted, hint)
}

// otherOperator recognizes an operator of another language.
func (s Source) otherOperator(plain string, offset int, text []rune) *lang.CompileError {
	for _, at := range []int{offset, offset - 1} {
		from, to := RunesAround(text, at, isOperatorRune)
		by := operators[string(text[from:to])]
		if by == "" {
			continue
		}
		quoted := strings.ContainsAny(strings.TrimSpace(string(text[max(0, from-2):from]))+
			strings.TrimSpace(string(text[to:min(to+2, len(text))])), `"'`)
		if by == "&&" && quoted && s.Kind.Returns() != lang.ReturnsBool {
			by = "+"
		}
		hint := by
		if IsWordRune(rune(by[0])) { // matches
			if from > 0 && text[from-1] != ' ' {
				by = " " + by
			}
			if to < len(text) && text[to] != ' ' {
				by += " "
			}
		}
		if by == "==" {
			hint = "== to compare"
		}
		if e := s.Replacing(from, to, by, "unexpected %s; write %s", string(text[from:to]),
			hint); e != nil {
			return e
		}
	}
	return nil
}

var operatorFunctions = regexp.MustCompile(`(contains|startsWith|endsWith|matches)\s*$`)

// functionForm recognizes startsWith(a, b).
func (s Source) functionForm(plain string, offset int, text []rune) *lang.CompileError {
	from, to := RunesAround(text, offset, IsWordRune)
	name := string(text[from:to])
	if !operatorFunctions.MatchString(name) {
		return nil
	}
	args, end := s.Arguments(to)
	if len(args) != 2 {
		return nil
	}
	return s.WithHabit(from, lang.Fix{From: from, To: end}, name, args,
		name+" is written between two values")
}

// otherWord recognizes AND and the like.
func (s Source) otherWord(plain string, offset int, text []rune) *lang.CompileError {
	from, to := RunesAround(text, offset, IsWordRune)
	if from == to { // NOT object.a fails after the word
		return nil
	}
	word := strings.ToLower(string(text[from:to]))
	if word == "like" || word == "ilike" {
		return s.CompileError(from,
			"unexpected %q; write glob(\"web-*\", x), or use matches, startsWith or contains",
			string(text[from:to]))
	}
	if word == "then" || word == "else" || word == "elseif" {
		return s.CompileError(from, "unexpected %q; write condition ? a : b", string(text[from:to]))
	}
	if word == "is" {
		if rest := string(text[to:]); strings.HasPrefix(strings.ToLower(rest), " not ") {
			word, to = "is not", to+len(" not")
		}
	}
	if by := words[word]; by != "" {
		found := string(text[from:to])
		if e := s.Replacing(from, to, by, "unexpected %q; write %s", found, by); e != nil &&
			by != found {
			return e
		}
	}
	before := strings.TrimRight(string(text[:from]), " ")
	at, end := RunesAround([]rune(before), len([]rune(before)), IsWordRune)
	if word := string([]rune(before)[at:end]); strings.EqualFold(word, "not") && word != "not" {
		return s.Replacing(at, end, "not", "unexpected %q; write not", word)
	}
	return nil
}

// curly are the quotes that word processors write.
var curly = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‘", `"`, "’", `"`, "«", `"`, "»",
	`"`, "–", "-", "—", "-")

func (s Source) otherQuotes(plain string, offset int, text []rune) *lang.CompileError {
	straight := curly.Replace(s.Text)
	if offset >= len(text) || straight == s.Text ||
		!strings.ContainsRune("“”„‘’«»–—", text[offset]) {
		return nil
	}
	fix := &lang.Fix{From: 0, To: len(text), Text: straight}
	if !s.Mends(*fix, offset) {
		return nil
	}
	return s.Proposed(offset, fix, `unexpected %c; write straight quotes and plain dashes: " or -`,
		text[offset])
}
