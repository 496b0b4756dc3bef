package migrate

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config/document"
)

// Values keep their places; those in a text have that of the text.
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
	all, err := readNodes("f.yaml", []byte(text), document.Place{})
	if err != nil || len(all) != 2 {
		t.Fatal(len(all), err)
	}
	inner := all[0].get("data").get("config.yaml")
	if inner.Place != (document.Place{Line: 4, Column: 16}) {
		t.Error(inner.Place)
	}
	nested, err := readNodes("f.yaml", []byte(inner.text), inner.Place)
	if err != nil || len(nested) != 1 || !nested[0].get("b").get("c").isList() {
		t.Fatal(nested, err)
	}
	if items := nested[0].get("b").get("c").items; items[1].isPlain() || !items[0].isPlain() {
		t.Error("quotes are lost")
	} else if items[1].Place != inner.Place {
		t.Error(items[1].Place)
	}
	more := all[1].get("more")
	if more.textOf("x") != "1" || more.textOf("y") != "3" || len(more.members) != 3 {
		t.Error(more.members)
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
		{"a: 1\na: 2\n", "f.yaml:2:1: a is defined twice, first on line 1"},
		{"a:\n\tb: 1\n", "f.yaml:2:1: not YAML: found character that cannot start any token\n  \tb: 1\n  ^"},
		{"a: &x [*x]\n", "deeper than 100 levels"},
		{"a: !include b\n", "begins with the tag"}, {"1: a\n", "the key \"1\" in the file is not a string"},
		{"{{- if .Values.x }}\na: 1\n{{- end }}\n", "f.yaml:1"},
		{"a: \xff\n", "is not UTF-8"},
		{bomb, "has more than 200000 values"},
		{strings.Repeat("a", document.MaxSize+1), "is larger than"},
	} {
		if _, err := readNodes("f.yaml", []byte(c.text), document.Place{}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, and not %s", c.text, err, c.want)
		}
	}
	if all, err := readNodes("f.yaml", []byte("\n---\n# nothing\n"), document.Place{}); len(all) != 0 ||
		err != nil {
		t.Error(all, err)
	}
}
