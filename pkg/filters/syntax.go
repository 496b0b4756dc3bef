package filters

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/file"
)

// tokens are what expr calls tokens that people get wrong.
var tokens = map[string]string{
	`EOF`:           "the expression ends too early",
	`Operator("=")`: "unexpected =; write == to compare",
	`Operator("&")`: "unexpected &; write && or and",
	`Operator("#")`: "# is an item of a list; it means nothing outside of any(…) and the like",
	`Operator(".")`: "unexpected .; a field needs object or old before it, except within any(…) and the like",
}

// operators are those of other languages, and what they are called here.
var operators = map[string]string{
	"=~": "matches", "!~": "not matches", "~=": "matches", "===": "==", "!==": "!=", "<>": "!=",
	"=>": ">=", "=<": "<=", "=": "==",
	"&": "&&", "|": "||", "=!": "!=", ">==": ">=", "<==": "<=",
}

// words are operators of other languages that are words, in lower case. "" is a hint without a
// text.
var words = map[string]string{
	"and": "and", "or": "or", "not": "not", "in": "in", "is not": "!=", "is": "==", "equals": "==",
	"eq": "==", "ne": "!=", "gt": ">", "ge": ">=",
	"gte": ">=", "lt": "<", "le": "<=", "lte": "<=", "contains": "contains", "matches": "matches",
	"startswith": "startsWith", "endswith": "endsWith", "xor": "!=",
}

// syntax adds its place and better words to an error of expr's parser.
func (s Source) syntax(err error) *CompileError {
	var where *file.Error
	if !errors.As(err, &where) {
		return s.place(err, nil)
	}
	if strings.Contains(where.Message, "exceeds maximum allowed nodes") {
		return s.place(err, nil)
	}
	offset, text := where.From, []rune(s.Text)
	plain := s.parserWords(where.Message)
	if s.Kind == KindMessage && !strings.ContainsAny(s.Text, "\"`=<>+") {
		if e := s.prose(offset, plain); e.fix != nil {
			return e
		}
	}
	for _, try := range []func(string, int, []rune) *CompileError{
		s.lambda, s.amountWithoutQuotes, s.otherOperator, s.functionForm, s.otherWord,
		s.otherQuotes, s.path, s.listInBrackets, s.openBracket,
	} {
		if e := try(plain, offset, text); e != nil {
			return e
		}
	}
	if s.Kind == KindMessage {
		if e := s.prose(offset, plain); e.fix != nil {
			return e
		}
	}
	if from := pipe(text); from >= 0 && from < offset {
		if e := s.replacing(from, from+1, "||", "unexpected |; write ||"); e != nil {
			return e
		}
	}
	return s.compileError(offset, "%s", plain)
}

var parserToken = regexp.MustCompile(`^unexpected token (\w+)(?:\((.*)\))?$`)

// parserWords says in our words what the parser has met.
func (s Source) parserWords(message string) string {
	if message == "unexpected end of expression" {
		return tokens["EOF"]
	}
	if strings.HasPrefix(message, "a map key must be") {
		return "unexpected key of a map; it is a text in quotes, a name or a number, and a list of values is written in [ ]"
	}
	if strings.HasPrefix(message, "expected at least 2 arguments") {
		return `a list and a condition are needed here, as in any(object.spec.containers, .name == "web")`
	}
	if message == "literal not terminated" {
		return "a text begins here or before, and its closing quote is missing"
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
	return s.reword(message)
}

// replacing is a mistake that the change mends, nil if it does not.
func (s Source) replacing(from, to int, by, format string, args ...any) *CompileError {
	fix := &Fix{from, to, by}
	if !s.helps(*fix, from) {
		return nil
	}
	return s.proposed(from, fix, format, args...)
}

var (
	amountWord   = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?[A-Za-z][A-Za-z0-9]*$`)
	durationWord = regexp.MustCompile(`^([0-9.]+(ns|us|ms|s|m|h|d))+$`)
	amountHead   = regexp.MustCompile(`([0-9]+(?:\.[0-9]+)?)[ ]+$`)
)

// amountWithoutQuotes is 10m or 4Gi as a number.
func (s Source) amountWithoutQuotes(plain string, offset int, text []rune) *CompileError {
	from, to := runesAround(text, offset, func(r rune) bool { return isWordRune(r) || r == '.' })
	word := string(text[from:to])
	if head := amountHead.FindString(string(text[:from])); head != "" && from < len(text) &&
		!amountWord.MatchString(word) {
		from -= len([]rune(head))
		word = strings.TrimSpace(head) + word
	}
	if !amountWord.MatchString(word) || parseDuration(word) == nil && parseQuantity(word) == nil {
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
	return s.replacing(from, to, quoted,
		"%s is not a number; an amount with a unit needs quotes: write %s%s", word, quoted, hint)
}

// otherOperator is one of another language.
func (s Source) otherOperator(plain string, offset int, text []rune) *CompileError {
	for _, at := range []int{offset, offset - 1} {
		from, to := runesAround(text, at, isOperatorRune)
		by := operators[string(text[from:to])]
		if by == "" {
			continue
		}
		hint := by
		if by == "==" {
			hint = "== to compare"
		}
		if e := s.replacing(from, to, by, "unexpected %s; write %s", string(text[from:to]),
			hint); e != nil {
			return e
		}
	}
	return nil
}

var operatorFunctions = regexp.MustCompile(`(contains|startsWith|endsWith|matches)\s*$`)

// functionForm is startsWith(a, b).
func (s Source) functionForm(plain string, offset int, text []rune) *CompileError {
	from, to := runesAround(text, offset, isWordRune)
	name := string(text[from:to])
	if !operatorFunctions.MatchString(name) {
		return nil
	}
	args, end := s.arguments(to)
	if len(args) != 2 {
		return nil
	}
	return s.withHabit(from, Fix{From: from, To: end}, name, args,
		name+" is written between two values")
}

// otherWord is AND and the like.
func (s Source) otherWord(plain string, offset int, text []rune) *CompileError {
	from, to := runesAround(text, offset, isWordRune)
	if from == to { // NOT object.a fails behind the word
		return nil
	}
	word := strings.ToLower(string(text[from:to]))
	if word == "like" || word == "ilike" {
		return s.compileError(from,
			"unexpected %q; write glob(\"web-*\", x), or use matches, startsWith or contains",
			string(text[from:to]))
	}
	if word == "then" || word == "else" || word == "elseif" {
		return s.compileError(from, "unexpected %q; write condition ? a : b", string(text[from:to]))
	}
	if word == "is" {
		if rest := string(text[to:]); strings.HasPrefix(strings.ToLower(rest), " not ") {
			word, to = "is not", to+len(" not")
		}
	}
	if by := words[word]; by != "" {
		found := string(text[from:to])
		if e := s.replacing(from, to, by, "unexpected %q; write %s", found, by); e != nil &&
			by != found {
			return e
		}
	}
	before := strings.TrimRight(string(text[:from]), " ")
	at, end := runesAround([]rune(before), len([]rune(before)), isWordRune)
	if word := string([]rune(before)[at:end]); strings.EqualFold(word, "not") && word != "not" {
		return s.replacing(at, end, "not", "unexpected %q; write not", word)
	}
	return nil
}

// curly are the quotes that word processors write.
var curly = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‘", `"`, "’", `"`, "«", `"`, "»",
	`"`, "–", "-", "—", "-")

func (s Source) otherQuotes(plain string, offset int, text []rune) *CompileError {
	straight := curly.Replace(s.Text)
	if offset >= len(text) || straight == s.Text ||
		!strings.ContainsRune("“”„‘’«»–—", text[offset]) {
		return nil
	}
	fix := &Fix{0, len(text), straight}
	if !s.helps(*fix, offset) {
		return nil
	}
	return s.proposed(offset, fix, `unexpected %c; write straight quotes and plain dashes: " or -`,
		text[offset])
}

var (
	wildcard  = regexp.MustCompile(`^\[(\*|\?\(.*)?\]`)
	listBehin = regexp.MustCompile(`[A-Za-z0-9_."\[\]]+$`)
)

// path is one of JSONPath, or a method on a list with a field of its items.
func (s Source) path(plain string, offset int, text []rune) *CompileError {
	before, behind := string(text[:min(offset, len(text))]), string(text[min(offset, len(text)):])
	if strings.HasSuffix(before, "[") && wildcard.MatchString("["+behind) {
		list := listBehin.FindString(strings.TrimSuffix(before, "["))
		if list == "" {
			list = "list"
		}
		return s.compileError(max(0, offset-1),
			"unexpected [%s; an expression about the items of a list is any(%s, .field == …), all(…) or map(…)", firstRunes(behind, 1), list)
	}
	if strings.HasPrefix(behind, ".") {
		if e := s.unknownPredicate(before); e != nil {
			return e
		}
		open := strings.LastIndex(before, "(")
		if open < 0 {
			return nil
		}
		method := methodBefore.FindStringSubmatch(before[:open])
		if args, end := s.arguments(len([]rune(before[:open]))); method != nil && len(args) > 0 {
			from := len([]rune(before[:open])) - len([]rune(method[0]))
			return s.withHabit(from, Fix{From: from, To: end}, method[2],
				append([]string{method[1]}, args...), "methods are not available in "+
					s.Kind.word().plural)
		}
	}
	return nil
}

// unknownPredicate is a misspelt any(list, .field == …), whose second argument is no expression
// then.
func (s Source) unknownPredicate(before string) *CompileError {
	text, depth := []rune(before), 0
	for i := len(text) - 1; i > 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth >= 0 {
				continue
			}
			from, to := runesAround(text, i, isWordRune)
			name := string(text[from:to])
			depth = 0
			if to != i || from == to || from > 0 && text[from-1] == '.' ||
				slices.Contains(s.Kind.functions(), name) ||
				habits[strings.ToLower(name)].write != "" {
				continue
			}
			near := nearest(name, predicates)
			if near == "" {
				e := s.compileError(from,
					"unknown function %q; those with a condition about items are %s", name,
					strings.Join(predicates, ", "))
				if mend := (Fix{from, to, "any"}); s.helps(mend, from) {
					e.mend = &mend
				}
				return e
			}
			return s.replacing(from, to, near, "unknown function %q; did you mean %q?", name, near)
		}
	}
	return nil
}

var methodBefore = regexp.MustCompile(`([A-Za-z][A-Za-z0-9_.]*)\.([A-Za-z]+)$`)

func firstRunes(text string, n int) string {
	runes := []rune(text)
	return string(runes[:min(n, len(runes))])
}

var inBrackets = regexp.MustCompile(`\bin\s*\(`)

// listInBrackets is op in ("add", "update").
func (s Source) listInBrackets(plain string, offset int, text []rune) *CompileError {
	for _, at := range inBrackets.FindAllStringIndex(s.Text, -1) {
		from := len([]rune(s.Text[:at[1]])) - 1
		args, end := s.arguments(from)
		if end == 0 || offset < from || offset > end {
			continue
		}
		for i, arg := range args {
			if meant := opMeant(arg); meant != "" {
				args[i] = strconv.Quote(meant)
			}
		}
		list := "[" + strings.Join(args, ", ") + "]"
		return s.replacing(from, end, list,
			"unexpected %s; a list is written in square brackets: write %s",
			strings.TrimPrefix(plain, "unexpected "), list)
	}
	return nil
}

// lambda is x => x.name or c, c.name behind a list.
func (s Source) lambda(plain string, offset int, text []rune) *CompileError {
	if !insidePredicate(string(text[:min(offset, len(text))])) {
		return nil
	}
	for open := min(offset, len(text)) - 1; open > 0; open-- {
		if text[open] != '(' {
			continue
		}
		args, end := s.arguments(open)
		from, to := runesAround(text, open, isWordRune)
		if end < offset || len(args) < 2 || !strings.Contains(","+strings.Join(predicates, ",")+",",
			","+string(text[from:to])+",") {
			continue
		}
		variable, condition, found := strings.Cut(args[1], "=>")
		if len(args) == 3 {
			variable, condition, found = args[1], args[2], true
		}
		if variable = strings.Trim(variable, " ()"); !found || !plainName.MatchString(variable) {
			continue
		}
		by := fmt.Sprintf("%s(%s, %s)", string(text[from:to]), args[0],
			ofItem(strings.TrimSpace(condition), variable))
		return s.replacing(from, end, by,
			"%s; an item has no name here, it is #, and its fields are .name: write %s", plain, by)
	}
	return nil
}

var plainName = regexp.MustCompile(`^[A-Za-z_]+$`)

// openBracket is one that is not closed, or closed and not open; or a field without its object.
func (s Source) openBracket(plain string, offset int, text []rune) *CompileError {
	if strings.HasPrefix(plain, "unexpected .") && offset < len(text) {
		return s.replacing(offset, offset, "object", "%s", plain)
	}
	open, quote := []rune{}, rune(0)
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote && text[i-1] != '\\' {
				quote = 0
			}
		case r == '"' || r == '\'' || r == '`':
			quote = r
		case r == '(' || r == '[' || r == '{':
			open = append(open, r)
		case r == ')' || r == ']' || r == '}':
			if len(open) == 0 {
				return s.compileError(i, "unexpected %q; no bracket is open here", r)
			}
			open = open[:len(open)-1]
		}
	}
	if plain == tokens["EOF"] && len(open) > 0 {
		return s.compileError(offset, "%s: a %q is not closed", plain, open[len(open)-1])
	}
	return nil
}

// pipe returns where a single | is outside of texts, -1 if there is none.
func pipe(text []rune) int {
	quote := rune(0)
	for i, r := range text {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'' || r == '`':
			quote = r
		case r == '|' && (i == 0 || text[i-1] != '|') && (i+1 == len(text) || text[i+1] != '|'):
			return i
		}
	}
	return -1
}
