package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const podText = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"

// Each object of a text is read, whichever form the text has.
func TestReadObjects(t *testing.T) {
	const item = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"}}`
	for name, c := range map[string]struct {
		text    string
		want    []string // of each object
		several bool
	}{
		"one":          {podText, []string{"<stdin>"}, false},
		"one JSON":     {item, []string{"<stdin>"}, false},
		"JSON lines":   {item + "\n" + item + "\n", []string{"<stdin>: document 1", "<stdin>: document 2"}, true},
		"documents":    {"---\n" + podText + "---\n" + podText + "---\n", []string{"<stdin>: document 1", "<stdin>: document 2"}, true},
		"one, begun":   {"--- # the pod\n" + podText, []string{"<stdin>"}, false},
		"a list":       {"kind: List\nitems: [" + item + "]", []string{"<stdin>: items[0]"}, true},
		"typed list":   {"apiVersion: v1\nkind: PodList\nitems: [{metadata: {name: web}}]", []string{"<stdin>: items[0]"}, true},
		"list of list": {"kind: List\nitems: [" + item + "," + item + "]\n---\n" + podText, []string{"<stdin>: document 1: items[0]", "<stdin>: document 1: items[1]", "<stdin>: document 2"}, true},
		"flow":         {"{apiVersion: v1, kind: Pod, metadata: {name: web}}", []string{"<stdin>"}, false},
		"of its own":   {"apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n# items\n", []string{"<stdin>"}, false},
	} {
		all, several, err := ReadObjects("-", strings.NewReader(c.text))
		var got []string
		for _, o := range all {
			if string(o.JSON) != item {
				t.Errorf("%s: got %s", name, o.JSON)
			}
			got = append(got, o.At)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || several != c.several || err != nil {
			t.Errorf("%s: %q, several: %t, %v", name, got, several, err)
		}
	}
}

// What is no object is an error, which says where.
func TestMistakesInObjects(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "<stdin>: there is no object in it",
		"null":                      "<stdin>: there is no object in it",
		"# nothing\n---\n---\n":     "<stdin>: there is no object in it",
		"text":                      "<stdin>: there is no object in it",
		podText + "---\n[]":         "<stdin>: document 2: there is no object in it",
		podText + "---\na: 1\na: 1": "<stdin>: document 2: yaml: unmarshal errors: line 3: key \"a\" already set in map",
		"kind: Secret\nstringData: {p: *hunter2}": "<stdin>: the YAML cannot be read; of a Secret nothing is shown",
		"kind: Secret\ndata:\n  p: hunter2\n q":   "<stdin>: the YAML cannot be read: line 3; of a Secret nothing is shown",
		"kind: List\nitems: []":                   "<stdin>: the list is empty",
		"kind: PodList\nitems: [null]":            "<stdin>: items[0]: this is not an object",
		"kind: List\nitems: [{}, 7]":              "<stdin>: items[1]: this is not an object",
		"a: " + strings.Repeat("x", maxObject):    "<stdin>: the object has more than 4194304 bytes",
	} {
		if _, _, err := ReadObjects("-", strings.NewReader(text)); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func TestReadObject(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.yaml")
	for text, want := range map[string]string{
		podText: "<nil>",
		"{\"kind\":\"Pod\",\"a\":\"\\ud83d\\ude00 \x7f\"}": "<nil>", // JSON has more characters than YAML
		podText + "---\n" + podText:                        path + ": there are 2 objects in it: pass one",
		"":                                                 path + ": there is no object in it",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadObject(path); fmt.Sprint(err) != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
