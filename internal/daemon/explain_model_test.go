package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// explainedPlan is a listener with outputs, and all that happens to its objects.
type explainedPlan struct {
	text  string
	rules int
	steps []modelStep
}

var (
	explainedFilters = []string{
		`op == "add"`, `op != "delete"`, `op == "update"`, `initial`, `changed("spec.n")`,
		`changed("metadata.labels")`, `became(object.spec.bad == true)`, `became(label("a") == "x")`,
		`object.spec.n != old.spec.n`, `old.spec.n > 1`, `op == "delete" || object.spec.n > 1`,
		`label("a") == "x"`, `age() > "5m"`, `became(object.spec.n > 1) || op == "delete"`,
		`cached("nodes", "", object.spec.node).spec.zone == "on"`, `!changed("spec")`,
	}
	explainedWhens = []string{
		`violated`, `!violated`, `severity == "high"`, `rule == "r0"`, `op == "update"`,
		`op in ["add", "delete"]`, `op == ""`, `object.spec.n > 1`, `label("a") == "x"`,
		`name == "a"`, `message == "x"`, `rule == nil`, `violated && object.spec.bad == true`,
		`object.metadata.name > 5`, `op != "delete" && label("a") != "y"`,
	}
	explainedData = []string{
		`[message, op, object.spec.n]`, `{"a": label("a"), "since": since, "violated": violated}`,
		`{"name": name, "rule": rule, "severity": severity}`, `object.spec.n > 1`,
	}
	explainedMessages = []string{`label("a")`, `string(object.spec.n)`, `"n: " + object.spec.n`}
)

func drawExplained(t *rapid.T) *explainedPlan {
	base := drawPlan(t)
	p := &explainedPlan{steps: base.steps}
	for i := range p.steps { // what informerd has not seen is nothing to explain
		p.steps[i].what = strings.TrimPrefix(p.steps[i].what, "quietly ")
	}
	var b strings.Builder
	b.WriteString(`apiVersion: informerd.dev/v1alpha1
kind: Config
informers:
  pods: {resource: pods}
  nodes: {resource: nodes, indexes: {zone: spec.zone}}
outputs:
`)
	for i := range 3 {
		fmt.Fprintf(&b, "  o%d: {file: {path: o%d.jsonl}", i, i)
		if i > 0 {
			fmt.Fprintf(&b, ", when: '%s'",
				rapid.SampledFrom(explainedWhens).Draw(t, "when"))
		}
		if rapid.Bool().Draw(t, "has data") {
			fmt.Fprintf(&b, ", data: '%s'", rapid.SampledFrom(explainedData).Draw(t, "data"))
		}
		b.WriteString("}\n")
	}
	b.WriteString("listeners:\n  l:\n    informer: pods\n    outputs: [o0, o1, o2]\n    buffer: {capacity: 1000}\n    retry: {attempts: 1}\n")
	if on := rapid.SampledFrom([]string{"", "", "add, delete", "update"}).Draw(t,
		"on"); on != "" {
		b.WriteString("    on: [" + on + "]\n")
	}
	if base.selects != nil {
		fmt.Fprintf(&b, "    select: '%s'\n", base.selects.text)
	}
	p.rules = len(base.denies)
	if p.rules > 0 {
		b.WriteString("    rules:\n")
	}
	for i, d := range base.denies {
		fmt.Fprintf(&b, "      - {name: r%d, severity: %s, deny: '%s', for: %s, repeat: %s", i,
			rapid.SampledFrom([]string{"high", "low"}).Draw(t, "severity"), d.text, base.holds[i],
			base.repeats[i])
		if rapid.Bool().Draw(t, "has message") {
			fmt.Fprintf(&b, ", message: '%s'",
				rapid.SampledFrom(explainedMessages).Draw(t, "message"))
		}
		b.WriteString("}\n")
	}
	if rapid.IntRange(0, 3).Draw(t, "has filter") > 0 {
		fmt.Fprintf(&b, "    filter: '%s'\n", rapid.SampledFrom(explainedFilters).Draw(t, "filter"))
	}
	p.text = b.String()
	return p
}

// TestExplainModel: what explain says of an event, with what the running listener remembers of the
// object, is what comes of it at once, at each output: whatever the select, the rules, the filter
// and the outputs ask, and whatever has happened before.
func TestExplainModel(t *testing.T) {
	asked := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := drawExplained(rt)
		var err error
		synctest.Test(t, func(t *testing.T) { err = p.run(t, asked) })
		if err != nil {
			rt.Fatalf("%s%v: %v", p.text, p.steps, err)
		}
	})
	t.Log(asked)
	if t.Failed() || testing.Short() {
		return
	}
	for _, what := range []string{"event add", "event update", "event delete", "violated",
		"resolved", "nothing"} {
		if asked[what] < 10 {
			t.Errorf("%s came %d times: this test says nothing; %v", what, asked[what], asked)
		}
	}
}

func (p *explainedPlan) run(t *testing.T, asked map[string]int) error {
	time.Sleep(time.Until(storyTime))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg, err := config.Parse(t.TempDir()+"/config.yaml", []byte(p.text))
	if err != nil {
		return err
	}
	built, err := build(ctx, cfg, BuildOptions{Log: plain(&lockedBuffer{}, slog.LevelError)})
	if err != nil {
		return err
	}
	defer built.close(context.WithoutCancel(ctx))
	l := built.listeners[0]
	to, caches := l.setup().pipeline(), &docCaches{}
	to.Caches = caches
	if p.rules > 0 {
		l.setup().remembered.Store(rules.NewBook(l.setup().Rules, len(to.Outputs)))
		to.Rules = l.setup().book()
	}
	ears := make([]*ear, len(to.Outputs))
	for i := range to.Outputs {
		ears[i] = &ear{}
		to.Outputs[i].To = outputTo(fmt.Sprint("o", i), ears[i]).To
	}
	if to.Messages, err = cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"}); err != nil {
		return err
	}
	if err := l.route.Use(to); err != nil {
		return err
	}
	server := newModelServer()
	factory := informer.NewFactory(server, quiet)
	resource := informer.Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1",
		Resource: "pods"}, Kind: "Pod"}
	if _, err := factory.Subscribe(resource, informer.Scope{}, l.setup().Shape,
		l.subscription); err != nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { _ = factory.Run(ctx) })
	wg.Go(func() { _ = l.route.Run(ctx) })
	time.Sleep(time.Second) // the first list is through
	synctest.Wait()
	w := modelWorld{server, caches, cfg.Informers["nodes"], moment{nodes: map[string]string{}},
		map[string]modelPod{}}
	for _, s := range p.steps {
		if err := p.step(w, l, cfg, ears, s, asked); err != nil {
			return err
		}
	}
	return nil
}

// step does a step, and holds what comes of it against what explain says.
func (p *explainedPlan) step(w modelWorld, l *listener, cfg *config.Config, ears []*ear,
	s modelStep, asked map[string]int) error {
	was, there := w.lives[s.name]
	q := plan.Question{Op: event.Add, Object: podFile(s.name, s.pod),
		Running: l.known(cfg, s.name, was, there)}
	ask, about := true, s.name
	switch {
	case s.what == "apply" && there:
		q.Op, q.Old = event.Update, podFile(s.name, was)
	case s.what == "delete" && there:
		q.Op, q.Object = event.Delete, podFile(s.name, was)
	case s.what != "apply":
		ask = false
	}
	q.Lookups = lookups(w)
	heard(ears, "")
	at := time.Now()
	if err := w.do(s); err != nil {
		return err
	}
	wait := time.Duration(0)
	switch live := slices.Sorted(maps.Keys(w.lives)); {
	case ask:
	case strings.HasSuffix(s.what, "node") && len(live) > 0 && !p.uses("age("):
		// Nothing happens to the object, and the listener looks again.
		about, wait, ask = live[0], time.Minute+time.Second, true
		o := w.lives[about]
		q = plan.Question{Op: event.Add, Object: podFile(about, o), Supposed: true,
			Running: l.known(cfg, about, o, true), Lookups: lookups(w)}
	default:
		time.Sleep(time.Minute) // a watch that has ended begins again within that
	}
	synctest.Wait()
	if !ask {
		return nil
	}
	a, err := plan.Answer(cfg, nil, "l", q)
	if err != nil {
		return err
	}
	want, sure := comes(a, at.Add(wait))
	if sure != "" {
		return fmt.Errorf("%v: explain is not sure: %s; %q", s, sure, a.Verdicts)
	}
	time.Sleep(wait)
	synctest.Wait()
	got := heard(ears, about)
	differs := func(when string) error {
		for _, what := range got {
			kind, _, _ := strings.Cut(what, " r")
			kind, _, _ = strings.Cut(kind, " ->")
			asked[when+kind]++
		}
		if slices.Equal(got, want) {
			return nil
		}
		var text strings.Builder
		if err := a.Write(&text); err != nil {
			return err
		}
		return fmt.Errorf("%s%v: explain says\n%q\nand what comes is\n%q\n%s", when, s, want, got,
			text.String())
	}
	if q.Supposed { // explain says that it does not know since when
		for i := range want {
			want[i] = sinceWhen.ReplaceAllString(want[i], `"since":…`)
		}
		for i := range got {
			got[i] = sinceWhen.ReplaceAllString(got[i], `"since":…`)
		}
		return differs("by a lookup: ")
	}
	if len(got) == 0 {
		asked["nothing"]++
	}
	if err := differs(""); err != nil || p.uses("age(") || p.uses(`"nodes"`) || !s.pod.bad {
		return err
	}
	const while = 5 * time.Minute // no rule waits longer
	time.Sleep(while)
	synctest.Wait()
	want, got = inTime(a, at, at.Add(while)), heard(ears, about)
	return differs("in time: ")
}

var sinceWhen = regexp.MustCompile(`"since":"[^"]+"`)

// uses reports whether the select or a rule has some text.
func (p *explainedPlan) uses(text string) bool {
	expressions, _, _ := strings.Cut(p.text[strings.Index(p.text, "\nlisteners:"):], "    filter:")
	return strings.Contains(expressions, text)
}

// lookups are the objects that expressions find.
func lookups(w modelWorld) map[string][]plan.ObjectFile {
	nodes := []plan.ObjectFile{}
	for _, node := range w.caches.of("nodes") {
		nodes = append(nodes, plan.ObjectFile{Path: "node", JSON: []byte(node.JSON())})
	}
	return map[string][]plan.ObjectFile{"nodes": nodes}
}

// heard returns what outputs took of an object since it was called last, sorted.
func heard(ears []*ear, about string) (all []string) {
	for i, e := range ears {
		for _, m := range e.tookSince() {
			if m.Subject[strings.LastIndex(m.Subject, "/")+1:] != about {
				continue
			}
			what := "event " + m.Op.String()
			if m.Report != nil {
				what = "resolved " + m.Report.Rule
				if m.Report.Violated {
					what = "violated " + m.Report.Rule
				}
				what += fmt.Sprintf(" %q", m.Report.Message)
			}
			what += fmt.Sprintf(" -> o%d", i)
			if m.Body == sink.BodyData {
				what += " " + m.Data
			}
			all = append(all, what)
		}
	}
	slices.Sort(all)
	return all
}

func podFile(name string, o modelPod) plan.ObjectFile {
	return plan.ObjectFile{Path: name, JSON: []byte(`{"apiVersion":"v1","kind":"Pod",` +
		fmt.Sprintf(o.json(name), 1) + "}")}
}

// known is what a running informerd tells of an object.
func (l *listener) known(cfg *config.Config, name string, o modelPod, there bool) *memory.Object {
	key := event.Key{Namespace: "shop", Name: name}
	own := cfg.Listeners[l.name]
	known := &memory.Object{Listener: true, Digest: plan.ListenerDigest(cfg, own),
		Outputs: own.Outputs, Has: there, UID: o.uid, Rules: l.remembers(key)}
	known.Selected = l.remembersSelected(key)
	return known
}

// tookSince returns what the output took since it was called last.
func (e *ear) tookSince() []sink.Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	took := e.took
	e.took = nil
	return took
}

// comes returns what an answer says comes until a time, sorted, and what it is not sure of.
func comes(a *answer.Answer, until time.Time) (all []string, unsure string) {
	for _, r := range a.Rules {
		switch r.Reported {
		case answer.Now:
			all = append(all, goes("violated", r, nil)...)
		case answer.Resolved:
			all = append(all, goes("resolved", r, nil)...)
		case answer.Again, answer.Later:
			if r.Remembered != nil && !r.Remembered.Next.After(until) {
				all = append(all, goes("violated", r, nil)...)
			}
		case answer.IfNew, answer.ResolvedIfAny:
			unsure = "rule " + r.Name + " " + r.Reported
		}
		for _, o := range r.Outputs {
			if o.Takes == "perhaps" {
				unsure = "rule " + r.Name + " -> " + o.Name
			}
		}
	}
	if a.Event != nil && !a.Supposed {
		all = append(all, goes("event "+a.Event.Op, nil, a.Event.Outputs)...)
	}
	if a.Otherwise != nil {
		unsure = "the event otherwise"
	}
	slices.Sort(all)
	return all, unsure
}

// inTime returns what an answer says comes until a time if nothing else happens, but not now.
func inTime(a *answer.Answer, now, until time.Time) (all []string) {
	for _, r := range a.Rules {
		again := r.Reported == answer.Again && r.Remembered.Next.After(now) &&
			!r.Remembered.Next.After(until)
		if again || r.Reported == answer.Later {
			all = append(all, goes("violated", r, nil)...)
		}
	}
	slices.Sort(all)
	return all
}

// goes returns to which outputs a report or an event goes, and with what data.
func goes(what string, r *answer.Rule, outputs []*answer.Output) (all []string) {
	if r != nil {
		what, outputs = fmt.Sprintf("%s %s %q", what, r.Name, r.Message), r.Outputs
	}
	for _, o := range outputs {
		if o.Takes != "yes" {
			continue
		}
		to := what + " -> " + o.Name
		if made, has := o.Made["data"]; has {
			to += " " + string(made)
		}
		all = append(all, to)
	}
	return all
}
