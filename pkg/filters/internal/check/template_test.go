package check_test

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
)

// An expression is no template. A text that has the placeholders of one stays as it is, which is
// warned of with what to write instead; other texts with brackets are not.
func TestTemplates(t *testing.T) {
	said := func(named, write string) string {
		return `"` + named + `" stays as it is: an expression is no template; write ` + write
	}
	const general = ` is sent as it is: an expression is no template; join texts with +, as in "pod " + object.metadata.name`
	var all []answer
	for _, c := range []struct {
		kind       lang.Kind
		text, want string
	}{
		{lang.KindMessage, `"Pod {{ object.metadata.name }} failed"`,
			said("{{ object.metadata.name }}", `"Pod " + string(object.metadata.name) + " failed"`)},
		{lang.KindMessage, `"${object.metadata.name}"`,
			said("${object.metadata.name}", "string(object.metadata.name)")},
		{lang.KindMessage, `"$(object.metadata.name)"`,
			said("$(object.metadata.name)", "string(object.metadata.name)")},
		{lang.KindMessage, `"{.metadata.name} is #{age()} old"`,
			said("{.metadata.name}", `string(object.metadata.name) + " is " + string(age()) + " old"`)},
		{lang.KindMessage, `"<object.metadata.name> in {{ $.metadata.namespace }}"`,
			said("<object.metadata.name>",
				`string(object.metadata.name) + " in " + string(object.metadata.namespace)`)},
		{lang.KindMessage, `"pod {{ .name }}"`,
			said("{{ .name }}", `"pod " + string(object.metadata.name)`)},
		{lang.KindData, `{"text": "{{ message }}"}`, said("{{ message }}", "string(message)")},
		{lang.KindData, `{"text": "pod {{ .name }} is gone"}`,
			said("{{ .name }}", `"pod " + string(name) + " is gone"`)},
		{lang.KindText, `"{{- severity | upper }}: ${rule}"`,
			said("{{- severity | upper }}", `string(upper(severity)) + ": " + string(rule)`)},
		{lang.KindText, `message ?? "none for {name}"`,
			said("{name}", `("none for " + string(name))`)},
		{lang.KindText, `"{{ .message }} of {{ .team }}"`,
			`"{{ .message }}" stays as it is: an expression is no template; join texts with +, as in "pod " + string(message)`},
		{lang.KindFilter, `label("app") == "{{ .metadata.name }}"`,
			said("{{ .metadata.name }}", "string(object.metadata.name)")},
		{lang.KindText, `"{{ .unknown }}"`, `"{{ .unknown }}"` + general},
		{lang.KindMessage, `"{{ $value }}"`, `"{{ $value }}"` + general},
		// what brackets stand for otherwise
		{lang.KindData, `{"text": "{{}} {{ x }} { .y } ${HOME} $(pwd) {team}"}`, ""},
		{lang.KindMessage, `"object.spec.replicas is missing"`, ""},
		{lang.KindMessage, `"costs $5 {or more}, ${} and {5} and $(5) and ${2}"`, ""},
		{lang.KindWhen, `name == "{{ .name }}" || message matches "^${name}$"`, ""},
		{lang.KindFilter, `object.metadata.namespace == "{{ .Release.Namespace }}"`,
			`templates and variables are not replaced in an expression, so this is never "{{ .Release.Namespace }}": render the file first`},
		{lang.KindFilter, `object.metadata.namespace == "${NS}"`,
			`templates and variables are not replaced in an expression, so this is never "${NS}": render the file first`},
		{lang.KindFilter, `any(object.spec.containers, any(.args, # == "$(name)" || # == "${POD}"))`, ""},
		{lang.KindText, `"` + strings.Repeat("{{ name }}", 21) + `"`, ""},
	} {
		all = append(all, answer{kind: c.kind, text: c.text, want: c.want})
	}
	expectAnswers(t, podSchema(), all)
}

// A template without quotes is a mistake.
func TestTemplatesWithoutQuotes(t *testing.T) {
	_, err := filters.Compile(lang.Expression{Text: `hello {{ .name }}`, Kind: lang.KindData})
	const want = `a data is an expression, and text in it needs quotes: write data: '"hello " + string(name)'`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}
