//go:build !wasip1

package informerd_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
)

// configure and onEvent are set by each test.
var (
	configure func() error
	onEvent   func(e *informerd.Event) informerd.Verdict

	name   = informerd.Path("metadata.name")
	app    = informerd.Path(`metadata.labels["app.kubernetes.io/name"]`)
	second = informerd.Path("items[1].n")
	object = informerd.Path("object")
	truth  = informerd.Path("truth")
	null   = informerd.Path("null")
	none   = informerd.Path("none.at.all")
)

func init() {
	informerd.Register(informerd.Handler{
		Configure: func() error { return configure() },
		OnEvent:   func(e *informerd.Event) informerd.Verdict { return onEvent(e) },
	})
}

const text = `{"metadata":{"name":"we\u0062","labels":{"app.kubernetes.io/name":"a"}},"items":[{"n":1},{"n":-20}],` +
	`"object":{"a": 1},"truth":true,"null":null}`

// start configures the guest to run f for each event.
func start(t *testing.T, f func(e *informerd.Event) informerd.Verdict) *informerdtest.Guest {
	t.Helper()
	configure, onEvent = func() error { return nil }, f
	return informerdtest.Start(t, "")
}

func TestFields(t *testing.T) {
	ran := false
	g := start(t, func(e *informerd.Event) informerd.Verdict {
		ran = true
		for _, test := range []struct {
			path *informerd.FieldPath
			want informerd.Value
		}{
			{name, informerd.Value{Kind: informerd.String, Text: "web"}},
			{app, informerd.Value{Kind: informerd.String, Text: "a"}},
			{second, informerd.Value{Kind: informerd.Number, Text: "-20"}},
			{object, informerd.Value{Kind: informerd.Map, Text: `{"a": 1}`}},
			{truth, informerd.Value{Kind: informerd.Boolean, Text: "true"}},
			{null, informerd.Value{Kind: informerd.Null, Text: "null"}},
			{none, informerd.Value{}},
		} {
			if got := e.Object.Get(test.path); got != test.want {
				t.Errorf("%s: got %v, want %v", test.path, got, test.want)
			}
			if e.Old.Exists() || e.Old.Has(test.path) || e.Old.JSON() != nil {
				t.Errorf("%s: got an old object", test.path)
			}
		}
		if e.Object.String(name) != "web" || e.Object.String(second) != "" ||
			e.Object.Int(second) != -20 ||
			e.Object.Int(name) != 0 || !e.Object.Bool(truth) || e.Object.Bool(null) ||
			!e.Object.Has(null) || e.Object.Has(none) {
			t.Error("a getter is wrong")
		}
		if string(e.Object.JSON()) != text || e.Object.Size() != len(text) {
			t.Errorf("the object is %s", e.Object.JSON())
		}
		if e.Op != informerd.Add || e.Op.String() != "add" {
			t.Errorf("op %v", e.Op)
		}
		return informerd.Done
	})
	if r := g.Add(text); !ran || !reflect.DeepEqual(r, informerdtest.Result{}) {
		t.Errorf("got %+v", r)
	}
}

// A field longer than the SDK's buffer is returned whole.
func TestLongField(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	g := start(t, func(e *informerd.Event) informerd.Verdict {
		if got := e.Object.String(name); got != long {
			t.Errorf("got %d bytes", len(got))
		}
		return informerd.Drop
	})
	if r := g.Add(`{"metadata":{"name":"` + long + `"}}`); r.Verdict != informerd.Drop {
		t.Errorf("got %+v", r)
	}
}

func TestChanged(t *testing.T) {
	var got bool
	g := start(t, func(e *informerd.Event) informerd.Verdict {
		got = e.Changed(name)
		return informerd.Done
	})
	a, b := `{"metadata":{"name":"a"}}`, `{"metadata":{"name":"b"}}`
	for _, test := range []struct {
		name string
		run  func()
		want bool
	}{
		{"add", func() { g.Add(a) }, true},
		{"add without it", func() { g.Add("{}") }, false},
		{"update", func() { g.Update(a, b) }, true},
		{"update of something else", func() { g.Update(a, a) }, false},
		{"delete", func() { g.Delete(a) }, true},
		{"resync", func() { g.Resync(a) }, false},
	} {
		if test.run(); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestOutput(t *testing.T) {
	g := start(t, func(e *informerd.Event) informerd.Verdict {
		if err := informerd.Emit("com.example.a", map[string]int{"n": 1}); err != nil {
			t.Error(err)
		}
		if err := informerd.SetData([]int{1}); err != nil {
			t.Error(err)
		}
		if err := informerd.Emit("", nil); !errors.Is(err, informerd.ErrBadArgument) {
			t.Errorf("without a type: got %v", err)
		}
		if err := informerd.SetData(make(chan int)); err == nil {
			t.Error("a channel was accepted as data")
		}
		if informerd.LogEnabled(informerd.LevelInfo) {
			informerd.Log(informerd.LevelInfo, "hello")
		}
		return informerd.Done
	})
	r := g.Add("{}")
	if len(r.Emitted) != 2 || r.Emitted[0].Type != "com.example.a" ||
		string(r.Emitted[0].Data) != `{"n":1}` ||
		r.Emitted[1].Type != "" || string(r.Emitted[1].Data) != "[1]" ||
		!reflect.DeepEqual(r.Log, []string{"hello"}) {
		t.Errorf("got %+v", r)
	}
}

func TestReasons(t *testing.T) {
	g := start(t, func(e *informerd.Event) informerd.Verdict { return e.Retry("later") })
	if r := g.Add("{}"); r.Verdict != informerd.Retry || r.Message != "later" {
		t.Errorf("got %+v", r)
	}
	onEvent = func(e *informerd.Event) informerd.Verdict { return e.Fail("never") }
	if r := g.Add("{}"); r.Verdict != informerd.Fail || r.Message != "never" {
		t.Errorf("got %+v", r)
	}
}

func TestConfigure(t *testing.T) {
	var c struct{ A int }
	onEvent = func(*informerd.Event) informerd.Verdict { return informerd.Done }
	configure = func() error {
		if _, err := informerd.Compile("a b["); err == nil ||
			err.Error() != "path a b[: this is not the path of a field" {
			t.Errorf("got %v", err)
		}
		p, err := informerd.Compile("spec.x")
		if err != nil || p.String() != "spec.x" {
			t.Errorf("got %v, %v", p, err)
		}
		c.A = 0
		return informerd.Config(&c)
	}
	if _, err := informerdtest.Load(`{"A":3}`); err != nil || c.A != 3 {
		t.Errorf("got %v, %v", c, err)
	}
	if _, err := informerdtest.Load(`{"B":3}`); err == nil ||
		err.Error() != `config: json: unknown field "B"` {
		t.Errorf("got %v", err)
	}
	if _, err := informerd.Compile("spec.x"); err == nil ||
		err.Error() != "path spec.x: paths can be compiled in Configure only" {
		t.Errorf("got %v", err)
	}
}
