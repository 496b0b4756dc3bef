package schema

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
)

func compress(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func TestDecode(t *testing.T) {
	const text = `Kubernetes v1.2.3
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
	back, version, err := decode(compress(t, text))
	if err != nil || version != "v1.2.3" {
		t.Fatal(version, err)
	}
	for _, name := range []string{"things.v1.apps", "thing", "th", "t.apps"} {
		if s, _ := back.Lookup(name); describe(s) != "{a: {*: string}, b: string, c: any, d: [^], e: string||a b|c|d%}" {
			t.Errorf("%s: got %s", name, describe(s))
		}
	}
	if s, _ := back.LookupGVR("", "v1", "texts"); s == nil ||
		s != at(at(back.entries[1].Schema, "a"), "{}") {
		t.Error("equal schemas are not shared")
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
		if set, _, err := decode(compress(t, tt.text)); set != nil || err == nil || err.Error() != tt.want {
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
