package patch

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func emitted(t testing.TB, data string) sink.Message {
	t.Helper()
	m := sinktest.Message(t, "web", 7)
	m.Body, m.Data = sink.BodyData, data
	return m
}

func TestBody(t *testing.T) {
	const filled = `"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop",` +
		`"resourceVersion":"9","uid":"uid-web"}`
	for _, tt := range []struct {
		typ        Type
		data, want string // want is empty if there is nothing to patch
	}{
		{Apply, `{}`, `{` + filled + `}`},
		{Apply, ` {"spec":{"a":"<&>","n":12345678901234567890}} `,
			`{` + filled + `,"spec":{"a":"<&>","n":12345678901234567890}}`},
		{Apply, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop",` +
			`"resourceVersion":"1","uid":"uid-web","managedFields":[{}]}}`, `{` + filled + `}`},
		{Apply, `{"spec":"\/\ud83d\ude00` + "\u007f\u0085\u2028\ufeff\uffff" + `\ud800\u0000"}`,
			`{` + filled + `,"spec":"/` + "\U0001f600" + `\u007f\u0085\u2028\ufeff\uffff` +
				"\ufffd" +
				`\u0000"}`},
		{Merge, `{"spec":null}`, `{` + filled + `,"spec":null}`},
		{Merge, `{}`, ""}, {Merge, `null`, ""}, {Apply, ``, ""}, {JSON, ` null `, ""},
		{JSON, `[]`, ""},
		{JSON, `[{"op":"remove","path":"/spec"}]`, `[{"op":"remove","path":"/spec"},` +
			`{"op":"replace","path":"/metadata/resourceVersion","value":"9"}]`},
	} {
		s := &Sink{Config: Config{Type: tt.typ}}
		m := emitted(t, tt.data)
		b, err := s.body(&m)
		if err != nil {
			t.Errorf("%v %s: %v", tt.typ, tt.data, err)
			continue
		}
		got := ""
		if b != nil {
			_ = b.on(m.Object, "8")
			got = string(b.on(m.Object, "9"))
		}
		if got != tt.want {
			t.Errorf("%v %s\n got %s\nwant %s", tt.typ, tt.data, got, tt.want)
		}
	}
}

// Some aggregated APIs have no versions.
func TestBodyWithoutAVersion(t *testing.T) {
	for typ, want := range map[Type]string{
		JSON: `[{"op":"test","path":"/metadata/uid","value":"uid-web"},{"op":"a"}]`,
		Merge: `{"a":1,"apiVersion":"v1","kind":"Pod","metadata":{"name":"web",` +
			`"namespace":"shop","uid":"uid-web"}}`,
	} {
		m := emitted(t, map[Type]string{JSON: `[{"op":"a"}]`, Merge: `{"a":1}`}[typ])
		b, err := (&Sink{Config: Config{Type: typ}}).body(&m)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(b.on(m.Object, "")); got != want {
			t.Errorf("%v: got %s, want %s", typ, got, want)
		}
	}
}

func TestBodiesThatAreRefused(t *testing.T) {
	const hidden = "hunter2"
	for _, tt := range []struct {
		typ        Type
		data, want string
	}{
		{Apply, `"hunter2"`, "the message is not a patch, which is an object"},
		{Apply, `[{"op":"hunter2"}]`, "the message is not a patch, which is an object"},
		{Merge, `7`, "the message is not a patch, which is an object"},
		{Merge, `{"hunter2"`, "it is not valid JSON"},
		{JSON, `{"hunter2":1}`, "the message is not a JSON patch, which is a list of operations"},
		{JSON, `[hunter2]`, "it is not valid JSON"},
		{Merge, `{"metadata":null}`, "metadata of the patch is not an object"},
		{Merge, `{"metadata":["hunter2"]}`, "metadata of the patch is not an object"},
		{Apply, `{"kind":"Secret"}`, "its kind is not that of the message's object"},
		{Apply, `{"kind":null}`, "its kind is not that of the message's object"},
		{Merge, `{"apiVersion":"v2"}`, "its apiVersion is not"},
		{Merge, `{"metadata":{"name":"hunter2"}}`, "its name is not"},
		{Merge, `{"metadata":{"namespace":"other"}}`, "its namespace is not"},
		{Apply, `{"metadata":{"uid":"other"}}`, "its uid is not"},
	} {
		m := emitted(t, tt.data)
		_, err := (&Sink{Config: Config{Type: tt.typ}}).body(&m)
		if err == nil || !strings.Contains(err.Error(), tt.want) ||
			strings.Contains(err.Error(), hidden) {
			t.Errorf("%v %s: %v, want %s", tt.typ, tt.data, err, tt.want)
		}
	}
	plain := sinktest.Message(t, "web", 7)
	if _, err := (&Sink{}).body(&plain); !errors.Is(err, errNoPatch) {
		t.Errorf("a message without data: %v", err)
	}
}

func TestBodyOfAnExpression(t *testing.T) {
	failed := errors.New("the expression failed")
	s := &Sink{Config: Config{Type: Merge, Patch: func(m *sink.Message) (string, error) {
		if m.ResourceVersion == "8" {
			return "", failed
		}
		return `{"a":"` + m.ResourceVersion + `"}`, nil
	}}}
	m := sinktest.Message(t, "web", 7) // its data is the object
	b, err := s.body(&m)
	if err != nil || string(b.fields["a"]) != `"7"` {
		t.Errorf("got %+v, %v", b, err)
	}
	m = sinktest.Message(t, "web", 8)
	if _, err := s.body(&m); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}

func FuzzBody(f *testing.F) {
	for _, seed := range []string{`{}`, `[]`, `null`, `{"metadata":{"name":"web"}}`,
		`[{"op":"test"}]`, `{"metadata":{"\ud800":1}}`, "{\"a\":\"\xff\"}"} {
		f.Add(seed)
	}
	m := emitted(f, "")
	f.Fuzz(func(t *testing.T, data string) {
		for _, typ := range []Type{Apply, JSON, Merge} {
			m := m
			m.Data = data
			if b, err := (&Sink{Config: Config{Type: typ}}).body(&m); err == nil && b != nil {
				got := b.on(m.Object, "1")
				if typ == Apply && bytes.ContainsFunc(got, oddInYAML) {
					t.Errorf("%q has a character that YAML does not read", got)
				}
				if again := b.on(m.Object, ""); !json.Valid(got) || !json.Valid(again) {
					t.Errorf("%q or %q is not JSON", got, again)
				}
			}
		}
	})
}
