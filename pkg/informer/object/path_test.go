package object

import (
	"reflect"
	"strings"
	"testing"
)

// TestAPathNamesAMemberAsDecoded: not one that is only written like it.
func TestAPathNamesAMemberAsDecoded(t *testing.T) {
	o := mustParse(t, &Parser{},
		`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"x":{"a\"b":1,"c\\d":2}}`)
	for key, want := range map[string]string{`a"b`: "1", `a\"b`: "", `c\\d`: "", `c\d`: "2"} {
		if got := MustCompilePath("x").Key(key).Lookup(o).Raw(); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
}

func TestPathLookup(t *testing.T) {
	o := mustParse(t, &Parser{}, pod)
	for _, c := range []struct {
		path string
		kind Kind
		raw  string
		any  any
	}{
		{`kind`, String, `"Pod"`, "Pod"},
		{`metadata.name`, String, `"web-1"`, "web-1"},
		{`metadata.labels["tier"]`, String, `"f\u0072ont"`, "front"},
		{`metadata["labels"].app`, String, `"web"`, "web"},
		{`spec.containers[1].image`, String, `"b:2"`, "b:2"},
		{`spec.containers[1]`, ObjectKind, `{"image":"b:2"}`, map[string]any{"image": "b:2"}},
		{`spec.containers[2].image`, Missing, ``, nil},
		{`spec.containers.image`, Missing, ``, nil},
		{`spec[0]`, Missing, ``, nil},
		{`spec.nodeName.x`, Missing, ``, nil},
		{`status.phase`, String, `"Running"`, "Running"},
		{`status.n`, Number, `-1.5e3`, -1500.0},
		{`status.big`, Number, `9007199254740993`, 9007199254740993},
		{`status.t`, Bool, `true`, true},
		{`status.nil`, Null, `null`, nil},
		{`status.none`, Missing, ``, nil},
	} {
		p, err := CompilePath(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		v := p.Lookup(o)
		if v.Kind() != c.kind || v.Raw() != c.raw || !reflect.DeepEqual(v.Any(), c.any) {
			t.Errorf("%s = %v %s %v", c.path, v.Kind(), v.Raw(), v.Any())
		}
		if again := MustCompilePath(p.String()); !reflect.DeepEqual(again, p) {
			t.Errorf("%s prints as %s", c.path, p)
		}
	}
	if n := testing.AllocsPerRun(100, func() { imagePath.Lookup(o) }); n != 0 {
		t.Errorf("Lookup allocates %v times", n)
	}
}

var imagePath = MustCompilePath("spec.containers[0].image")

// TestPathLookupAfterEdits: what is cut out before a field moves it, and what is cut out is
// Missing.
func TestPathLookupAfterEdits(t *testing.T) {
	text := `{"metadata":{"managedFields":[1,2,3],"name":"n"},"drop":"me","sp\u0065c":{"a":1,"b":2},"status":{"c":3}}`
	var p Parser
	p.APIVersion, p.Kind = "v1", "Thing"
	if err := p.Drop(MustCompilePath("drop"), MustCompilePath("spec.a")); err != nil {
		t.Fatal(err)
	}
	o := mustParse(t, &p, text)
	for path, want := range map[string]string{"spec.b": "2", "status.c": "3", "status": `{"c":3}`,
		"spec.a": "", "drop": ""} {
		if got := MustCompilePath(path).Lookup(o).Raw(); got != want {
			t.Errorf("%s = %s, want %s", path, got, want)
		}
		if got := MustCompilePath(path).In(o.Value()).Raw(); got != want {
			t.Errorf("%s from the whole value = %s, want %s", path, got, want)
		}
	}
	if err := p.Drop(MustCompilePath("status")); err != nil {
		t.Fatal(err)
	}
	if v := MustCompilePath("status.c").Lookup(mustParse(t, &p, text)); v.Exists() {
		t.Error("a dropped field is there:", v.Raw())
	}
}

func TestCompilePathRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                         `field path is empty`,
		".a":                       `field path ".a", offset 0: expected a field name; quote other names as ["…"]`,
		"a..b":                     `field path "a..b", offset 1: expected a field name; quote other names as ["…"]`,
		"a b":                      `field path "a b", offset 1: expected '.' or '[', found ' '`,
		"a[":                       `field path "a[", offset 1: [ has no ]`,
		"a[-1]":                    `field path "a[-1]", offset 1: array index "-1" is not a number from 0`,
		`a["x]`:                    `field path "a[\"x]", offset 1: quoted name has no end`,
		`a["x"`:                    `field path "a[\"x\"", offset 1: expected ] after the quoted name`,
		"a[0]b":                    `field path "a[0]b", offset 4: expected '.' or '[', found 'b'`,
		"a[999999999999999999999]": `field path "a[999999999999999999999]", offset 1: array index "999999999999999999999" is not a number from 0`,
	} {
		if _, err := CompilePath(in); err == nil || err.Error() != want {
			t.Errorf("CompilePath(%s)\n got %v\nwant %s", in, err, want)
		}
	}
}

func TestPathWithMoreSteps(t *testing.T) {
	base := MustCompilePath("a.b")
	x, y := base.Key("x/y z"), base.Index(3).Key("c")
	if base.String() != "a.b" || x.String() != `a.b["x/y z"]` || y.String() != "a.b[3].c" {
		t.Error(base, x, y)
	}
}

// The steps of a path are those of the compiled one, each where the text has it.
func TestPathSteps(t *testing.T) {
	text := `metadata.labels["a.b\"c"][12]["x"].y-z`
	steps, err := PathSteps(text)
	if err != nil {
		t.Fatal(err)
	}
	var path Path
	for i, want := range []string{"metadata", "labels", `"a.b\"c"`, "12", `"x"`, "y-z"} {
		st := steps[i]
		if !strings.HasPrefix(text[st.Offset:], want) {
			t.Errorf("step %d begins at %d, not at %s", i, st.Offset, want)
		}
		if st.IsIndex {
			path = path.Index(st.Index)
		} else {
			path = path.Key(st.Key)
		}
	}
	if path.String() != MustCompilePath(text).String() {
		t.Errorf("got %s", path)
	}
	for _, text := range []string{"", ".a", "a..b", "a[", strings.Repeat("a.", 1000)} {
		if _, err := PathSteps(text); err == nil {
			t.Errorf("%.9s: no error", text)
		}
	}
}
