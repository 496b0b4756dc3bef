package written

import (
	"strings"
	"testing"
)

func TestExpression(t *testing.T) {
	isName := func(text string) bool { return text == "message" || strings.HasPrefix(text, "object.") }
	for text, want := range map[string]string{
		"metadata:\n  labels:\n    a: b\n":                              `{metadata: {labels: {a: "b"}}}`,
		"metadata: {labels: {app.kubernetes.io/name: web, n: 3}}":       `{metadata: {labels: {"app.kubernetes.io/name": "web", n: 3}}}`,
		"text: message\nn: [1, null, true]\nname: object.metadata.name": `{text: message, n: [1, nil, true], name: object.metadata.name}`,
		"a: 'it is \"so\"'": `{a: "it is \"so\""}`,
		`{"a": object.x}`:   "", "message": "", "- a": "", "a: [": "", "": "", `op == "a" ? 1 : 2`: "",
	} {
		if got := Expression(text, isName); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}
