package daemon

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube/definitions"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/filters"
)

const fieldsConfiguration = `apiVersion: informerd.dev/v1alpha1
kind: Config
informers:
  gadgets: {resource: gadgets.example.com}
listeners:
  large: {informer: gadgets, filter: object.spec.size > 3, outputs: [out]}
  red: {informer: gadgets, select: object.spec.color == "red", outputs: [out]}
  pods: {informer: {resource: pods}, filter: object.spec.nodeName == "a", outputs: [out]}
outputs:
  out: {stdout: {}}
`

var gadgetsResource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}

// fieldsWorld is a cluster with one custom resource, and what is said of its listeners.
type fieldsWorld struct {
	*fieldChecker
	t *testing.T

	mu         sync.Mutex
	definition *definitions.Definition
	fields     string // of spec, "" if they cannot be read
	reads      int
	checks     int
	said       map[string]string
}

func (w *fieldsWorld) Get(schema.GroupResource) *definitions.Definition {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.definition
}

func (w *fieldsWorld) Schema(context.Context, schema.GroupVersionResource) (*filters.Schema, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.reads++
	if w.fields == "" {
		return nil, errors.New("the server is busy")
	}
	spec := &filters.Schema{Type: "object", Fields: map[string]*filters.Schema{}}
	for name := range strings.FieldsSeq(w.fields) {
		spec.Fields[name] = &filters.Schema{}
	}
	return &filters.Schema{Type: "object",
		Fields: map[string]*filters.Schema{"spec": spec}}, nil
}

// define sets the definition, of a generation and with these fields.
func (w *fieldsWorld) define(generation int64, fields string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.definition = &definitions.Definition{UID: "1", Generation: generation}
	w.fields = fields
}

func (w *fieldsWorld) expect(want ...string) {
	w.t.Helper()
	time.Sleep(2 * fieldSettling)
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	var got []string
	for _, name := range []string{"large", "red", "pods"} {
		if text := w.said[name]; text != "" {
			got = append(got, name+": "+text)
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		w.t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// fieldsHealth is that of a listener.
type fieldsHealth struct {
	*fieldsWorld
	listener string
}

func (h fieldsHealth) Mistaken(err error) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checks++
	text := ""
	if err != nil {
		text = strings.TrimPrefix(err.Error(), "its expressions do not fit the schema of its objects: ")
		text, _, _ = strings.Cut(text, ";")
	}
	changed := h.said[h.listener] != text
	h.said[h.listener] = text
	return changed
}

func checkingFields(t *testing.T, do func(*fieldsWorld)) {
	known, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("c.yaml", []byte(fieldsConfiguration))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		w := &fieldsWorld{fieldChecker: newFieldChecker(slog.New(slog.DiscardHandler), known), t: t, said: map[string]string{}}
		w.definitions = w
		w.published = func(context.Context, schema.GroupVersion) ([]byte, error) {
			return nil, errors.New("it is not published yet")
		}
		w.listeners = func() (all []fieldsOf) {
			for _, l := range cfg.ListenersInOrder() {
				if w.isCustom(l.Informer().Resource) {
					all = append(all, fieldsOf{config: cfg, listener: l,
						resources: map[string]schema.GroupVersionResource{
							l.Informer().Resource: gadgetsResource},
						health: fieldsHealth{w, l.Name}})
				}
			}
			return all
		}
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { w.run(ctx) })
		do(w)
		stop()
		running.Wait()
	})
}

const (
	noSize  = `large: c.yaml:6:50: listener "large": there is no field size in object.spec`
	noColor = `red: c.yaml:7:48: listener "red": there is no field color in object.spec`
)

// What listeners read is compared with the definition, again whenever it changes, and the schema is
// read once for each change.
func TestExpressionsAreComparedWithTheDefinition(t *testing.T) {
	checkingFields(t, func(w *fieldsWorld) {
		w.define(1, "size color weight")
		w.look()
		w.expect()
		w.define(2, "weight")
		w.look()
		w.expect(noSize, noColor)
		checks := w.checks
		w.look()
		w.expect(noSize, noColor)
		if w.checks != checks {
			t.Errorf("checked %d times more", w.checks-checks)
		}
		w.define(3, "size color weight")
		w.look()
		w.expect()
		if w.reads != 3 {
			t.Errorf("read %d times", w.reads)
		}
	})
}

// What cannot be read leaves what was said, and is asked for again.
func TestWhatCannotBeReadIsAskedForAgain(t *testing.T) {
	checkingFields(t, func(w *fieldsWorld) {
		w.define(1, "color weight")
		w.look()
		w.expect(noSize)
		w.define(2, "")
		w.look()
		w.expect(noSize)
		time.Sleep(time.Hour)
		w.expect(noSize)
		if w.reads < 10 || w.reads > 60 {
			t.Errorf("asked %d times in an hour", w.reads)
		}
		w.define(2, "color weight size")
		time.Sleep(fieldDelays.Max)
		w.expect()
	})
}

// Without a definition, what the API server publishes counts.
func TestPublishedSchemas(t *testing.T) {
	checkingFields(t, func(w *fieldsWorld) {
		w.look()
		w.expect()
		w.published = func(_ context.Context, gv schema.GroupVersion) ([]byte, error) {
			return []byte(`{"openapi":"3.0.0","paths":{"/apis/example.com/v1/gadgets":{"get":` +
				`{"x-kubernetes-action":"list","x-kubernetes-group-version-kind":` +
				`{"group":"example.com","version":"v1","kind":"Gadget"}}}},` +
				`"components":{"schemas":{"Gadget":{"type":"object",` +
				`"x-kubernetes-group-version-kind":[{"group":"example.com","version":"v1","kind":"Gadget"}],` +
				`"properties":{"spec":{"type":"object","properties":{"color":{"type":"string"},` +
				`"weight":{"type":"integer"}}}}}}}}`), nil
		}
		w.look()
		w.expect(noSize)
	})
}

// Without schemas nothing is checked, and nothing asked for.
func TestCheckingIsOff(t *testing.T) {
	checkingFields(t, func(w *fieldsWorld) {
		w.known = nil
		w.define(1, "nothing")
		w.look()
		time.Sleep(time.Hour)
		w.expect()
		if w.reads > 0 {
			t.Errorf("read %d times", w.reads)
		}
	})
}
