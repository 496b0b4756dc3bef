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

	"github.com/informerd/informerd/internal/changes"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/answer"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// explainedWorld is a running listener, and an API server with its objects.
type explainedWorld struct {
	*testing.T
	modelWorld
	*listener
	plan  *drawnConfig
	cfg   *config.Config
	ears  map[string]*ear // of outputs, by their names
	asked map[string]int  // what came

	reloaded bool
	severer  map[string]bool // rules whose severity an earlier reload has changed
}

func (p *explainedPlan) run(t *testing.T, asked map[string]int) error {
	time.Sleep(time.Until(storyTime))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	built, cfg, err := buildExplained(ctx, t, p.config)
	if err != nil {
		return err
	}
	defer built.close(context.WithoutCancel(ctx))
	server, caches := newModelServer(), &docCaches{}
	w := &explainedWorld{T: t, listener: built.listeners[0], plan: p.config, cfg: cfg,
		ears: map[string]*ear{}, asked: asked, severer: map[string]bool{},
		modelWorld: modelWorld{server, caches,
			cfg.Informers["nodes"], moment{nodes: map[string]string{}}, map[string]modelPod{}}}
	w.setup().remembered.Store(rules.NewBook(w.setup().Rules, len(w.setup().outputs)))
	if err := w.use(); err != nil {
		return err
	}
	factory := informer.NewFactory(server, quiet)
	resource := informer.Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1",
		Resource: "pods"}, Kind: "Pod"}
	if _, err := factory.Subscribe(resource, informer.Scope{}, w.setup().Shape,
		w.subscription); err != nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { _ = factory.Run(ctx) })
	wg.Go(func() { _ = w.route.Run(ctx) })
	time.Sleep(time.Second) // the first list is through
	synctest.Wait()
	for i, s := range p.steps {
		if c := p.reloads[i]; c != nil {
			if err := w.reload(ctx, c); err != nil {
				return fmt.Errorf("reload before step %d: %w", i, err)
			}
		}
		if err := w.step(s); err != nil {
			return fmt.Errorf("step %d: %v: %w", i, s, err)
		}
	}
	return nil
}

func buildExplained(ctx context.Context, t *testing.T, c *drawnConfig) (*runtime, *config.Config,
	error) {
	cfg, err := config.Parse(t.TempDir()+"/config.yaml", []byte(c.text()))
	if err != nil {
		return nil, nil, err
	}
	b, err := build(ctx, cfg, BuildOptions{Log: plain(&lockedBuffer{}, slog.LevelError)})
	return b, cfg, err
}

// use makes the route work with the listener's setup.
func (w *explainedWorld) use() (err error) {
	to := w.pipeline()
	to.Caches = w.caches
	for i, o := range w.setup().outputs {
		e := w.ears[o.name]
		if e == nil {
			e = &ear{}
			w.ears[o.name] = e
		}
		to.Outputs[i].To = outputTo(o.name, e).To
	}
	if to.Messages, err = cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"}); err != nil {
		return err
	}
	return w.route.Use(to)
}

// reload makes another configuration the listener's, as swap does, and holds what comes of that
// against what explain says before.
func (w *explainedWorld) reload(ctx context.Context, c *drawnConfig) error {
	built, cfg, err := buildExplained(ctx, w.T, c)
	if err != nil {
		return err
	}
	w.Cleanup(func() { built.close(context.WithoutCancel(ctx)) })
	if plan.ListenerDigest(cfg, cfg.Listeners["l"]) ==
		plan.ListenerDigest(w.cfg, w.cfg.Listeners["l"]) {
		return nil // a reload does nothing with the listener
	}
	w.reloaded = true
	answers := map[string]*answer.Answer{}
	for name, o := range w.lives {
		q := plan.Question{Op: event.Add, Object: podFile(name, o), Supposed: true,
			Running: w.known(name, o, true), Lookups: w.lookups()}
		if answers[name], err = plan.Answer(cfg, nil, "l", q); err != nil {
			return err
		}
	}
	said, err := openForNew(w.cfg, cfg)
	if err != nil {
		return err
	}
	at := time.Now()
	w.heard("")
	to := built.listeners[0].setup()
	to.remembered.Store(w.setup().book())
	from := w.now.Swap(to)
	if from.Config.Select.Text != to.Config.Select.Text &&
		(w.before == nil || !w.subscription.Rescanning()) {
		w.before = &route.Selection{Select: from.Select}
	}
	buffered := to.subscriptionConfig()
	if w.before != nil {
		buffered = seesAll(buffered)
	}
	if err := w.subscription.Reconfigure(buffered); err != nil {
		return err
	}
	was := w.plan
	w.plan, w.cfg = c, cfg
	if err := w.use(); err != nil {
		return err
	}
	if from.selectsOtherwise(to) {
		w.subscription.RescanLater()
	}
	if w.subscription.Rescanning() {
		w.subscription.Rescan()
	}
	synctest.Wait()
	if looks := c.uses("age(") || c.uses(`"nodes"`); looks && !from.selectsOtherwise(to) ||
		from.Select.LooksAround() && from.Config.Select.Text == to.Config.Select.Text &&
			(from.Before.Never || len(from.Before.Conditions) > 0) {
		// What begins to be selected or to violate a rule without a reason comes within a minute,
		// and not with a reload that changes neither; and what was refused before the buffer is not
		// looked for.
		answers = nil
	}
	heard := w.heardOf()
	for name, a := range answers {
		want, unsure := comes(a, at)
		want = append(want, withReload(a)...)
		if unsure != "" {
			return fmt.Errorf("explain is not sure: %s; %q", unsure, a.Verdicts)
		}
		got := plainly(heard[name])
		if err := w.compare("reload: ", a, got, plainly(want)); err != nil {
			return err
		}
		for _, r := range a.Rules {
			if r.Remembered == nil || !r.Remembered.Violated || r.Result != "violated" ||
				r.Reported != answer.None {
				continue // else other reports come as well
			}
			for output, gets := range said {
				comes := slices.Contains(got, "violated "+r.Name+" -> "+output)
				if w.severer[r.Name] {
					continue // plan knows nothing of reports before the configuration of now
				}
				if comes && gets == "no" || !comes && gets == "yes" {
					return fmt.Errorf("plan says that %s gets what is open: %s, and of %s and %s that is %t", output, gets,
						name, r.Name, comes)
				}
				w.asked["reload: plan says "+gets]++
			}
		}
	}
	for name, r := range was.rules {
		w.severer[name] = w.severer[name] || c.rules[name].severity != r.severity
	}
	time.Sleep(2 * time.Minute)
	synctest.Wait()
	return nil
}

// openForNew returns of each output that is new to the listener what plan says of open violations
// that it gets with a reload: yes, no, or perhaps.
func openForNew(before, after *config.Config) (map[string]string, error) {
	was, mistakes := plan.Compile(before, nil)
	is, others := plan.Compile(after, nil)
	if len(mistakes)+len(others) > 0 {
		return nil, append(mistakes, others...)
	}
	c, err := changes.Compare(was, is)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, name := range after.Listeners["l"].Outputs {
		if !slices.Contains(before.Listeners["l"].Outputs, name) {
			all[name] = "no"
		}
	}
	defer maps.DeleteFunc(all, func(name, _ string) bool { // a data that fails makes dead letters
		return strings.Contains(after.Outputs[name].Data.Text, ">")
	})
	for _, change := range c.Changes {
		for _, text := range change.Then {
			text, gets := strings.CutPrefix(text, "gets the violations that are open")
			names, sure := strings.CutPrefix(text, ": ")
			_, unsure, _ := strings.Cut(text, "takes them: ")
			if !gets || change.Kind != "listener" {
				continue
			}
			for _, name := range strings.Split(names, ", ") {
				if sure {
					all[name] = "yes"
				}
			}
			if !sure {
				for _, name := range strings.Split(unsure, ", ") {
					all[name] = "perhaps"
				}
			}
		}
	}
	return all, nil
}

// step does a step, and holds what comes of it against what explain says.
func (w *explainedWorld) step(s modelStep) error {
	was, there := w.lives[s.name]
	q := plan.Question{Op: event.Add, Object: podFile(s.name, s.pod),
		Running: w.known(s.name, was, there)}
	ask, about := true, s.name
	switch {
	case s.what == "apply" && there:
		q.Op, q.Old = event.Update, podFile(s.name, was)
	case s.what == "delete" && there:
		q.Op, q.Object = event.Delete, podFile(s.name, was)
	case s.what != "apply":
		ask = false
	}
	q.Lookups = w.lookups()
	w.heard("")
	at := time.Now()
	if err := w.do(s); err != nil {
		return err
	}
	wait := time.Duration(0)
	switch live := slices.Sorted(maps.Keys(w.lives)); {
	case ask:
	case strings.HasSuffix(s.what, "node") && len(live) > 0 && !w.plan.uses("age("):
		// Nothing happens to the object, and the listener looks again.
		about, wait, ask = live[0], time.Minute+time.Second, true
		o := w.lives[about]
		q = plan.Question{Op: event.Add, Object: podFile(about, o), Supposed: true,
			Running: w.known(about, o, true), Lookups: w.lookups()}
	default:
		time.Sleep(time.Minute) // a watch that has ended begins again within that
	}
	synctest.Wait()
	if !ask {
		return nil
	}
	a, err := plan.Answer(w.cfg, nil, "l", q)
	if err != nil {
		return err
	}
	want, unsure := comes(a, at.Add(wait))
	if unsure != "" {
		return fmt.Errorf("explain is not sure: %s; %q", unsure, a.Verdicts)
	}
	time.Sleep(wait)
	synctest.Wait()
	got := w.heard(about)
	if q.Supposed { // explain says that it does not know since when
		for _, all := range [][]string{got, want} {
			for i, text := range all {
				all[i] = sinceWhen.ReplaceAllString(text, `"since":…`)
			}
		}
		return w.compare("by a lookup: ", a, got, want)
	}
	if err := w.bare(q, got, at); err != nil {
		return err
	}
	if err := w.compare("", a, got, want); err != nil || w.plan.uses("age(") ||
		w.plan.uses(`"nodes"`) || !s.pod.bad {
		return err
	}
	const while = 5 * time.Minute // no rule waits longer
	time.Sleep(while)
	synctest.Wait()
	return w.compare("in time: ", a, w.heard(about), inTime(a, at, at.Add(while)))
}

// bare holds what explain says of an event without a running informerd against what came of it, if
// that is sure. A reload may have left something that does not follow from the configuration.
func (w *explainedWorld) bare(q plan.Question, got []string, at time.Time) error {
	if w.reloaded {
		return nil
	}
	q.Running = nil
	a, err := plan.Answer(w.cfg, nil, "l", q)
	if err != nil {
		return err
	}
	want, unsure := comes(a, at)
	ifSelected := strings.Contains(strings.Join(a.Verdicts, ";"), "if it was selected") ||
		a.Select != nil && a.Select.Result == "failed"
	ifLasted := func(r *answer.Rule) bool { return r.For != "" && r.Reported == answer.Resolved }
	if unsure != "" || ifSelected || slices.ContainsFunc(a.Rules, ifLasted) {
		return nil
	}
	return w.compare("bare: ", a, plainly(got), plainly(want))
}

var sinceWhen = regexp.MustCompile(`"since":"[^"]+"`)

// compare counts what came, and returns an error unless it is what explain says.
func (w *explainedWorld) compare(when string, a *answer.Answer, got, want []string) error {
	for _, what := range got {
		kind, _, _ := strings.Cut(what, " r")
		kind, _, _ = strings.Cut(kind, " ->")
		w.asked[when+kind]++
	}
	if slices.Equal(got, want) {
		return nil
	}
	var text strings.Builder
	if err := a.Write(&text); err != nil {
		return err
	}
	return fmt.Errorf("%sexplain says\n%q\nand what comes is\n%q\n%s", when, want, got, text.String())
}

// lookups are the objects that expressions find.
func (w *explainedWorld) lookups() map[string][]plan.ObjectFile {
	nodes := []plan.ObjectFile{}
	for _, node := range w.caches.of("nodes") {
		nodes = append(nodes, plan.ObjectFile{Path: "node", JSON: []byte(node.JSON())})
	}
	return map[string][]plan.ObjectFile{"nodes": nodes}
}

func podFile(name string, o modelPod) plan.ObjectFile {
	return plan.ObjectFile{Path: name, JSON: []byte(`{"apiVersion":"v1","kind":"Pod",` +
		fmt.Sprintf(o.json(name), 1) + "}")}
}

// known is what a running informerd tells of an object.
func (w *explainedWorld) known(name string, o modelPod, there bool) *memory.Object {
	key := event.Key{Namespace: "shop", Name: name}
	own := w.cfg.Listeners["l"]
	known := &memory.Object{Listener: true, Digest: plan.ListenerDigest(w.cfg, own),
		Outputs: own.Outputs, Has: there, UID: o.uid, Rules: w.remembers(key),
		Selected: w.remembersSelected(key)}
	if there {
		is, err := (&object.Parser{}).Parse(podFile(name, o).JSON)
		if err != nil {
			w.Fatal(err)
		}
		known.Member = w.selects(key, is)
	}
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

// heard returns what outputs took of an object since one of the two was called last, sorted.
func (w *explainedWorld) heard(about string) []string { return w.heardOf()[about] }

// heardOf returns the same, by the names of objects.
func (w *explainedWorld) heardOf() map[string][]string {
	all := map[string][]string{}
	for name, e := range w.ears {
		for _, m := range e.tookSince() {
			what := "event " + m.Op.String()
			if m.Report != nil {
				what = "resolved " + m.Report.Rule
				if m.Report.Violated {
					what = "violated " + m.Report.Rule
				}
				what += fmt.Sprintf(" %q", m.Report.Message)
			}
			what += " -> " + name
			if m.Body == sink.BodyData {
				what += " " + m.Data
			}
			about := m.Subject[strings.LastIndex(m.Subject, "/")+1:]
			all[about] = append(all[about], what)
		}
	}
	for _, of := range all {
		slices.Sort(of)
	}
	return all
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

var (
	// joining is what a verdict says of outputs that are new to a violation.
	joining = regexp.MustCompile(`^rule (r\d): .*; with the (?:reload|restart) reported to ([^;]+)$`)
	// dropping is what one says of a rule that there is no more.
	dropping = regexp.MustCompile(`^rule (r\d): its violation ends with the (?:reload|restart): resolved -> (.+)$`)
)

// withReload returns what the verdicts say comes with a reload.
func withReload(a *answer.Answer) (all []string) {
	for _, verdict := range a.Verdicts {
		for what, of := range map[string]*regexp.Regexp{"violated": joining, "resolved": dropping} {
			if found := of.FindStringSubmatch(verdict); found != nil && found[2] != "no output" {
				for _, output := range strings.Split(found[2], ", ") {
					all = append(all, fmt.Sprintf("%s %s \"\" -> %s", what, found[1], output))
				}
			}
		}
	}
	return all
}

var messageAndOutput = regexp.MustCompile(`^(\w+ \w+)(?: ".*?")? -> (o\d).*$`)

// plainly returns who gets what, without messages and data, sorted, and each once.
func plainly(all []string) (short []string) {
	for _, what := range all {
		short = append(short, messageAndOutput.ReplaceAllString(what, "$1 -> $2"))
	}
	slices.Sort(short)
	return slices.Compact(short)
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
