package document

import (
	"strings"
	"testing"
)

var anyKind = &Kind{Noun: "file"}

// Values keep their places, also those of a text in a literal block.
func TestNodes(t *testing.T) {
	const text = `# a manifest
kind: ConfigMap
data:
  config.yaml: |

    a: 1
    b: {c: [x, "1"]}
  folded: >
    a: 1
---
---
base: &base {x: 1, y: 2}
more: {<<: *base, y: 3, z: }
`
	all, err := Nodes(anyKind, "f.yaml", []byte(text))
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	inner := all[0].Get("data").Get("config.yaml")
	if inner.Place != (Place{4, 16}) || inner.Inside(Place{2, 4}) != (Place{6, 8}) {
		t.Error(inner.Place, inner.Inside(Place{2, 4}))
	}
	if folded := all[0].Get("data").Get("folded"); folded.Inside(Place{1, 4}) != folded.Place {
		t.Error("a place in a folded text is that of the text")
	}
	nested, err := Nodes(anyKind, "f.yaml", []byte(inner.Text))
	if err != nil || len(nested) != 1 || !nested[0].Get("b").Get("c").IsList() {
		t.Fatal(nested, err)
	}
	if items := nested[0].Get("b").Get("c").Items; items[1].IsPlain() || !items[0].IsPlain() {
		t.Error("quotes are lost")
	}
	more := all[1].Get("more")
	if more.String("x") != "1" || more.String("y") != "3" || len(more.Members) != 3 {
		t.Error(more.Members)
	}
}

// What cannot be read is a mistake with its place, and nothing hangs or fills the memory.
func TestNodesMistakes(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		before := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" +
			strings.TrimSuffix(strings.Repeat("*"+before+",", 10), ",") + "]\n"
	}
	for _, c := range []struct{ text, want string }{
		{"a: 1\na: 2\n", "f.yaml:2:1: a is defined twice, first on line 1; keep one of them"},
		{"a:\n\tb: 1\n", "f.yaml:2:1: a tab in the indentation; YAML wants spaces there"},
		{"a: &x [*x]\n", "an alias must not contain itself"},
		{"a: !include b\n", "has the tag"}, {"1: a\n", "the key \"1\" in the file is not a string"},
		{"{{- if .Values.x }}\na: 1\n{{- end }}\n", "f.yaml:1"},
		{"a: \xff\n", "is not UTF-8"},
		{bomb, "has more than 200000 values"},
		{strings.Repeat("a", MaxSize+1), "is larger than"},
	} {
		if _, err := Nodes(anyKind, "f.yaml", []byte(c.text)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, and not %s", c.text, err, c.want)
		}
	}
	if all, err := Nodes(anyKind, "f.yaml", []byte("\n---\n# nothing\n")); len(all) != 0 ||
		err != nil {
		t.Error(all, err)
	}
}
