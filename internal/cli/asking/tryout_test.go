package asking

import (
	"errors"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
)

// What a server says is noted, whoever has written that, and cannot command a terminal. An object
// that is refused since it needs another one of the file is explained without the server.
func TestWhatAServerSays(t *testing.T) {
	object := func(name string) plan.ObjectFile {
		return plan.ObjectFile{Path: name, JSON: []byte(
			`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"` + name + `"}}`)}
	}
	x := &Asking{refused: map[string]bool{},
		questions: []plan.Question{{Object: object("a")}, {Object: object("b")}}}
	for _, c := range []struct {
		err               error
		noEvent, notes    string
		refused, explains bool
	}{
		{nil, "", "", false, true},
		{&live.RefusedError{Reason: "no\n\x1b[31m"}, "the API server refuses it",
			`ConfigMap a: the API server refuses the object: no\n\x1b[31m`, true, false},
		{&live.RefusedError{Reason: `configmaps "b" not found`}, "",
			`unasked: it needs another object of the file: configmaps "b" not found.`, false, false},
		{&live.RefusedError{Reason: `configmaps "c" not found`}, "the API server refuses it",
			`ConfigMap a: the API server refuses the object: configmaps "c" not found`, true, false},
		{errors.New("odd\r"), "", `unasked: odd\r.`, false, false},
	} {
		answered := tried{err: c.err}
		if c.err == nil {
			answered.object = []byte("{}")
		}
		x.tried = map[string]tried{"configmaps a": answered}
		q := plan.Question{Object: object("a")}
		got := x.tryOut(t.Context(), "configmaps", &q, nil, "unasked: ")
		if (got != nil) != c.explains || q.NoEvent != c.noEvent || x.refused["a"] != c.refused ||
			strings.Join(q.Notes, "|") != c.notes {
			t.Errorf("%v: %s, %q, refused %t, %q", c.err, got, q.NoEvent, x.refused["a"], q.Notes)
		}
		clear(x.refused)
	}
	odd := plan.ObjectFile{JSON: []byte(`{"kind":"a\u202e","metadata":{"name":"b\u001b[31m\n"}}`)}
	if got, want := about(odd), `a\u202e b\x1b[31m\n: `; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
