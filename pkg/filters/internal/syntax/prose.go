package syntax

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/pkg/filters/internal/habits"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// Template is a value in a text as templates of Go have it.
var Template = regexp.MustCompile(`\{\{-?\s*[.$].*?\}\}`)

// placeholders are the values in templates of other tools: {{ .metadata.name }},
// ${object.metadata.name}. A field that is named within a sentence counts as one, too.
var placeholders = regexp.MustCompile(
	`\{\{-?\s*(.*?)\s*-?\}\}|\$\{\s*(.*?)\s*\}|\$\(\s*(.*?)\s*\)|\b(object(?:\.[A-Za-z_]\w*)+)`)

// Prose returns the mistake of a message that is a sentence and not an expression. It
// proposes the sentence as a text with the values of its placeholders.
func (s Source) Prose(offset int, plain string) *lang.CompileError {
	text := strings.Join(strings.Fields(s.Text), " ")
	template := strings.Contains(text, "{{") || strings.Contains(text, "${") ||
		strings.Contains(text, "$(")
	if strings.ContainsAny(text, "\"`=<>+") && !template || strings.Contains(text, `\`) {
		return s.CompileError(offset, "%s", plain)
	}
	expression := s.sentence(text)
	fix := &lang.Fix{From: 0, To: len([]rune(s.Text)), Text: expression}
	if !s.Mends(*fix, len([]rune(s.Text))) {
		return s.CompileError(offset, "%s", plain)
	}
	return s.Proposed(offset, fix,
		"%s; a %s is an expression, and text in it needs quotes: write %[2]s: %s", plain,
		s.Kind.Word().Name, yamlQuoted(expression))
}

// sentence returns a template as an expression.
func (s Source) sentence(text string) string {
	filled := s.FilledIn(text, placeholders, func(string) bool { return true })
	return filled.Text
}

// Filled is a text with values in place of its placeholders.
type Filled struct {
	Text         string // the whole
	Named, Value string // the first placeholder that names something, and its value as a text
	Others       bool   // there are placeholders that name nothing
}

// FilledIn joins a text with the values of the placeholders in it that ok accepts and that can be
// compiled.
func (s Source) FilledIn(text string, placeholder *regexp.Regexp,
	ok func(name string) bool) Filled {
	var parts []string
	var f Filled
	add := func(literal string) {
		if literal != "" {
			parts = append(parts, strconv.Quote(literal))
		}
	}
	behind := 0
	for _, at := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		name := ""
		for group := 2; group < len(at); group += 2 {
			if at[group] >= 0 {
				name = text[at[group]:at[group+1]]
			}
		}
		value := ""
		if name != "" && ok(name) {
			value = s.valueOf(name)
		}
		if value == "" {
			f.Others = f.Others || Letters.MatchString(name)
			continue
		}
		if f.Named == "" {
			f.Named, f.Value = text[at[0]:at[1]], value
		}
		add(text[behind:at[0]])
		parts = append(parts, value)
		behind = at[1]
	}
	add(text[behind:])
	f.Text = strings.Join(parts, " + ")
	return f
}

// Letters is the beginning of a name, with or without what other languages put before it.
var Letters = regexp.MustCompile(`^[.$]*[A-Za-z]`)

// valueOf returns the expression of a placeholder's value as a text, "" if it has none.
func (s Source) valueOf(name string) string {
	name = s.rooted(name)
	value := s
	for _, text := range []string{name, s.ownWords(name)} {
		if text == "" {
			continue
		}
		value.Text = "string(" + text + ")"
		asked := value
		if s.Kind.Returns() == lang.ReturnsBool {
			asked.Text += " == nil"
		}
		if asked.Check(asked.Expression) == nil {
			return value.Text
		}
	}
	return ""
}

// rooted returns the name in a placeholder as an expression has it.
func (s Source) rooted(name string) string {
	if label, ok := strings.CutPrefix(name, "$labels."); ok && ofSeries[label] != "" {
		return ofSeries[label]
	}
	name = strings.TrimPrefix(name, "request.")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "$"), ".")
	field, _, _ := strings.Cut(name, ".")
	switch {
	case s.Kind.SeesMessages() && slices.Contains(lang.MessageVariables, field):
	case s.IsTopField(field):
		name = "object." + name
	case slices.Contains(OfMetadata, field):
		name = "object.metadata." + name
	}
	return name
}

// ofSeries is what the labels of the series of kube-state-metrics stand for, of their own objects.
var ofSeries = map[string]string{"namespace": "object.metadata.namespace",
	"uid": "object.metadata.uid", "pod": "object.metadata.name", "node": "object.metadata.name",
	"deployment": "object.metadata.name", "statefulset": "object.metadata.name",
	"daemonset": "object.metadata.name", "replicaset": "object.metadata.name",
	"job_name": "object.metadata.name", "cronjob": "object.metadata.name",
	"persistentvolumeclaim": "object.metadata.name", "service": "object.metadata.name"}

// ownWords returns what has functions of other languages in the words of this one, "" if it has
// none.
func (s Source) ownWords(text string) string {
	fixes := habits.Rewritings(habits.Asked{Text: text, Functions: s.Kind.Functions()})
	if len(fixes) == 0 {
		return ""
	}
	for _, fix := range slices.Backward(fixes) {
		text = fix.Apply(text)
	}
	return text
}

// yamlQuoted returns an expression as a quoted text of YAML.
func yamlQuoted(expression string) string {
	return "'" + strings.ReplaceAll(expression, "'", "''") + "'"
}
