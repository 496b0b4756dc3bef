package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/explain"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// What a generated listener may ask about an object.
var (
	generatedAsks = []string{`object.n > 1`, `object.n != 1`, `label("app") == "a"`,
		`object.phase == "Bad"`, `object.phase == "Bad" || object.n == 0`,
		`cached("pods", "shop", "nobody") == nil && object.n < 2`, `object.phase + 1 > 2`}
	generatedFilters = append([]string{`changed("n")`, `became(object.n > 1)`, `op != "update"`,
		`op == "delete" || old.phase != object.phase`}, generatedAsks...)
	generatedWhens = []string{`violated != false`, `rule == nil`, `rule != nil`, `object.n > 0`,
		`severity == "high" || rule == nil`, `object.phase * 2 == 1`}
	generatedData = []string{`{n: object.n, rule: rule}`, `{phase: object.phase - 1}`}
)

// generatedConfig draws a configuration with one listener.
func generatedConfig(t *rapid.T) string {
	maybe := func(name string, from []string) string {
		if !rapid.Bool().Draw(t, "has "+name) {
			return ""
		}
		return fmt.Sprintf("    %s: '%s'\n", name, rapid.SampledFrom(from).Draw(t, name))
	}
	var b strings.Builder
	b.WriteString("apiVersion: informerd.dev/v1alpha1\nkind: Config\ncluster: {name: c}\n" +
		"informers: {pods: {resource: widgets.example.com}}\nlisteners:\n  l:\n    informer: pods\n" +
		"    retry: {attempts: 1}\n    outputs: [a, b]\n")
	b.WriteString(maybe("select", generatedAsks) + maybe("filter", generatedFilters))
	if rapid.Bool().Draw(t, "on") {
		b.WriteString("    on: [add, update]\n")
	}
	if n := rapid.IntRange(0, 2).Draw(t, "rules"); n > 0 {
		b.WriteString("    rules:\n")
		for i := range n {
			fmt.Fprintf(&b, "      - {name: r%d, deny: '%s', severity: %s, for: %s, message: object.phase",
				i, rapid.SampledFrom(generatedAsks).Draw(t, "deny"),
				rapid.SampledFrom([]string{"low", "high"}).Draw(t, "severity"),
				rapid.SampledFrom([]string{"0s", "10m"}).Draw(t, "for"))
			if rapid.Bool().Draw(t, "repeat") {
				b.WriteString(", repeat: 1h")
			}
			b.WriteString("}\n")
		}
	}
	b.WriteString("outputs:\n")
	for _, name := range []string{"a", "b"} {
		b.WriteString("  " + name + ":\n    stdout: {}\n" + maybe("when", generatedWhens) +
			maybe("data", generatedData))
	}
	return b.String()
}

// What explain says is sent of an event is what the listener's outputs get of it, for generated
// listeners, and objects that are added, then changed or deleted.
func TestExplainGeneratedListeners(t *testing.T) {
	reports, events := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		text := generatedConfig(rt)
		states := rapid.SliceOfN(rapid.SampledFrom([]string{"", `"n":0`, `"n":1`, `"n":2`,
			`"n":2,"phase":"Bad"`, `"n":0,"phase":"Bad"`}), 2, 8).Draw(rt, "states")
		var failed error
		synctest.Test(t, func(t *testing.T) {
			w, err := newGeneratedWorld(t, text)
			if err != nil {
				failed = err
				return
			}
			defer w.end()
			for i := range len(states) - 1 {
				if failed = w.life(states[i], states[i+1]); failed != nil {
					failed = fmt.Errorf("%w\nin life %d of %q\n%s", failed, i, states, text)
					return
				}
			}
			reports, events = reports+w.reports, events+w.events
		})
		if failed != nil {
			rt.Fatal(failed)
		}
	})
	if reports < 5 || events < 5 {
		t.Errorf("only %d reports and %d events came", reports, events)
	}
}

// generatedWorld is a listener that runs, and an explainer of its configuration.
type generatedWorld struct {
	*testing.T
	listener        *listener
	explainer       *Explainer
	ears            map[string]*ear
	end             func()
	lives           int
	reports, events int
}

func newGeneratedWorld(t *testing.T, text string) (*generatedWorld, error) {
	parsed := func() (*config.Config, error) {
		return config.Parse(t.TempDir()+"/config.yaml", []byte(text))
	}
	ctx := t.Context()
	cfg, err := parsed()
	if err != nil {
		return nil, err
	}
	built, err := build(ctx, cfg, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	if cfg, err = parsed(); err != nil {
		return nil, err
	}
	x, err := NewExplainer(ctx, cfg, nil, "")
	if err != nil {
		return nil, err
	}
	w := &generatedWorld{T: t, listener: built.listeners[0], explainer: x, ears: map[string]*ear{}}
	p := w.listener.pipeline()
	for i, name := range w.listener.setup().Config.Outputs {
		w.ears[name] = &ear{}
		p.Outputs[i].To = outputTo(name, w.ears[name]).To
	}
	p.Caches = &caches{given: explainedLookups(t, w.listener.setup().Config.Informer())}
	if p.Messages, err = messagesOf(place{cluster: cfg.Cluster.Name}, w.listener.setup().Config,
		event.Event{Object: w.object(`"n":1`)}); err != nil {
		return nil, err
	}
	if err := w.listener.route.Use(p); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = w.listener.route.Run(ctx) })
	w.end = func() {
		cancel()
		running.Wait()
		_ = built.close(context.WithoutCancel(ctx))
		_ = x.Close(context.WithoutCancel(ctx))
	}
	return w, nil
}

func explainedLookups(t *testing.T, inf *config.Informer) *explain.Lookups {
	all := explain.NewLookups()
	if err := all.Add("pods", inf, nil); err != nil {
		t.Fatal(err)
	}
	return all
}

func (w *generatedWorld) object(fields string) *object.Object {
	w.Helper()
	o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
		`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"shop","name":"w","uid":"u%d","labels":{"app":"a"}},%s}`,
		w.lives, fields))
	if err != nil {
		w.Fatal(err)
	}
	return o
}

// life adds an object, and changes or deletes it. What is known of an object that changes a second
// time depends on more than what explain gets.
func (w *generatedWorld) life(from, to string) error {
	if from == "" {
		return nil
	}
	if err := w.step("", from); err != nil {
		return err
	}
	if err := w.step(from, to); err != nil || to == "" {
		return err
	}
	_, err := w.listener.subscription.Offer(event.Event{Op: event.Delete, Object: w.object(to)}, nil)
	return err
}

// step changes the object to another state, and compares what comes of that.
func (w *generatedWorld) step(from, to string) error {
	e := event.Event{Op: event.Update}
	switch {
	case from == "":
		w.lives++
		e.Op, e.Object = event.Add, w.object(to)
	case to == "":
		e.Op, e.Object = event.Delete, w.object(from)
	default:
		e.Object, e.Old = w.object(to), w.object(from)
	}
	time.Sleep(90*time.Minute + time.Nanosecond) // for has passed, and a repeat is some time off
	synctest.Wait()
	a, err := w.explainer.Explain(w.Context(), "l",
		explainedLookups(w.T, w.listener.setup().Config.Informer()), e)
	if err != nil {
		return err
	}
	for _, heard := range w.ears {
		heard.taken()
	}
	if _, err := w.listener.subscription.Offer(e, nil); err != nil {
		return err
	}
	time.Sleep(time.Millisecond)
	synctest.Wait()
	var got, want []string
	for name, heard := range w.ears {
		for _, m := range heard.taken() {
			got = append(got, name+" "+plainEvent(w.T, cloudevent.Append(nil, m)))
		}
	}
	for _, s := range a.Sent {
		want = append(want, s.Output+" "+plainEvent(w.T, []byte(s.Body)))
		if s.Rule != "" {
			w.reports++
		} else {
			w.events++
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		var text strings.Builder
		_ = a.Write(&text)
		return fmt.Errorf("%v from %s to %s: explain says\n%s\nand what comes is\n%s\n%s", e.Op, from,
			to, strings.Join(want, "\n"), strings.Join(got, "\n"), &text)
	}
	return nil
}

// plainEvent returns a CloudEvent without what depends on the time.
func plainEvent(t *testing.T, text []byte) string {
	t.Helper()
	var e map[string]any
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	delete(e, "time")
	if data, ok := e["data"].(map[string]any); ok && data["since"] != nil {
		delete(data, "since")
		delete(e, "id")
	}
	if strings.HasPrefix(fmt.Sprint(e["type"]), "dev.informerd.rule.") {
		delete(e, "id")
	}
	plain, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}
