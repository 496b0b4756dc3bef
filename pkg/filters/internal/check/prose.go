package check

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// placeholders are the values in templates of other tools: {{ .metadata.name }},
// ${object.metadata.name}. A field that is named within a sentence counts as one, too.
var placeholders = regexp.MustCompile(
	`\{\{-?\s*(.*?)\s*-?\}\}|\$\{\s*(.*?)\s*\}|\$\(\s*(.*?)\s*\)|\b(object(?:\.[A-Za-z_]\w*)+)`)

// prose returns the mistake of a message that is a sentence and not an expression. It
// proposes the sentence as a text with the values of its placeholders.
func (s draft) prose(offset int, plain string) *lang.CompileError {
	text := strings.Join(strings.Fields(s.Text), " ")
	template := strings.Contains(text, "{{") || strings.Contains(text, "${") ||
		strings.Contains(text, "$(")
	if strings.ContainsAny(text, "\"`=<>+") && !template || strings.Contains(text, `\`) {
		return s.CompileError(offset, "%s", plain)
	}
	expression := s.sentence(text)
	fix := &lang.Fix{From: 0, To: len([]rune(s.Text)), Text: expression}
	if !s.mends(*fix, len([]rune(s.Text))) {
		return s.CompileError(offset, "%s", plain)
	}
	return s.Proposed(offset, fix,
		"%s; a %s is an expression, and text in it needs quotes: write %[2]s: %s", plain,
		s.Kind.Word().Name, yamlQuoted(expression))
}

// sentence returns a template as an expression.
func (s draft) sentence(text string) string {
	var parts []string
	add := func(literal string) {
		if literal != "" {
			parts = append(parts, strconv.Quote(literal))
		}
	}
	behind := 0
	for _, at := range placeholders.FindAllStringSubmatchIndex(text, -1) {
		name := ""
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				name = text[at[group]:at[group+1]]
			}
		}
		name = strings.TrimPrefix(strings.TrimPrefix(name, "$"), ".")
		if field, _, _ := strings.Cut(name, "."); s.isTopField(field) {
			name = "object." + name
		}
		value := s
		value.Text = "string(" + name + ")"
		if _, _, err := Expression(value.Expression); err != nil || name == "" {
			continue
		}
		add(text[behind:at[0]])
		parts = append(parts, value.Text)
		behind = at[1]
	}
	add(text[behind:])
	return strings.Join(parts, " + ")
}

// yamlQuoted returns an expression as a quoted text of YAML.
func yamlQuoted(expression string) string {
	return "'" + strings.ReplaceAll(expression, "'", "''") + "'"
}
