package main

import (
	"fmt"
	"os"
	"path/filepath"
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
	const want = `Kubernetes v1.2.3
schemas 6
string
object a=2 b=0 c=3 d=4 e=5
object {}=0
any+
array []=1
string ||a+b|c%7Cd%25
resource v1 texts Text 0
resource apps/v1 things Thing 1 th t
`
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
	const want = `Kubernetes v1.2.3
schemas 14
object a=1 b=2 c=3 d=1 e=3
array []=4
array []=5
array []=3
array []=6
array []=7
array []=8
array []=9
array []=10
array []=11
array []=12
array []=13
string
integer
resource v1 things Thing 0
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEncodingAgainGivesTheSame(t *testing.T) {
	set, err := schema.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	want := string(unpack(t, "../../internal/schema/builtin.gz"))
	var version string
	if _, err := fmt.Sscanf(want, "Kubernetes %s", &version); err != nil {
		t.Fatal(err)
	}
	if encoded(t, set.Entries(), version) != want {
		t.Error("encoding the built-in schemas again changes them")
	}
}

func TestEncodeRefusesNames(t *testing.T) {
	for _, name := range []string{"", "a b", "a=b", "a\nb", "a\r", "[]", "{}"} {
		_, err := encode([]schema.Entry{
			{Schema: &filters.Schema{Fields: map[string]*filters.Schema{name: {}}}}}, "v1")
		if err == nil || err.Error() != fmt.Sprintf("the field name %q cannot be written", name) {
			t.Errorf("%q: got %v", name, err)
		}
	}
}
