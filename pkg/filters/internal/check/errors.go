package check

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr/file"

	"github.com/informerd/informerd/internal/nearest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// parserError returns an error of expr's parser with its place.
func parserError(x lang.Expression, err error) *lang.CompileError {
	var where *file.Error
	if !errors.As(err, &where) {
		return x.CompileError(0, "%v", err)
	}
	if strings.Contains(where.Message, "exceeds maximum allowed nodes") {
		return x.CompileError(where.From, "the expression has more than %d nodes", lang.MaxNodes)
	}
	message := where.Message
	word, at := wordAt(x.Text, where.From)
	switch {
	case strings.HasPrefix(message, "unexpected token EOF"),
		strings.HasPrefix(message, "unexpected end"):
		message = "the expression ends too early"
	case strings.HasPrefix(message, "literal not terminated"):
		message = "a text that begins here or earlier has no closing quote"
	case word == ".":
		if unknown := callOfUnknown(x, at); unknown != nil {
			return unknown
		}
		fallthrough
	case word != "":
		return x.CompileError(at, "unexpected %q%s", word, foreignHint(word))
	case strings.HasPrefix(message, "unexpected token "):
		token := strings.TrimPrefix(message, "unexpected token ")
		_, value, _ := strings.Cut(strings.TrimSuffix(token, ")"), "(")
		message = "unexpected " + value
	case strings.HasPrefix(message, "unrecognized character: "):
		_, sign, _ := strings.Cut(message, "'")
		message = "unexpected " + strconv.Quote(strings.TrimSuffix(sign, "'"))
	}
	return x.CompileError(where.From, "%s", message)
}

var call = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\w+)\(`) })

// callOfUnknown returns the mistake of the last call before a place that is of no function: the
// parser takes .field alone only in arguments of functions that it knows. It is nil if there is none.
func callOfUnknown(x lang.Expression, at int) *lang.CompileError {
	before := string([]rune(x.Text)[:at])
	for _, m := range slices.Backward(call().FindAllStringSubmatchIndex(before, -1)) {
		if name := before[m[2]:m[3]]; !slices.Contains(x.Kind.Functions(), name) {
			return x.CompileError(utf8.RuneCountInString(before[:m[2]]), "unknown function %q%s", name,
				functionHint(x.Kind, name))
		}
	}
	return nil
}

// functionHint returns the end of the sentence about a function that there is not.
func functionHint(kind lang.Kind, name string) string {
	return cmp.Or(foreignHint(name), nearHint(name, kind.Functions()),
		"; docs/functions.md has all functions")
}

// wordAt returns the word or operator of another language that the parser stopped at, or behind,
// and its place; "" if it is none. expr reads some of them as several operators.
func wordAt(text string, offset int) (word string, at int) {
	runes := []rune(text)
	for range 2 {
		from, to := run(runes, offset)
		if word := string(runes[from:to]); foreign[strings.ToLower(word)] != "" {
			return word, from
		}
		for offset = from - 1; offset > 0 && runes[offset] == ' '; {
			offset--
		}
	}
	return "", 0
}

// run returns the place of the word or the operator that a character belongs to.
func run(runes []rune, at int) (from, to int) {
	if at < 0 || at >= len(runes) {
		return 0, 0
	}
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	isOperator := func(r rune) bool { return strings.ContainsRune("=~!<>&|-", r) }
	for _, belongs := range []func(rune) bool{isWord, isOperator} {
		if !belongs(runes[at]) {
			continue
		}
		for from = at; from > 0 && belongs(runes[from-1]); {
			from--
		}
		for to = at; to < len(runes) && belongs(runes[to]); {
			to++
		}
		return from, to
	}
	return at, at + 1
}

// unknownPrefix is the beginning of expr's message for an unknown name.
const unknownPrefix = "unknown name "

// checkerError returns an error of expr's checker with its place, the given one if it has none,
// and reports whether it is about an unknown name.
func checkerError(x lang.Expression, err error, offset int) (e *lang.CompileError, name bool) {
	var where *file.Error
	if !errors.As(err, &where) {
		message := typeWords.Replace(err.Error())
		if got, ok := strings.CutPrefix(message, "expected bool, but got "); ok {
			message = x.Kind.Must() + ", this returns " + strings.Replace(got, "unknown", "nil", 1)
		}
		return x.CompileError(offset, "%s", message), false
	}
	if name, ok := strings.CutPrefix(where.Message, unknownPrefix); ok {
		return unknownName(x, name, where.From), true
	}
	message := typeWords.Replace(strings.TrimSpace(where.Message))
	if rest, ok := strings.CutPrefix(message, "invalid operation: "); ok {
		operator, of, _ := strings.Cut(strings.TrimSuffix(rest, ")"), " (mismatched type")
		message = fmt.Sprintf("%q cannot take %s", operator,
			strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(of, "s"), " "), "unknown", "any"))
	}
	var got, want, function string
	if n, _ := fmt.Sscanf(message, "cannot use %s as argument (type %s to call %s", &got, &want,
		&function); n == 3 {
		message = function + " cannot take " + got
	}
	return x.CompileError(where.From, "%s", message), false
}

// typeWords replaces Go's names of types by those that values.TypeName returns.
var typeWords = strings.NewReplacer(
	"[]interface {}", "list", "[]int", "list", "[]string", "list", "map[string]interface {}",
	"object", "float64", "float", "time.Time", "date", "time.Duration", "duration", "interface {}",
	"any", "builtin ", "", "takes only array", "takes only a list",
)

// notText refuses a type that is a list or an object where a text is needed.
func notText(kind lang.Kind, result reflect.Type) error {
	switch result.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		if kind.Returns() == lang.ReturnsText {
			return errors.New(kind.Must() + ", this returns " + result.String())
		}
	}
	return nil
}

// unknownName returns the mistake of an unknown name, with what may have been meant.
func unknownName(x lang.Expression, name string, offset int) *lang.CompileError {
	hint := cmp.Or(foreignHint(name), nearHint(name, slices.Concat(x.Kind.Variables(),
		x.Kind.Functions())))
	switch {
	case slices.Contains(lang.MessageVariables, name):
		hint = "; only the expressions of outputs have it"
	case hint != "":
	case x.Schema != nil && x.Schema.Fields[name] != nil:
		hint = "; did you mean object." + name + "?"
	case x.Schema != nil && x.Schema.Below(name) != "":
		hint = "; did you mean object." + x.Schema.Below(name) + "?"
	default:
		hint = "; text needs quotes, and the variables are " + strings.Join(x.Kind.Variables(), ", ")
	}
	return x.CompileError(offset, "unknown name %q%s", name, hint)
}

// nearestOf returns the name nearest to a word, "" if none is near.
func nearestOf(word string, names []string) string {
	near, _ := nearest.Name(word, names)
	return near
}

// nearHint returns the hint that proposes the name nearest to a word, "" if none is near.
func nearHint(word string, names []string) string {
	if near := nearestOf(word, names); near != "" {
		return "; did you mean " + strconv.Quote(near) + "?"
	}
	return ""
}

// suggestion returns the hint that proposes a name, or lists the names.
func suggestion(name string, names []string) string {
	return cmp.Or(nearHint(name, names), "; there "+listed(names))
}

// oneOf returns the hint that proposes a value, or lists the values.
func oneOf(value string, known []string) string {
	if len(known) == 1 {
		return cmp.Or(nearHint(value, known), "; it is only "+strconv.Quote(known[0]))
	}
	return cmp.Or(nearHint(value, known), "; it is one of "+strings.TrimPrefix(listed(known), "are "))
}

// maxListed is how many names an error lists.
const maxListed = 10

// listed returns the first names of a list, as the end of a sentence.
func listed(names []string) string {
	switch n := len(names); {
	case n == 0:
		return "is none"
	case n == 1:
		return "is only " + names[0]
	case n > maxListed+1:
		return fmt.Sprintf("are %s and %d more", strings.Join(names[:maxListed], ", "), n-maxListed)
	}
	return "are " + strings.Join(names, ", ")
}
