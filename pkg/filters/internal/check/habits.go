package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/nodes"
)

// habit is how a function or method of another language is written here. In write, $0 is
// what the method is called on or the first argument, $1 the next argument.
type habit struct {
	write string
	args  int    // how many, $0 included; with another number only the hint is shown
	item  bool   // $1 is a condition about the items, before which their name may be: c, c.x == 1
	note  string // added to the hint
}

// habits are functions and methods of CEL, JavaScript, Go templates, SQL and expr itself, by
// their names in lower case.
var habits = map[string]habit{
	"has":               {write: "$0 != nil", args: 1},
	"exists":            {write: "any($0, $1)", args: 2, item: true},
	"exists_one":        {write: "one($0, $1)", args: 2, item: true},
	"all":               {write: "all($0, $1)", args: 2, item: true},
	"map":               {write: "map($0, $1)", args: 2, item: true},
	"filter":            {write: "filter($0, $1)", args: 2, item: true},
	"some":              {write: "any($0, $1)", args: 2, item: true},
	"every":             {write: "all($0, $1)", args: 2, item: true},
	"any":               {write: "any($0, $1)", args: 2, item: true},
	"none":              {write: "none($0, $1)", args: 2, item: true},
	"one":               {write: "one($0, $1)", args: 2, item: true},
	"count":             {write: "count($0, $1)", args: 2, item: true},
	"find":              {write: "find($0, $1)", args: 2, item: true},
	"size":              {write: "len($0)", args: 1},
	"length":            {write: "len($0)", args: 1},
	"len":               {write: "len($0)", args: 1},
	"contains":          {write: "$0 contains $1", args: 2},
	"includes":          {write: "$1 in $0", args: 2},
	"startswith":        {write: "$0 startsWith $1", args: 2},
	"hasprefix":         {write: "$0 startsWith $1", args: 2},
	"endswith":          {write: "$0 endsWith $1", args: 2},
	"hassuffix":         {write: "$0 endsWith $1", args: 2},
	"matches":           {write: "$0 matches $1", args: 2},
	"match":             {write: "$0 matches $1", args: 2},
	"regexmatch":        {write: "$0 matches $1", args: 2},
	"regex":             {write: "$0 matches $1", args: 2},
	"isnull":            {write: "$0 == nil", args: 1},
	"isnil":             {write: "$0 == nil", args: 1},
	"isempty":           {write: "len($0) == 0", args: 1},
	"empty":             {write: "len($0) == 0", args: 1},
	"defined":           {write: "$0 != nil", args: 1},
	"lower":             {write: "lower($0)", args: 1},
	"tolower":           {write: "lower($0)", args: 1},
	"lowerascii":        {write: "lower($0)", args: 1},
	"tolowercase":       {write: "lower($0)", args: 1},
	"touppercase":       {write: "upper($0)", args: 1},
	"equalfold":         {write: "lower($0) == lower($1)", args: 2},
	"matchstring":       {write: "$1 matches $0", args: 2},
	"regexpmatchstring": {write: "$1 matches $0", args: 2},
	"rematch":           {write: "$1 matches $0", args: 2},
	"research":          {write: "$1 matches $0", args: 2},
	"slicescontains":    {write: "$1 in $0", args: 2},
	"upper":             {write: "upper($0)", args: 1},
	"toupper":           {write: "upper($0)", args: 1},
	"upperascii":        {write: "upper($0)", args: 1},
	"trim":              {write: "trim($0)", args: 1},
	"keys":              {write: "keys($0)", args: 1},
	"values":            {write: "values($0)", args: 1},
	"str":               {write: "string($0)", args: 1},
	"tostring":          {write: "string($0)", args: 1},
	"double":            {write: "float($0)", args: 1},
	"number":            {write: "float($0)", args: 1},
	"integer":           {write: "int($0)", args: 1},
	"timestamp":         {write: "date($0)", args: 1},
	"time":              {write: "date($0)", args: 1},
	"dyn":               {write: "$0", args: 1},
	"labels":            {write: "label($0)", args: 1},
	"now":               {note: "age() is the time since the object was created, age(x) the time since x"},
	"coalesce":          {write: "($0 ?? $1)", args: 2},
	"default":           {write: "($0 ?? $1)", args: 2},
	"if":                {write: "($0 ? $1 : $2)", args: 3},
	"type":              {note: "informerd reports a field of an unexpected type; a missing field is nil"},
	"split":             {note: "use contains, startsWith, endsWith, matches or glob(…)"},
	"join":              {note: "read single items, as in list[0], or count them"},
	"replace":           {note: "use trimPrefix(…) and trimSuffix(…), or matches"},
	"get":               {write: "$0[$1]", args: 2},
	"haskey":            {write: "$1 in $0", args: 2},
	"sprintf":           {note: `join texts with +, as in "pod " + object.metadata.name`},
	"format":            {note: `join texts with +, as in "pod " + object.metadata.name`},
	"concat":            {note: `join texts with +, as in "pod " + object.metadata.name`},
}

// ofKeys are methods of other languages, in lower case, that ask whether a map has a key.
var ofKeys = map[string]bool{"exists": true, "has": true, "contains": true, "includes": true,
	"haskey": true, "containskey": true, "hasownproperty": true}

// hasKeys reports whether the steps lead to a map of texts.
func hasKeys(steps []any) bool {
	last := ""
	if len(steps) > 0 {
		last, _ = steps[len(steps)-1].(string)
	}
	return slices.Contains([]string{"labels", "annotations", "data", "matchLabels", "nodeSelector"},
		last)
}

// method refuses a method and proposes what to write instead.
func (in *inspector) method(n *ast.CallNode) error {
	s := in.draft
	plural := s.Kind.Word().Plural
	callee, ok := n.Callee.(*ast.MemberNode)
	if chain, isChain := n.Callee.(*ast.ChainNode); isChain {
		callee, ok = chain.Node.(*ast.MemberNode)
	}
	name, named := "", false
	if ok {
		var key *ast.StringNode
		if key, named = callee.Property.(*ast.StringNode); named {
			name = key.Value
		}
	}
	if !named {
		return in.errorf(n, "methods are not available in %s", plural)
	}
	texts := nodes.NewExtents(s.Text)
	args := []string{written(texts, callee.Node)}
	if ofKeys[strings.ToLower(name)] && len(n.Arguments) == 1 {
		_, ofText := n.Arguments[0].(*ast.StringNode)
		if _, keys := nodes.ConstantSteps(callee.Node); ofText && hasKeys(keys) {
			name = "haskey"
		}
	}
	for _, arg := range n.Arguments {
		args = append(args, written(texts, arg))
	}
	offset := n.Location().From
	whole, ok := texts.Span(n)
	message := fmt.Sprintf("methods are not available in %s", plural)
	if !ok {
		whole = lang.Fix{From: offset, To: offset}
	}
	return s.withHabit(offset, whole, name, args, message)
}

func written(x *nodes.Extents, n ast.Node) string {
	text, _ := x.Text(n)
	return text
}

// unknownFunction returns the mistake of an unknown function, called at offset, with what
// may have been meant.
func (s draft) unknownFunction(name string, offset int) *lang.CompileError {
	message := fmt.Sprintf("unknown function %q", name)
	if _, exists := builtin.Index[name]; exists {
		message = fmt.Sprintf("the function %s is not available in %s", name, s.Kind.Word().Plural)
	}
	if args, end := s.arguments(offset + len([]rune(name))); end > 0 {
		if _, known := habits[strings.ToLower(name)]; known {
			return s.withHabit(offset, lang.Fix{From: offset, To: end}, name, args, message)
		}
	}
	end := offset + len([]rune(name))
	if near := nearestOf(name, s.Kind.Functions()); near != "" {
		return s.Proposed(offset, &lang.Fix{From: offset, To: end, Text: near},
			"%s; did you mean %q?", message, near)
	}
	return s.CompileError(offset, "%s; docs/filters.md has a table of all functions", message)
}

// arguments returns the texts between the brackets that open at offset, and where the
// brackets end; 0 if they do not.
func (s draft) arguments(offset int) (args []string, end int) {
	text := []rune(s.Text)
	for offset < len(text) && text[offset] == ' ' {
		offset++
	}
	if offset >= len(text) || text[offset] != '(' {
		return nil, 0
	}
	depth, from := 0, offset+1
	for i := offset; i < len(text); i++ {
		switch r := text[i]; r {
		case '"', '\'', '`':
			for i++; i < len(text) && text[i] != r; i++ {
				if text[i] == '\\' && r != '`' {
					i++
				}
			}
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 1 {
				args = append(args, strings.TrimSpace(string(text[from:i])))
				from = i + 1
			}
		case ')', ']', '}':
			if depth--; depth == 0 {
				if last := strings.TrimSpace(string(text[from:i])); last != "" || len(args) > 0 {
					args = append(args, last)
				}
				return args, i + 1
			}
		}
	}
	return nil, 0
}

var simpleOperand = regexp.MustCompile(`^[A-Za-z0-9_.#\[\]"'-]+$|^"[^"\\]*"$|^[A-Za-z]+\([^()]*\)$`)

// withHabit adds to a message what to write instead of a function or method with these
// arguments.
func (s draft) withHabit(offset int, at lang.Fix, name string, args []string,
	message string) *lang.CompileError {
	h := habits[strings.ToLower(name)]
	switch {
	case h.write == "" && h.note == "":
		return s.CompileError(offset, "%s", message)
	case h.write == "":
		return s.CompileError(offset, "%s; %s", message, h.note)
	case h.args == len(args) || h.item && len(args) == 3:
		if len(args) == 3 && h.item {
			args = []string{args[0], ofItem(args[2], args[1])}
		}
		at.Text = h.fill(args)
		for _, text := range []string{at.Text, "(" + at.Text + ")"} {
			at.Text = text
			if at.To > at.From && s.mends(at, at.From) && !bindsLoosely(s.Text, at, h) {
				e := s.Proposed(offset, &at, "%s; write %s", message, text)
				e.General = message + "; write " + h.example()
				return e
			}
		}
	}
	return s.CompileError(offset, "%s; write %s", message, h.example())
}

// example returns the text for any arguments.
func (h habit) example() string {
	if h.item {
		return h.fill([]string{"list", ".name == …"})
	}
	return h.fill([]string{"a", "b", "c"})
}

// bindsLoosely reports whether an operator before or after the place would bind more tightly
// than the new text.
func bindsLoosely(text string, at lang.Fix, h habit) bool {
	if strings.HasPrefix(at.Text, "(") || !strings.Contains(h.write, " ") ||
		strings.HasSuffix(h.write, ")") && !strings.HasPrefix(h.write, "(") {
		return false
	}
	runes := []rune(text)
	before, behind := strings.TrimSpace(string(runes[:at.From])),
		strings.TrimSpace(string(runes[min(at.To, len(runes)):]))
	loose := func(text string, edge func(string, string) bool) bool {
		if text == "" {
			return true
		}
		for _, word := range []string{"&&", "||", "and", "or", "(", ")", ",", ";", "?", ":", "{",
			"}"} {
			if edge(text, word) {
				return true
			}
		}
		return false
	}
	return !loose(before, strings.HasSuffix) || !loose(behind, strings.HasPrefix)
}

// fill puts arguments into the text. Operands with operators are put in brackets.
func (h habit) fill(args []string) string {
	text := h.write
	for i := len(args) - 1; i >= 0; i-- {
		arg := args[i]
		operand := strings.Contains(h.write, "$"+fmt.Sprint(i)+" ") ||
			strings.Contains(h.write, " $"+fmt.Sprint(i)) && !strings.Contains(h.write, ",")
		if operand && !simpleOperand.MatchString(arg) && !atomic(arg) {
			arg = "(" + arg + ")"
		}
		text = strings.ReplaceAll(text, "$"+fmt.Sprint(i), arg)
	}
	return text
}

// propose refuses a node and proposes what to write instead.
func (in *inspector) propose(n ast.Node, write, format string, args ...any) error {
	e := in.draft.CompileError(n.Location().From, format, args...)
	if at := n.Location(); at.To > at.From {
		e.Fix = &lang.Fix{From: at.From, To: at.To, Text: write}
	}
	return e
}
