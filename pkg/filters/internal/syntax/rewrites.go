package syntax

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// rewrite is a form of another language, and the function that writes it here from what was found.
// An empty result means that it is another form.
type rewrite struct {
	pattern *regexp.Regexp
	what    string
	write   func(found []string) string
}

const (
	aField  = `((?:\.|[A-Za-z_])[\w.]*)`
	aValue  = `("[^"]*"|'[^']*'|\[[^\[\]]*\]|-?[\w.]+)`
	compare = `(==|!=|<=|>=|<|>|contains|startsWith|endsWith|matches|in)`
)

// rewrites are forms that are no expressions here. The first one that lets the text be read counts.
var rewrites = []rewrite{
	{regexp.MustCompile(`\bobject\.status\.conditions\[\?\(?\s*(?:@\.|\.)?type\s*==?\s*["'](\w+)["']\s*\)?\]`),
		"an entry of a list is found by condition(…) or find(…)", func(found []string) string {
			return "condition(" + strconv.Quote(found[1]) + ")"
		}},
	{regexp.MustCompile(aField + `\[\?\(\s*@(\.[\w.]+)\s*` + compare + `\s*` + aValue + `\s*\)\]`),
		"an entry of a list is found by condition(…) or find(…)", func(found []string) string {
			return "find(" + fromRoot(found[1]) + ", " + found[2] + " " + found[3] + " " + found[4] + ")"
		}},
	{regexp.MustCompile(`(?:\blength\(\s*)?` + aField + `\[\?\s*` + jmesCondition + `\s*\](\s*\)|(?:\.\w+)*)`),
		"a question about the items of a list is any(…), find(…) or count(…)", ofJMESPath},
	{regexp.MustCompile(aField + `\[\*?\]((?:\.\w+)*)\s*` + compare + `\s*` + aValue),
		"a question about the items of a list is any(…) or all(…)", func(found []string) string {
			item := found[2]
			if item == "" {
				item = "#"
			}
			return "any(" + fromRoot(found[1]) + ", " + item + " " + found[3] + " " + found[4] + ")"
		}},
	{regexp.MustCompile(`\b([A-Za-z_]\w*)\.(\d+)\b`), "an item of a list is in square brackets",
		func(found []string) string { return found[1] + "[" + found[2] + "]" }},
	{regexp.MustCompile(`\.\?(\w+)`), "a missing field is nil, without a question mark",
		func(found []string) string { return "." + found[1] }},
	{regexp.MustCompile(`@((?:\.\w+)+)`), "the object is called object",
		func(found []string) string { return "object" + found[1] }},
	{regexp.MustCompile(`\{\s*[$@]?(\.[\w.]+)\s*\}`), "a field is written without braces",
		func(found []string) string { return fromRoot(found[1]) }},
	{regexp.MustCompile(`\btypeof\s+([\w.]+)\s*(=|!)==?\s*["']undefined["']`), "a missing field is nil",
		func(found []string) string { return found[1] + " " + found[2] + "= nil" }},
	{regexp.MustCompile(`\bnew\s+Date\(`), "a date is made by date(…)",
		func([]string) string { return "date(" }},
	{regexp.MustCompile(`([A-Za-z_][\w.]*)\.match\(/([^/\\]+)/\w*\)`), "a pattern is a text",
		func(found []string) string { return found[1] + " matches " + strconv.Quote(found[2]) }},
	{regexp.MustCompile(`/([^/\\]+)/\w*\.test\(([A-Za-z_][\w.]*)\)`), "a pattern is a text",
		func(found []string) string { return found[2] + " matches " + strconv.Quote(found[1]) }},
	{regexp.MustCompile(`\bin\s+("[^"]*"(?:\s*,\s*"[^"]*")+)`), "a list is in square brackets",
		func(found []string) string { return "in [" + found[1] + "]" }},
	{regexp.MustCompile(`^\s*(?:(?:const|var|local|set)\s+)?\$?([A-Za-z]\w*)\s*:?=\s*([^=;~][^;]*);`),
		"a name for a value is made by let", func(found []string) string {
			return "let " + found[1] + " = " + found[2] + ";"
		}},
	{regexp.MustCompile(`\b(any|all)\(([^()]+?)\s+for\s+(\w+)\s+in\s+([A-Za-z_][\w.]*)\)`),
		"an item has no name here", func(found []string) string {
			return found[1] + "(" + found[4] + ", " + habits.OfItem(found[2], found[3]) + ")"
		}},
	{regexp.MustCompile(`\[\s*([^\[\]]+?)\s+for\s+(\w+)\s+in\s+([A-Za-z_][\w.]*)(?:\s+if\s+([^\[\]]+?))?\s*\]`),
		"an item has no name here", ofComprehension},
	{regexp.MustCompile(`\bf("[^"\\]*"|'[^'\\]*')`), "", nil},
	{regexp.MustCompile(`^\s*if\s+(.+?)\s+then\s+true\s+else\s+false(?:\s+end|\s+fi)?\s*$`),
		"a condition is written alone", func(found []string) string { return found[1] }},
}

// jmesCondition is a condition on the items of a list in JMESPath: a field that is compared, or a
// function of one and a text.
const jmesCondition = "(?:(\\w[\\w.]*)\\s*(==|!=|<=|>=|<|>)\\s*(`[^`]*`|\"[^\"]*\"|'[^']*'|[\\w.]+)|" +
	"(contains|starts_with|ends_with)\\(\\s*(\\w[\\w.]*)\\s*,\\s*(\"[^\"]*\"|'[^']*')\\s*\\))"

// ofJMESPath writes a list with a condition on its items: how many there are, a field of the first
// one, or whether there is one.
func ofJMESPath(found []string) string {
	field, op, value := found[2]+found[6], found[3], found[4]+found[7]
	if function := found[5]; function != "" {
		op = map[string]string{"contains": "contains", "starts_with": "startsWith",
			"ends_with": "endsWith"}[function]
	}
	if literal := strings.Trim(value, "`"); literal != value {
		if value = literal; Letters.MatchString(literal) && literal != "true" && literal != "false" &&
			literal != "null" && !strings.HasPrefix(literal, `"`) {
			value = strconv.Quote(literal)
		}
	}
	if value == "null" {
		value = "nil"
	}
	condition := "(" + fromRoot(found[1]) + ", ." + field + " " + op + " " + value + ")"
	switch counted := strings.HasPrefix(found[0], "length"); {
	case counted != strings.HasSuffix(found[8], ")"):
		return ""
	case counted:
		return "count" + condition
	case found[8] != "":
		return "find" + condition + found[8]
	}
	return "any" + condition
}

func ofComprehension(found []string) string {
	value, list := habits.OfItem(found[1], found[2]), found[3]
	if found[4] != "" {
		list = "filter(" + list + ", " + habits.OfItem(found[4], found[2]) + ")"
	}
	if value == "#" {
		return list
	}
	return "map(" + list + ", " + value + ")"
}

// fromRoot returns a path that may begin with a dot with its root.
func fromRoot(path string) string {
	if strings.HasPrefix(path, ".") {
		return "object" + path
	}
	return path
}

// otherForm recognizes a form of another language.
func (s Source) otherForm(_ string, offset int, _ []rune) *lang.CompileError {
	for _, r := range slices.Concat(rewrites, statements) {
		for _, at := range r.pattern.FindAllStringSubmatchIndex(s.Text, 5) {
			found := make([]string, len(at)/2)
			for i := range found {
				if at[2*i] >= 0 {
					found[i] = s.Text[at[2*i]:at[2*i+1]]
				}
			}
			from := utf8.RuneCountInString(s.Text[:at[0]])
			to := from + utf8.RuneCountInString(found[0])
			what, write := r.what, ""
			if r.write != nil {
				write = r.write(found)
			} else { // a text with values in braces
				what = "a text has no values in it"
				literal := found[1]
				write = s.FilledIn(literal[1:len(literal)-1], inBraces, Letters.MatchString).Text
			}
			fix := &lang.Fix{From: from, To: to, Text: write}
			if write == "" || offset < from-1 || !s.Mends(*fix, min(offset, from)) {
				continue
			}
			if offset > to && !s.reads(*fix) {
				continue
			}
			return s.Proposed(from, fix, "%s: write %s", what, write)
		}
	}
	return nil
}

var inBraces = regexp.MustCompile(`\{\s*([^{}]+?)\s*\}`)

// reads reports whether the text can be read after a change.
func (s Source) reads(fix lang.Fix) bool {
	text := fix.Apply(s.Text)
	return len(text) <= lang.MaxSource && s.Read(text) == nil
}

// memberOfMap begins with a member of a map, as in "ns": namespace.
var memberOfMap = regexp.MustCompile("^(\"[^\"]*\"|'[^']*')\\s*:")

// joined recognizes texts and values that follow each other: "pod " object.metadata.name.
func (s Source) joined(_ string, offset int, text []rune) *lang.CompileError {
	if offset <= 0 || offset >= len(text) || IsWordRune(text[offset-1]) {
		return nil
	}
	before := strings.TrimRight(string(text[:offset]), " \t\r\n")
	quotes := `"'` + "`"
	if before == "" || !strings.ContainsAny(before[len(before)-1:], quotes) &&
		!strings.ContainsRune(quotes, text[offset]) {
		return nil
	}
	if !slices.Contains([]lang.Returns{lang.ReturnsText, lang.ReturnsJSON}, s.Kind.Returns()) {
		return nil
	}
	if memberOfMap.MatchString(string(text[offset:])) {
		at := len([]rune(before))
		if e := s.Replacing(at, at, ",",
			"a comma is missing between the members of a map: write , here"); e != nil {
			return e
		}
	}
	return s.Replacing(offset, offset, "+ ", "texts and values are joined with +: write + here")
}
