package selectors

import (
	"regexp"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

const fieldExample = "as in spec.nodeName!=,status.phase=Running"

// rewritingsOfFields turn what people write into the form of a field selector.
var rewritingsOfFields = []struct {
	form *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`^\s*--field-selector[ =]`), ""},
	{regexp.MustCompile(`\bobject\.`), ""},
	{regexp.MustCompile(`["']`), ""},
	{regexp.MustCompile(`\s*&&\s*| +(?i:and) +|\s*;\s*`), ","},
	{regexp.MustCompile(`: +`), "="},
	{regexp.MustCompile(` *(?:<>|!==|!=|=!) *`), "!="},
	{regexp.MustCompile(` *===? *| += *|= +`), "="},
	{regexp.MustCompile(` +in +\(([^,()]*)\)`), "=$1"},
	{regexp.MustCompile(`(?i) +not ?in +\(([^,()]*)\)`), "!=$1"},
	{regexp.MustCompile(`(?:^|,) *!([\w.]+) *(?:,|$)`), "$1="},
	{regexp.MustCompile(`([\w.-]) +([\w.]+!?=)`), "$1,$2"},
}

var (
	inSet    = regexp.MustCompile(`(?i) +(?:not ?)?in +\(`)
	inOrder  = regexp.MustCompile(`[<>]`)
	noValue  = regexp.MustCompile(`^\s*([A-Za-z][\w.]*)\s*$`)
	fieldSet = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9.]*!?=[^=!<>()|&"' ]*(,[A-Za-z][A-Za-z0-9.]*!?=[^=!<>()|&"' ]*)*$`)
)

// fieldProblem says what is wrong with a text that is not a field selector.
func fieldProblem(text string) (problem, hint string) {
	const not = " is not a field selector"
	meant := text
	for _, r := range rewritingsOfFields {
		meant = r.form.ReplaceAllString(meant, r.by)
	}
	meant = strings.TrimSpace(meant)
	if _, err := Field(meant); err == nil && meant != text && fieldSet.MatchString(meant) {
		return not, "write " + document.Flow(meant)
	}
	switch {
	case choice.MatchString(text) || inSet.MatchString(text):
		return not + ": a field is compared with one value, and there is no or",
			"write an expression in the listener, as in select: 'object.status.phase in [\"Failed\", \"Unknown\"]'"
	case inOrder.MatchString(text):
		return not + ": there are only = and != in it",
			"write an expression in the listener, as in select: 'object.spec.replicas > 1'"
	case noValue.MatchString(text):
		return not + ": a field has = or != and a value", "write " +
			strings.TrimSpace(text) + "=VALUE, " + fieldExample
	}
	return not, "write fields and values, " + fieldExample
}
