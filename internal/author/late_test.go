package author

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/handlers"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
	"github.com/informerd/informerd/pkg/plugins"
	. "github.com/informerd/informerd/pkg/plugins/guesttest"
)

// An event that ends much later than its deadline is shown with a row of its own, and only such a
// one. The guest runs until its own deadline; what is compared with is put on either side of that,
// so that the machine's speed has no part in it.
func TestWhatIsLateIsShown(t *testing.T) {
	const runs = remarkable + 50*time.Millisecond
	endless := Guest{Events: map[int][]Action{1: {Forever()}}}.Bytes()
	o, err := (&object.Parser{}).Parse([]byte(pod))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t.Context())
	sub, err := r.load(t.Context(),
		plugins.Spec{Listener: trialName, Wasm: endless, Limits: plugins.Limits{Deadline: runs}},
		setting{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		deadline time.Duration
		late     bool
	}{{time.Nanosecond, true}, {time.Hour, false}, {0, false}} { // 0: there is none
		sub.deadline = c.deadline
		outcome, err := sub.handle(t.Context(), event.Event{Op: event.Add, Object: o})
		if err != nil || outcome.Crash == nil {
			t.Fatalf("%+v, %v", outcome, err)
		}
		var text bytes.Buffer
		(&page{w: &text}).outcome(outcome)
		row := "  late      it ended " + took(outcome.Time-c.deadline) +
			" after its deadline: the machine or the host was busy\n"
		if strings.Contains(text.String(), row) != c.late ||
			strings.Contains(text.String(), "late ") != c.late {
			t.Errorf("deadline %v:\n%s", c.deadline, text.String())
		}
	}
	if err := sub.close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := r.close(t.Context()); err != nil {
		t.Error(err)
	}
}

// Where nothing is said of limits, a module has those that it would have in the daemon, with a case
// and without.
func TestLimitsAreTheDaemons(t *testing.T) {
	dir := t.TempDir()
	module := write(t, dir, "m.wasm", "no matter")
	cfg, err := config.Parse(filepath.Join(dir, "c.yaml"),
		[]byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
listeners: {a: {informer: {resource: pods}, handler: {wasm: m.wasm}, outputs: [out]}}
outputs: {out: {stdout: {}}}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := handlers.LimitsOf(cfg.Listeners["a"].Handler.Limits)
	p, err := Setup{Module: module}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	c, err := readCase("case.yaml",
		[]byte(strings.ReplaceAll("events: [{object: POD}]", "POD", pod)))
	if err != nil {
		t.Fatal(err)
	}
	for what, got := range map[string]plugins.Limits{"a module": p.spec.Limits,
		"a case": handlers.LimitsOf(c.Limits)} {
		if got != want || got.Deadline == 0 {
			t.Errorf("%s has %+v, the daemon would say %+v", what, got, want)
		}
	}
}
