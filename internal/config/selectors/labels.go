package selectors

import (
	"regexp"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/informerd/informerd/internal/config/document"
)

const (
	oneOf   = "a selector has no or: write KEY in (a, b) for several values of one label, or filter by select in the listener"
	noMatch = "a selector compares whole values: write an expression in the listener, as in select: "
	example = "as in tier=frontend,env in (prod, test),!legacy"
)

// rewritings turn what people write into the form of a selector, one after the other.
var rewritings = []struct {
	form *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`^\s*(?:-l|--selector)[ =]`), ""},
	{regexp.MustCompile(`(^|[,( !])(?:object\.)?metadata\.labels\.`), "$1"},
	{regexp.MustCompile(`(?:object\.)?metadata\.labels\[["']([^"']+)["']\]`), "$1"},
	{regexp.MustCompile(`\blabel\(["']([^"']+)["']\)`), "$1"},
	{regexp.MustCompile(`["']`), ""},
	{regexp.MustCompile(` +&& +|\s*&&\s*| +(?i:and) +|\s*;\s*`), ","},
	{regexp.MustCompile(`: +`), "="},
	{regexp.MustCompile(` *===? *`), "="},
	{regexp.MustCompile(` *(?:<>|!==|!=|=!) *`), "!="},
	{regexp.MustCompile(`\[`), "("},
	{regexp.MustCompile(`\]`), ")"},
	{regexp.MustCompile(`(?i) +not +in\b *`), " notin "},
	{regexp.MustCompile(` +(?:IN|In|iN)\b *`), " in "},
	{regexp.MustCompile(` +(?:NotIn|notIn|NOTIN)\b *`), " notin "},
	{regexp.MustCompile(`(^|,) *(?i:not) +`), "$1!"},
	{regexp.MustCompile(`([\w./-]+) +(?i:exists)\b`), "$1"},
	{regexp.MustCompile(`([\w./-]+) +(?i:does ?not ?exist)\b`), "!$1"},
	{regexp.MustCompile(`(^|,) *([\w./-]+) *=\* *(,|$)`), "$1$2$3"},
	{regexp.MustCompile(`(^|,) *!([\w./-]+)=([\w.-]+)`), "$1$2!=$3"},
	{regexp.MustCompile(`^ *,+|,+ *$`), ""},
	{regexp.MustCompile(`,\s*,`), ","},
	{regexp.MustCompile(`\b(in|notin) +([\w.-]+(?:, *[\w.-]+)*)$`), "$1 ($2)"},
	{regexp.MustCompile(`\((\s*[\w.-]+(?:\s*,\s*[\w.-]+)*\s*)$`), "($1)"},
	{regexp.MustCompile(`^\(([^()]*)\)$`), "$1"},
	{regexp.MustCompile(`(=[\w.-]*) +([\w./-]+=)`), "$1,$2"},
	{regexp.MustCompile(`^([\w./-]+)=([\w.-]+)\|([\w.-]+)$`), "$1 in ($2, $3)"},
	{regexp.MustCompile(`^([\w./-]+)!=([\w.-]+)\|([\w.-]+)$`), "$1 notin ($2, $3)"},
}

var (
	choice   = regexp.MustCompile(`\s*\|\|\s*| +(?i:or) +`)
	equality = regexp.MustCompile(`^\s*([\w./-]+)\s*==?\s*([\w.-]+)\s*$`)
	pattern  = regexp.MustCompile(`^\s*([\w./-]+)\s*(?:=~|!~|~=?|=|!=| like | matches )\s*(.*[*?^$+\\~|].*)$`)
	ordered  = regexp.MustCompile(`^\s*([\w./-]+)\s*([<>]=?)\s*(\S+)\s*$`)
	term     = regexp.MustCompile(`^\s*([^=!<>(),]+?)\s*(?:==?|!=)\s*([^,]*?)\s*$`)
)

// meantLabels returns the selector that is meant by a text that is none, "" if that is not clear.
func meantLabels(text string) string {
	meant := eitherOf(text)
	if meant == "" {
		meant = text
	}
	for _, r := range rewritings {
		meant = r.form.ReplaceAllString(meant, r.by)
	}
	if meant = strings.TrimSpace(meant); meant == "" || meant == text {
		return ""
	}
	if _, err := Label(meant); err != nil {
		return ""
	}
	return meant
}

// eitherOf returns KEY in (a, b) for KEY=a or KEY=b, "" for other texts.
func eitherOf(text string) string {
	parts := choice.Split(text, -1)
	if len(parts) < 2 {
		return ""
	}
	key, values := "", []string{}
	for _, part := range parts {
		is := equality.FindStringSubmatch(strings.NewReplacer(`"`, "", "'", "").Replace(part))
		if is == nil || key != "" && key != is[1] {
			return ""
		}
		key, values = is[1], append(values, is[2])
	}
	return key + " in (" + strings.Join(values, ", ") + ")"
}

// labelProblem says what is wrong with a text that is not a label selector.
func labelProblem(text string) (problem, hint string) {
	const not = " is not a label selector"
	if meant := meantLabels(text); meant != "" {
		return not, "write " + document.Flow(meant)
	}
	if choice.MatchString(text) {
		return not, oneOf
	}
	if is := pattern.FindStringSubmatch(text); is != nil && !strings.Contains(text, ",") {
		return not + ": there are no patterns in it", noMatch + matching(is[1], is[2])
	}
	if is := ordered.FindStringSubmatch(text); is != nil {
		return not + ": > and < compare with whole numbers only",
			"write " + is[1] + ">5 or " + is[1] + "<5, or an expression in the listener's select"
	}
	if strings.HasPrefix(strings.TrimSpace(text), "=") {
		return not + ": the name of a label is missing before =", example
	}
	if strings.Count(text, "(") != strings.Count(text, ")") {
		return not + ": a bracket is not closed", example
	}
	for _, part := range strings.Split(text, ",") {
		if problem, hint := termProblem(part); problem != "" {
			return not + ": " + problem, hint
		}
	}
	return not, "write labels and values, " + example
}

// termProblem says what is wrong with a label or a value of one term, "" if nothing is found.
func termProblem(part string) (problem, hint string) {
	is := term.FindStringSubmatch(part)
	if is == nil {
		return "", ""
	}
	switch key, value := is[1], is[2]; {
	case len(validation.IsQualifiedName(key)) > 0 && strings.Count(key, "/") > 1:
		return document.Quote(key) + " is not the name of a label: it has more than one /", example
	case len(validation.IsQualifiedName(key)) > 0:
		return document.Quote(key) + " is not the name of a label",
			"names have letters, digits, -, _ and ., and may have a domain and / before them"
	case len(value) > validation.LabelValueMaxLength:
		return document.Quote(value) + " is longer than the 63 characters that a label may have",
			"labels are shorter: look at one with kubectl get --show-labels"
	case len(validation.IsValidLabelValue(value)) > 0:
		return document.Quote(value) + " is not the value of a label",
			"values have letters, digits, -, _ and ., and begin and end with a letter or a digit"
	}
	return "", ""
}

// matching returns an expression that compares a label with a pattern.
func matching(label, pattern string) string {
	pattern = strings.Trim(pattern, `"'`)
	if strings.Contains(pattern, ".*") || strings.ContainsAny(pattern, `^$+\|~`) {
		return document.Flow(`label("` + label + `") matches ` + strconv.Quote(pattern))
	}
	return document.Flow(`glob(` + strconv.Quote(pattern) + `, label("` + label + `"))`)
}
