package daemon

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/explain"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

const explainedConfig = `apiVersion: informerd.dev/v1alpha1
kind: Config
cluster: {name: dev}
listeners:
  rules:
    informer: {resource: pods}
    select: object.status.phase != "Succeeded"
    rules:
      - {name: waits, severity: high, deny: object.status.phase == "Pending"}
      - {name: stuck, severity: low, deny: 'object.status.phase in ["Pending", "Failed"]', message: object.status.phase}
    filter: object.metadata.name startsWith "marker" || became(object.status.phase == "Running")
    outputs: [audit, high, ends, begins, phase, fails]
  changes:
    informer: {resource: pods}
    select: object.status.phase in ["Pending", "Running"]
    filter: op != "update" || changed("status")
    outputs: [audit, high, phase]
  moves:
    informer: {resource: pods}
    select: object.status.phase in ["Pending", "Running"] && cached("all", "shop", "nobody") == nil
    filter: op != "update" && object.status.phase != "Pending" || object.status.phase == "Running"
    outputs: [audit, high]
informers:
  all: {resource: pods}
outputs:
  audit: {file: {path: audit.jsonl}}
  high: {file: {path: high.jsonl}, when: name startsWith "marker" || severity == "high"}
  ends: {file: {path: ends.jsonl}, when: name startsWith "marker" || violated == false}
  begins: {file: {path: begins.jsonl}, when: name startsWith "marker" || violated == true}
  phase: {file: {path: phase.jsonl}, when: name startsWith "marker" || object.status.phase != "Failed"}
  fails: {file: {path: fails.jsonl}, when: name startsWith "marker" || rule != nil, data: 'object.status.phase == "Failed" ? object.status.phase - 1 : {a: 1}'}
`

// explainedOutputs are the outputs of the listener rules.
var explainedOutputs = []string{"audit", "high", "ends", "begins", "phase", "fails"}

// What explain says becomes of a change is what comes of it when informerd runs: of all changes
// from one phase to another one, and of what comes and goes, for each rule, event and output.
func TestExplainSaysWhatRunDoes(t *testing.T) {
	w := newDocWorld(t)
	phases := []string{"", "Pending", "Running", "Failed", "Succeeded"}
	each := func(do func(name, from, to string)) {
		for i, from := range phases {
			for j, to := range phases {
				if i != j {
					do(fmt.Sprintf("pod-%d-%d", i, j), from, to)
				}
			}
		}
	}
	each(func(name, from, _ string) { w.set(name, from) })
	cfg := w.config(explainedConfig)
	d := start(t, cfg, w.server)
	w.markEverywhere(d)
	was := w.delivered()
	each(func(name, _, to string) { w.set(name, to) })
	w.markEverywhere(d)
	is := w.delivered()
	d.stop(t)

	x, err := NewExplainer(t.Context(), cfg, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close(t.Context()) }()
	reported, sent := 0, 0
	for _, listener := range []string{"rules", "changes", "moves"} {
		each(func(name, from, to string) {
			var got []string
			for what, n := range is {
				if what.listener == listener && what.pod == name && n > was[what] {
					got = append(got, what.what+" -> "+what.output)
				}
			}
			slices.Sort(got)
			want, text := w.explained(x, listener, name, from, to)
			if !slices.Equal(got, want) {
				t.Errorf("%s, from %q to %q: explain says\n%q\nand what comes is\n%q\n%s", listener,
					from, to, want, got, text)
			}
			for _, what := range got {
				if strings.HasPrefix(what, "event") {
					sent++
				} else {
					reported++
				}
			}
		})
	}
	if reported < 20 || sent < 10 {
		t.Errorf("only %d reports and %d events came", reported, sent)
	}
}

// delivered is what an output has got.
type delivered struct{ listener, pod, what, output string }

// delivered returns how often outputs have got what.
func (w *docWorld) delivered() map[delivered]int {
	w.Helper()
	all := map[delivered]int{}
	for _, output := range explainedOutputs {
		text, err := os.ReadFile(filepath.Join(w.dir, output+".jsonl"))
		if err != nil && !os.IsNotExist(err) {
			w.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var m struct {
				docLine
				Source string
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				break // it is being written
			}
			what := "event"
			if m.Rule != "" {
				what = m.what()
			}
			_, listener, _ := strings.Cut(m.Source, "/listeners/")
			all[delivered{listener, m.pod(), what, output}]++
		}
	}
	return all
}

// markEverywhere is mark for all outputs of all listeners.
func (w *docWorld) markEverywhere(d *started) {
	w.Helper()
	for range 3 {
		w.marks++
		name := fmt.Sprint("marker-", w.marks)
		w.set(name, "Running")
		eventually(w.T, func() error {
			all := w.delivered()
			for listener, outputs := range map[string][]string{"rules": explainedOutputs,
				"changes": {"audit", "high", "phase"}, "moves": {"audit", "high"}} {
				for _, output := range outputs {
					if all[delivered{listener, name, "event", output}] == 0 {
						return fmt.Errorf("nothing came of %s at %s\n%s", name, output, d.log.String())
					}
				}
			}
			return nil
		})
	}
}

// explained returns what explain says becomes of a change, sorted, and all that it says.
func (w *docWorld) explained(x *Explainer, listener, name, from, to string) (all []string,
	text string) {
	w.Helper()
	pod := func(phase string) *object.Object {
		o, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":%q,"uid":"x"},"status":{"phase":%q}}`,
			name, phase))
		if err != nil {
			w.Fatal(err)
		}
		return o
	}
	e := event.Event{Op: event.Update, Object: pod(to), Old: pod(from)}
	switch "" {
	case from:
		e.Op, e.Old = event.Add, nil
	case to:
		e.Op, e.Object, e.Old = event.Delete, pod(from), nil
	}
	lookups := explain.NewLookups()
	if err := lookups.Add("all", x.Listener(listener).Config.Informer(), nil); err != nil {
		w.Fatal(err)
	}
	a, err := x.Explain(w.Context(), listener, lookups, e)
	if err != nil {
		w.Fatal(err)
	}
	var whole bytes.Buffer
	if err := a.Write(&whole); err != nil {
		w.Fatal(err)
	}
	for _, s := range a.Sent {
		what := "event"
		if s.Rule != "" {
			what = map[bool]string{true: "violated ", false: "resolved "}[*s.Violated] + s.Rule
		}
		all = append(all, what+" -> "+s.Output)
	}
	slices.Sort(all)
	return all, whole.String()
}
