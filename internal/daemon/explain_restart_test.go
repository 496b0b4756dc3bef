package daemon

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/recalled"
	"github.com/informerd/informerd/internal/statefolder"
	"github.com/informerd/informerd/pkg/informer/event"
)

// restartedPlan is a listener with a checkpoint, that stops, and begins again with the same or
// another configuration.
type restartedPlan struct {
	before, after *drawnConfig
	pods          map[string]modelPod
	changed       map[string]modelPod // while nobody runs; without a uid, it is deleted
	elsewhere     string              // what makes its informer another one afterwards
}

func drawRestarted(t *rapid.T) *restartedPlan {
	steady := func(c *drawnConfig) {
		for name, o := range c.outputs { // which has no line of its own
			o.data = ""
			c.outputs[name] = o
		}
		for _, all := range []*string{&c.selects, &c.filter} {
			if strings.Contains(*all, "age(") || strings.Contains(*all, "nodes") {
				*all = ""
			}
		}
		for name, r := range c.rules {
			if strings.Contains(r.deny, "age(") || strings.Contains(r.deny, "nodes") {
				delete(c.rules, name)
			}
		}
	}
	p := &restartedPlan{before: drawConfig(t, nil), pods: map[string]modelPod{},
		changed: map[string]modelPod{}}
	steady(p.before)
	p.after = p.before
	for _, name := range []string{"a", "b", "c", "d"} {
		p.pods[name] = drawModelPod(t, name+"-1")
	}
	what := rapid.IntRange(0, 3).Draw(t, "what changes")
	if what != 1 && rapid.Bool().Draw(t, "objects change") {
		for _, name := range []string{"a", "b", "c", "d"} {
			switch rapid.IntRange(0, 2).Draw(t, "fate of "+name) {
			case 0:
				p.changed[name] = drawModelPod(t, name+"-1")
			case 1:
				p.changed[name] = modelPod{}
			}
		}
	}
	switch what {
	case 0:
	case 1:
		p.elsewhere = rapid.SampledFrom([]string{`labelSelector: "!none"`,
			"drop: [metadata.annotations]", "keepManagedFields: true"}).Draw(t, "elsewhere")
	default:
		p.after = drawConfig(t, p.before)
		steady(p.after)
	}
	return p
}

func drawModelPod(t *rapid.T, uid string) modelPod {
	return modelPod{uid: uid, label: rapid.SampledFrom([]string{"x", "y", ""}).Draw(t, "label"),
		n:   rapid.SampledFrom([]string{"", "1", "2", `"x"`}).Draw(t, "n"),
		bad: rapid.Bool().Draw(t, "bad")}
}

func (p *restartedPlan) String() string {
	return fmt.Sprintf("%s\nthen\n%s\n%+v\n%+v\nelsewhere %s", p.before.text(), p.after.text(), p.pods,
		p.changed, p.elsewhere)
}

// TestExplainRestarts: what explain says of the objects of a first list, and of what a restart
// makes of those that the checkpoint has, is what comes.
func TestExplainRestarts(t *testing.T) {
	fewerChecks(t, "20") // each runs informerd twice
	asked := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := drawRestarted(rt)
		w := newDocWorld(t)
		if err := p.run(w, asked); err != nil {
			rt.Fatalf("%s%v", p, err)
		}
	})
	t.Log(asked)
	for _, what := range []string{"first list: event add", "first list: violated"} {
		if asked[what] == 0 && !t.Failed() {
			t.Errorf("%s did not come: this test says nothing; %v", what, asked)
		}
	}
}

// fewerChecks has rapid make fewer checks, unless the command line says how many.
func fewerChecks(t *testing.T, checks string) {
	t.Helper()
	of := flag.Lookup("rapid.checks")
	if of.Value.String() != of.DefValue {
		return
	}
	t.Cleanup(func() { _ = of.Value.Set(of.DefValue) })
	if err := of.Value.Set(checks); err != nil {
		t.Fatal(err)
	}
}

func (p *restartedPlan) run(w *docWorld, asked map[string]int) error {
	for name, o := range p.pods {
		w.pods.apply(name, o.json(name), false)
	}
	text := func(c *drawnConfig, selector string) string {
		text := strings.Replace(c.text(), "kind: Config\n", "kind: Config\nstate: {dir: state}\n", 1)
		text = strings.Replace(text, "pods: {resource: pods}", "pods: {resource: pods"+selector+"}", 1)
		return strings.Replace(text, "    informer: pods\n", "    informer: pods\n    checkpoint: true\n", 1) +
			"  marks: {informer: pods, select: object.metadata.name startsWith \"marker\", outputs: [audit]}\n"
	}
	marked := func(text string) string {
		return strings.Replace(text, "outputs:\n", "outputs:\n  audit: {file: {path: audit.jsonl}}\n", 1)
	}
	cfg := w.config(marked(text(p.before, "")))
	answers := map[string]*answer.Answer{}
	for name, o := range p.pods {
		a, err := plan.Answer(cfg, nil, "l", plan.Question{Op: event.Add, Initial: true,
			Object: podFile(name, o)})
		if err != nil {
			return err
		}
		answers[name] = a
	}
	if err := p.live(w, cfg, answers, "first list: ", asked); err != nil {
		return err
	}
	for name := range p.pods {
		now, changes := p.changed[name]
		switch {
		case !changes:
		case now.uid == "":
			w.pods.remove(name, false)
		default:
			w.pods.apply(name, now.json(name), false)
		}
	}
	selector := ""
	if p.elsewhere != "" {
		selector = ", " + p.elsewhere
	}
	cfg = w.config(marked(text(p.after, selector)))
	checkpoint, err := recalled.Open(filepath.Join(w.dir, "state", statefolder.CheckpointFolder), cfg,
		nil)
	if err != nil {
		return err
	}
	for name, o := range p.pods {
		q := plan.Question{Op: event.Add, Object: podFile(name, o), Supposed: true,
			Running: checkpoint.Object(cfg.Listeners["l"], event.Key{Namespace: "shop", Name: name})}
		q.Lists = q.Running.Lists
		if now, changes := p.changed[name]; changes {
			q.Supposed, q.Op, q.Old, q.Object = false, event.Update, q.Object, podFile(name, now)
			if now.uid == "" {
				q.Op, q.Object, q.Old = event.Delete, q.Old, plan.ObjectFile{}
			}
		}
		if answers[name], err = plan.Answer(cfg, nil, "l", q); err != nil {
			return err
		}
	}
	return p.live(w, cfg, answers, "restart: ", asked)
}

// live runs a daemon until all has come that answers say, and holds what has come once it has
// stopped against that.
func (p *restartedPlan) live(w *docWorld, cfg *config.Config, answers map[string]*answer.Answer,
	when string, asked map[string]int) error {
	for _, o := range cfg.Outputs {
		if err := os.Remove(filepath.Join(w.dir, o.Name+".jsonl")); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	d := start(w.T, cfg, w.server)
	at := time.Now()
	want := map[string][]string{}
	for name, a := range answers {
		all, unsure := comes(a, at)
		if unsure != "" {
			d.stop(w.T)
			return fmt.Errorf("explain is not sure: %s; %q", unsure, a.Verdicts)
		}
		all = append(all, withReload(a)...)
		want[name] = plainly(all)
	}
	w.mark(d)
	marked := time.Now()
	w.mark(d)
	came := func() map[string][]string {
		all := map[string][]string{}
		for name := range cfg.Outputs {
			lines, _ := os.ReadFile(filepath.Join(w.dir, name+".jsonl"))
			for line := range strings.Lines(string(lines)) {
				var l docLine
				if name == "audit" || json.Unmarshal([]byte(line), &l) != nil ||
					strings.HasPrefix(l.pod(), "marker") {
					continue
				}
				what := l.what()
				if l.Rule == "" {
					what = "event " + strings.TrimSpace(what)
				}
				all[l.pod()] = append(all[l.pod()], what+" -> "+name)
			}
		}
		for name := range all {
			slices.Sort(all[name])
		}
		return all
	}
	lacks := func() bool {
		has, err := keeper.Summarize(filepath.Join(w.dir, "state", statefolder.CheckpointFolder))
		if err != nil || !has.Committed.After(marked) || len(has.Listeners) == 0 ||
			has.Listeners[0].Unfinished > 0 {
			return true // it is not known what is on its way, or there is something
		}
		got := came()
		for name, all := range want {
			for _, what := range all {
				if !slices.Contains(got[name], what) {
					return true
				}
			}
		}
		return false
	}
	for end := time.Now().Add(3 * time.Second); lacks() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	d.stop(w.T)
	got := came()
	for name, a := range answers {
		for _, what := range got[name] {
			kind, _, _ := strings.Cut(what, " ->")
			kind, _, _ = strings.Cut(kind, " r")
			asked[when+kind]++
		}
		if !slices.Equal(got[name], want[name]) {
			var text strings.Builder
			_ = a.Write(&text)
			return fmt.Errorf("%sof %s explain says\n%q\nand what comes is\n%q\n%s%s", when, name, want[name],
				got[name], text.String(), d.log.String())
		}
	}
	return nil
}
