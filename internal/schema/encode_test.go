package schema

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
)

func TestEncode(t *testing.T) {
	text := &filters.Schema{Type: "string"}
	// equal to text
	labels := &filters.Schema{Type: "object", Values: &filters.Schema{Type: "string"}}
	words := &filters.Schema{Type: "string", Enum: []string{"", "a b", "c|d%"}}
	thing := &filters.Schema{Type: "object",
		Fields: map[string]*filters.Schema{"b": text, "e": words, "a": labels, "c": {Open: true}}}
	thing.Fields["d"] = &filters.Schema{Type: "array", Items: thing}
	set := &Set{}
	set.Add(&Set{entries: []entry{
		{group: "apps", version: "v1", resource: "things", kind: "Thing", schema: thing,
			shortNames: []string{"th", "t"}},
		{version: "v1", resource: "texts", kind: "Text", schema: text},
	}})
	packed, err := set.Encode("v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	got, err := decompress(packed)
	if err != nil {
		t.Fatal(err)
	}
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
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	back, version, err := decode(packed)
	if err != nil || version != "v1.2.3" {
		t.Fatal(version, err)
	}
	for _, name := range []string{"things.v1.apps", "thing", "th", "t.apps"} {
		if s, _ := back.Lookup(name); describe(s) != "{a: {*: string}, b: string, c: any, d: [^], e: string||a b|c|d%}" {
			t.Errorf("%s: got %s", name, describe(s))
		}
	}
	if s, _ := back.LookupGVR("", "v1", "texts"); s == nil ||
		s != at(at(back.entries[1].schema, "a"), "{}") {
		t.Error("equal schemas are not shared")
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
	set := &Set{entries: []entry{{version: "v1", resource: "things", kind: "Thing", schema: root}}}
	packed, err := set.Encode("v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := decode(packed)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := back.Lookup("things")
	if got := describe(s); got != "{a: [[[[[string]]]]], b: [[[[[integer]]]]], c: [^], d: [[[[[string]]]]], e: [^]}" {
		t.Errorf("got %s", got)
	}
}

func TestEncodingAgainGivesTheSame(t *testing.T) {
	again, err := builtinSet(t).Encode(BuiltinVersion())
	if err != nil {
		t.Fatal(err)
	}
	got, err := decompress(again)
	if err != nil {
		t.Fatal(err)
	}
	want, err := decompress(packed)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("encoding the built-in schemas again changes them")
	}
}

func TestEncodeRefusesNames(t *testing.T) {
	for _, name := range []string{"", "a b", "a=b", "a\nb", "a\r", "[]", "{}"} {
		set := &Set{entries: []entry{
			{schema: &filters.Schema{Fields: map[string]*filters.Schema{name: {}}}}}}
		if _, err := set.Encode("v1"); err == nil ||
			err.Error() != fmt.Sprintf("the field name %q cannot be written", name) {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

func TestDecodeMistakes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "line 1: want Kubernetes "},
		{"Kubernetes v1\n", "line 1: want schemas "},
		{"Kubernetes v1\nschemas x\n", `line 2: "x" is not a number of schemas`},
		{"Kubernetes v1\nschemas -1\n", `line 2: "-1" is not a number of schemas`},
		{"Kubernetes v1\nschemas 3\nstring\nstring\n", `line 2: "3" is not a number of schemas`},
		{"Kubernetes v1\nschemas 1\nobject a=1\n", `line 3: "1" is not a schema`},
		{"Kubernetes v1\nschemas 1\nobject a=-1\n", `line 3: "-1" is not a schema`},
		{"Kubernetes v1\nschemas 1\nobject a\n", `line 3: "" is not a schema`},
		{"Kubernetes v1\nschemas 1\nstring |a|%\n", `line 3: "|a|%" is not a list of texts`},
		{"Kubernetes v1\nschemas 1\nobject |a\n", `line 3: "" is not a schema`},
		{"Kubernetes v1\nschemas 0\nthing v1 pods Pod 0\n", "line 3: want a resource"},
		{"Kubernetes v1\nschemas 0\nresource v1 pods Pod\n", "line 3: want a resource"},
		{"Kubernetes v1\nschemas 0\nresource v1 pods Pod 0\n", `line 3: "0" is not a schema`},
	} {
		packed, err := compress([]byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if set, _, err := decode(packed); set != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%q: got %v, want %s", tt.text, err, tt.want)
		}
	}
	for _, packed := range []string{"", "no archive", string(packed[:len(packed)/2])} {
		if set, _, err := decode([]byte(packed)); set != nil || err == nil ||
			strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%.10q: got %v", packed, err)
		}
	}
}
