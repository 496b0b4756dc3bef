package syntax

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

var (
	wildcard  = regexp.MustCompile(`^\[(\*|\?\(.*)?\]`)
	listBehin = regexp.MustCompile(`[A-Za-z0-9_."\[\]]+$`)
)

// path recognizes a path of JSONPath, or a method on a list with a field of its items.
func (s Source) path(plain string, offset int, text []rune) *lang.CompileError {
	before, behind := string(text[:min(offset, len(text))]), string(text[min(offset, len(text)):])
	if strings.HasSuffix(before, "[") && wildcard.MatchString("["+behind) {
		list := listBehin.FindString(strings.TrimSuffix(before, "["))
		if list == "" {
			list = "list"
		}
		return s.CompileError(max(0, offset-1),
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
		if args, end := s.Arguments(len([]rune(before[:open]))); method != nil && len(args) > 0 {
			from := len([]rune(before[:open])) - len([]rune(method[0]))
			return s.WithHabit(from, lang.Fix{From: from, To: end}, method[2],
				append([]string{method[1]}, args...), "methods are not available in "+
					s.Kind.Word().Plural)
		}
	}
	return nil
}

// unknownPredicate recognizes a misspelt any(list, .field == …), whose second argument is
// then not an expression.
func (s Source) unknownPredicate(before string) *lang.CompileError {
	text, depth := []rune(before), 0
	for i := len(text) - 1; i > 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth >= 0 {
				continue
			}
			from, to := RunesAround(text, i, IsWordRune)
			name := string(text[from:to])
			depth = 0
			if to != i || from == to || from > 0 && text[from-1] == '.' ||
				slices.Contains(s.Kind.Functions(), name) ||
				habits.Table[strings.ToLower(name)].Write != "" {
				continue
			}
			near, _ := nearest.Name(name, lang.Predicates)
			if near == "" {
				e := s.CompileError(from,
					"unknown function %q; those with a condition about items are %s", name,
					strings.Join(lang.Predicates, ", "))
				if mend := (lang.Fix{From: from, To: to, Text: "any"}); s.Mends(mend, from) {
					e.Mend = &mend
				}
				return e
			}
			return s.Replacing(from, to, near, "unknown function %q; did you mean %q?", name, near)
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

// listInBrackets recognizes op in ("add", "update").
func (s Source) listInBrackets(plain string, offset int, text []rune) *lang.CompileError {
	for _, at := range inBrackets.FindAllStringIndex(s.Text, -1) {
		from := len([]rune(s.Text[:at[1]])) - 1
		args, end := s.Arguments(from)
		if end == 0 || offset < from || offset > end {
			continue
		}
		for i, arg := range args {
			if meant := OpMeant(arg); meant != "" {
				args[i] = strconv.Quote(meant)
			}
		}
		list := "[" + strings.Join(args, ", ") + "]"
		return s.Replacing(from, end, list,
			"unexpected %s; a list is written in square brackets: write %s",
			strings.TrimPrefix(plain, "unexpected "), list)
	}
	return nil
}

// lambda recognizes x => x.name, x -> x.name, or c, c.name after a list.
func (s Source) lambda(plain string, offset int, text []rune) *lang.CompileError {
	if !InsidePredicate(string(text[:min(offset, len(text))])) {
		return nil
	}
	for open := min(offset, len(text)) - 1; open > 0; open-- {
		if text[open] != '(' {
			continue
		}
		args, end := s.Arguments(open)
		from, to := RunesAround(text, open, IsWordRune)
		if end < offset || len(args) < 2 ||
			!strings.Contains(","+strings.Join(lang.Predicates, ",")+",",
				","+string(text[from:to])+",") {
			continue
		}
		variable, condition, found := strings.Cut(strings.Replace(args[1], "->", "=>", 1), "=>")
		if len(args) == 3 {
			variable, condition, found = args[1], args[2], true
		}
		if variable = strings.Trim(variable, " ()"); !found || !plainName.MatchString(variable) {
			continue
		}
		by := fmt.Sprintf("%s(%s, %s)", string(text[from:to]), args[0],
			habits.OfItem(strings.TrimSpace(condition), variable))
		return s.Replacing(from, end, by,
			"an item has no name here, it is #, and its fields are .name: write %s", by)
	}
	return nil
}

// objectOfItem recognizes map(list, {"a": #}), where the parser takes the bracket for the begin of
// a block.
func (s Source) objectOfItem(plain string, offset int, text []rune) *lang.CompileError {
	if offset >= len(text) || text[offset] != ':' {
		return nil
	}
	for open := offset - 1; open > 0; open-- {
		if text[open] != '(' {
			continue
		}
		from, to := RunesAround(text, open, IsWordRune)
		name := string(text[from:to])
		args, end := s.Arguments(open)
		if !slices.Contains(lang.Predicates, name) || end < offset || len(args) != 2 ||
			!strings.HasPrefix(args[1], "{") {
			continue
		}
		by := fmt.Sprintf("%s(%s, (%s))", name, args[0], args[1])
		return s.Replacing(from, end, by,
			"%s; an object that is made of an item needs round brackets: write %s", plain, by)
	}
	return nil
}

var plainName = regexp.MustCompile(`^[A-Za-z_]+$`)

// fieldAlone begins with a path of fields that has no object before it.
var fieldAlone = regexp.MustCompile(`^\.(\w+)(?:\.\w+)*`)

// openBracket recognizes a bracket that is not closed, or not open, and a field without its
// object.
func (s Source) openBracket(plain string, offset int, text []rune) *lang.CompileError {
	if strings.HasPrefix(plain, "unexpected .") && offset < len(text) {
		path := fieldAlone.FindStringSubmatch(string(text[offset:]))
		switch {
		case path == nil:
		case path[1] == "object", path[1] == "old" && s.Kind.Has("old"):
			return s.Replacing(offset, offset+1, "", "unexpected .; no dot comes before %[1]s: write %s",
				path[1], path[0][1:])
		case s.IsTopField(path[1]):
			plain += ": write object" + path[0]
		}
		return s.Replacing(offset, offset, "object", "%s", plain)
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
				return s.CompileError(i, "unexpected %q; no bracket is open here", r)
			}
			open = open[:len(open)-1]
		}
	}
	if plain == tokens["EOF"] && len(open) > 0 {
		return s.CompileError(offset, "%s: a %q is not closed", plain, open[len(open)-1])
	}
	return nil
}

// pipe returns the place of a single | outside of texts, -1 if there is none.
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
