package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

func encoded(t *testing.T, entries []schema.Entry, kubernetes string) string {
	t.Helper()
	packed, err := encode(entries, kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "schemas.gz")
	if err := os.WriteFile(path, packed, 0o600); err != nil {
		t.Fatal(err)
	}
	return string(unpack(t, path))
}

func TestEncode(t *testing.T) {
	text := &filters.Schema{Type: "string"}
	// equal to text
	labels := &filters.Schema{Type: "object", Values: &filters.Schema{Type: "string"}}
	words := &filters.Schema{Type: "string", Enum: []string{"", "a b", "c|d%"}}
	thing := &filters.Schema{Type: "object",
		Fields: map[string]*filters.Schema{"b": text, "e": words, "a": labels, "c": {Open: true}}}
	thing.Fields["d"] = &filters.Schema{Type: "array", Items: thing}
	got := encoded(t, []schema.Entry{
		{Version: "v1", Resource: "texts", Kind: "Text", Schema: text},
		{Group: "apps", Version: "v1", Resource: "things", Kind: "Thing", Schema: thing,
			ShortNames: []string{"th", "t"}},
	}, "v1.2.3")
	const want = `{"Kubernetes":"v1.2.3","Schemas":[` +
		`{"Type":"string","Items":-1,"Values":-1},` +
		`{"Type":"object","Items":-1,"Values":-1,"Fields":{"a":2,"b":0,"c":3,"d":4,"e":5}},` +
		`{"Type":"object","Items":-1,"Values":0},{"Open":true,"Items":-1,"Values":-1},` +
		`{"Type":"array","Items":1,"Values":-1},` +
		`{"Type":"string","Enum":["","a b","c|d%"],"Items":-1,"Values":-1}],"Resources":[` +
		`{"Group":"","Version":"v1","Resource":"texts","Kind":"Text","Schema":0},` +
		`{"Group":"apps","Version":"v1","Resource":"things","Kind":"Thing","ShortNames":["th","t"],"Schema":1}]}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEncodeTellsApartWhatDiffersFarAway(t *testing.T) {
	// Two lists of five that differ only in their last item, and a cycle of unbounded length.
	list := func(last string) *filters.Schema {
		s := &filters.Schema{Type: last}
		for range 5 {
			s = &filters.Schema{Type: "array", Items: s}
		}
		return s
	}
	circle := &filters.Schema{Type: "array"}
	circle.Items = &filters.Schema{Type: "array", Items: circle}
	root := &filters.Schema{Type: "object", Fields: map[string]*filters.Schema{
		"a": list("string"), "b": list("integer"), "c": circle, "d": list("string"),
		"e": circle.Items,
	}}
	got := encoded(t, []schema.Entry{
		{Version: "v1", Resource: "things", Kind: "Thing", Schema: root}}, "v1.2.3")
	const want = `{"Kubernetes":"v1.2.3","Schemas":[` +
		`{"Type":"object","Items":-1,"Values":-1,"Fields":{"a":1,"b":2,"c":3,"d":1,"e":3}},` +
		`{"Type":"array","Items":4,"Values":-1},` +
		`{"Type":"array","Items":5,"Values":-1},` +
		`{"Type":"array","Items":3,"Values":-1},` +
		`{"Type":"array","Items":6,"Values":-1},` +
		`{"Type":"array","Items":7,"Values":-1},` +
		`{"Type":"array","Items":8,"Values":-1},` +
		`{"Type":"array","Items":9,"Values":-1},` +
		`{"Type":"array","Items":10,"Values":-1},` +
		`{"Type":"array","Items":11,"Values":-1},` +
		`{"Type":"array","Items":12,"Values":-1},` +
		`{"Type":"array","Items":13,"Values":-1},` +
		`{"Type":"string","Items":-1,"Values":-1},` +
		`{"Type":"integer","Items":-1,"Values":-1}]` +
		`,"Resources":[{"Group":"","Version":"v1","Resource":"things","Kind":"Thing","Schema":0}]}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEncodingAgainGivesTheSame(t *testing.T) {
	set, err := schema.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	text := unpack(t, "../../internal/schema/builtin.gz")
	var was schema.Packed
	if err := json.Unmarshal(text, &was); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^v1\.\d+\.\d+$`).MatchString(was.Kubernetes) {
		t.Errorf("they are of %q", was.Kubernetes)
	}
	if encoded(t, set.Entries(), was.Kubernetes) != string(text) {
		t.Error("encoding the built-in schemas again changes them")
	}
}
