package plugins

import (
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// built holds the guests that were built from other languages, by their sources.
var built sync.Map

func example(t testing.TB, name string) []byte {
	return wasmtest.GoGuest(t, "../../plugins/examples", "./"+name)
}

// exampleInstance loads an example with the default memory and no grants; its deadline is for slow
// test machines.
func exampleInstance(t testing.TB, name, config string) *Instance {
	t.Helper()
	goLog.Reset()
	spec := Spec{Listener: "pods", Path: name + ".wasm", Wasm: example(t, name),
		Config: []byte(config),
		Limits: Limits{Deadline: 10 * time.Second}}
	return instance(t, goHost(t), spec)
}

// outcome runs an event through an instance and returns the verdict and what was emitted, as one
// text.
func outcome(t *testing.T, i *Instance, e event.Event) string {
	t.Helper()
	r, err := i.Handle(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	text := r.Verdict.String()
	for _, emitted := range r.Emitted {
		typ, data, err := emitted.Event()
		if err != nil {
			t.Fatal(err)
		}
		text += " " + typ + " " + string(data)
	}
	return text
}

func restarted(t testing.TB, name string, restarts ...int) *object.Object {
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"namespace":"shop","uid":"uid-%s","resourceVersion":"1"},`+
		`"status":{"containerStatuses":[`, name, name)
	for n, r := range restarts {
		if n > 0 {
			text += ","
		}
		text += fmt.Sprintf(`{"name":"c%d","restartCount":%d}`, n, r)
	}
	return newObject(t, text+"]}}")
}

func TestCrashloopExample(t *testing.T) {
	i := exampleInstance(t, "crashloop", `{"threshold":2}`)
	finding := func(name, container string, restarts int) string {
		return fmt.Sprintf(`done dev.informerd.examples.crashloop {"namespace":"shop","name":"%s","uid":"uid-%s","container":"%s",`+
			`"restarts":%d,"threshold":2}`, name, name, container, restarts)
	}
	two, three := restarted(t, "web", 2, 0), restarted(t, "web", 2, 1)
	for n, step := range []struct {
		e    event.Event
		want string
	}{
		{event.Event{Op: event.Add, Object: two}, "drop"},
		{event.Event{Op: event.Update, Object: three, Old: two}, finding("web", "c0", 3)},
		{event.Event{Op: event.Update, Object: three, Old: three}, "drop"},
		{event.Event{Op: event.Resync, Object: three}, "drop"},
		{event.Event{Op: event.Update, Object: restarted(t, "web", 2, 4), Old: three},
			finding("web", "c1", 6)},
		{event.Event{Op: event.Delete, Object: three}, "drop"},
		{event.Event{Op: event.Add, Object: three}, finding("web", "c0", 3)},
		{event.Event{Op: event.Add, Object: restarted(t, "api", 9)}, finding("api", "c0", 9)},
	} {
		if got := outcome(t, i, step.e); got != step.want {
			t.Errorf("step %d: got  %s\nwant %s", n, got, step.want)
		}
	}
	if goLog.String() != "" {
		t.Errorf("logged: %s", goLog)
	}
}

func TestLabelAuditExample(t *testing.T) {
	i := exampleInstance(t, "label-audit", `{"required":["team","app.kubernetes.io/name"]}`)
	pod := func(labels string) *object.Object {
		return newObject(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u","resourceVersion":"1",`+
			`"labels":{`+labels+`}}}`)
	}
	none, one, both := pod(""), pod(`"team":"red"`),
		pod(`"team":"red","app.kubernetes.io/name":"web"`)
	finding := func(missing string) string {
		return `done dev.informerd.examples.label-audit {"kind":"Pod","namespace":"shop","name":"web","uid":"u","missing":[` + missing + `]}`
	}
	for n, step := range []struct {
		e    event.Event
		want string
	}{
		{event.Event{Op: event.Add, Object: none}, finding(`"team","app.kubernetes.io/name"`)},
		{event.Event{Op: event.Resync, Object: none}, "drop"},
		{event.Event{Op: event.Update, Object: one, Old: none},
			finding(`"app.kubernetes.io/name"`)},
		{event.Event{Op: event.Update, Object: both, Old: one}, finding(``)},
		{event.Event{Op: event.Update, Object: both, Old: both}, "drop"},
		{event.Event{Op: event.Delete, Object: both}, "drop"},
	} {
		if got := outcome(t, i, step.e); got != step.want {
			t.Errorf("step %d: got  %s\nwant %s", n, got, step.want)
		}
	}
}

func TestExamplesRefuseBadConfigurations(t *testing.T) {
	for _, test := range []struct{ example, config, want string }{
		{"crashloop", `{"threshold":-1}`, "threshold is -1, it must not be negative"},
		{"crashloop", `{"threshhold":1}`, `config: json: unknown field "threshhold"`},
		{"label-audit", `{}`, "required is empty: name at least one label"},
		{"label-audit", `{"required":["a\"]"]}`, `required: "a\"]" is not a label key`},
	} {
		_, err := goHost(t).Load(t.Context(),
			Spec{Listener: "pods", Path: "x.wasm", Wasm: example(t, test.example),
				Config: []byte(test.config)})
		want := `listener "pods": handler x.wasm: handler refuses its configuration: ` + test.want
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// A stock Go guest runs for a long time in bounded memory, its garbage collector included.
func TestExampleKeepsItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	i := exampleInstance(t, "crashloop", `{"threshold":0,"maxPods":100}`)
	var early uint32
	const events = 40_000
	for n := range events {
		pod := restarted(t, fmt.Sprintf("web-%d", n), n+1)
		if _, err := i.Handle(t.Context(), event.Event{Op: event.Add, Object: pod}); err != nil {
			t.Fatal(err)
		}
		if n == events/2 {
			early = i.guest.memory.Size()
		}
	}
	if size := i.guest.memory.Size(); size > early+1<<20 {
		t.Errorf("the memory grew from %d to %d bytes", early, size)
	}
}

func BenchmarkCrashloop(b *testing.B) {
	i := exampleInstance(b, "crashloop", `{"threshold":2}`)
	few, many := restarted(b, "web", 1, 0), restarted(b, "web", 3, 0)
	for _, bench := range []struct {
		name string
		e    event.Event
	}{
		{"unchanged", event.Event{Op: event.Update, Object: many, Old: many}},
		{"changed", event.Event{Op: event.Update, Object: few, Old: many}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := i.Handle(b.Context(), bench.e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("emitting", func(b *testing.B) {
		gone := event.Event{Op: event.Delete, Object: many}
		add := event.Event{Op: event.Add, Object: many}
		for b.Loop() {
			if _, err := i.Handle(b.Context(), add); err != nil {
				b.Fatal(err)
			}
			if _, err := i.Handle(b.Context(), gone); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkStartCrashloop(b *testing.B) {
	wasm := example(b, "crashloop")
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			host := NewHost(HostConfig{Log: slog.New(slog.DiscardHandler)})
			if _, err := host.Load(b.Context(), Spec{Listener: "pods", Wasm: wasm}); err != nil {
				b.Fatal(err)
			}
			host.Close(b.Context())
		}
	})
	b.Run("instance", func(b *testing.B) {
		host, _ := testHost(b)
		handler, err := host.Load(b.Context(), Spec{Listener: "pods", Wasm: wasm})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			i, err := handler.NewInstance(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			i.Close(b.Context())
		}
	})
}
