package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// says is what an expression says: yes, no, or nothing.
type says int

const (
	no says = iota
	yes
	nothing
)

func answerOf(b bool) says {
	if b {
		return yes
	}
	return no
}

// modelPod is an object as the model has it.
type modelPod struct {
	uid            string
	created        time.Duration // after the beginning
	label, node, n string        // n is JSON, or ""
	bad            bool
}

// moment is what an expression may look at besides its object.
type moment struct {
	now   time.Time
	nodes map[string]string // their zones, by name
}

// asks is an expression, and what it says, written down a second time.
type asks struct {
	text string
	of   func(o modelPod, m moment) says
}

func (o modelPod) above(limit string) says {
	switch o.n {
	case "":
		return no
	case `"x"`:
		return nothing
	}
	return answerOf(o.n > limit)
}

func (o modelPod) age(m moment) time.Duration { return m.now.Sub(storyTime.Add(o.created)) }

// and is && of two answers, from the left.
func and(a says, b func() says) says {
	if a != yes {
		return a
	}
	return b()
}

var modelAsks = []asks{
	{`label("a") == "x"`, func(o modelPod, _ moment) says { return answerOf(o.label == "x") }},
	{`object.spec.n > 1`, func(o modelPod, _ moment) says { return o.above("1") }},
	{`label("a") == "x" && object.spec.n > 1`, func(o modelPod, _ moment) says {
		return and(answerOf(o.label == "x"), func() says { return o.above("1") })
	}},
	{`object.spec.n > 1 && label("a") == "x"`, func(o modelPod, _ moment) says {
		return and(o.above("1"), func() says { return answerOf(o.label == "x") })
	}},
	{`age() > "5m"`, func(o modelPod, m moment) says { return answerOf(o.age(m) > 5*time.Minute) }},
	{`age() < "20m"`, func(o modelPod, m moment) says {
		return answerOf(o.age(m) < 20*time.Minute)
	}},
	{`label("a") == "x" && age() > "3m" && age() < "25m"`, func(o modelPod, m moment) says {
		return answerOf(o.label == "x" && o.age(m) > 3*time.Minute && o.age(m) < 25*time.Minute)
	}},
	{`age() > "3m" && object.spec.n > 1`, func(o modelPod, m moment) says {
		return and(answerOf(o.age(m) > 3*time.Minute), func() says { return o.above("1") })
	}},
	{`age() > "3m" && age() < "9m" && object.metadata.name > 5 || object.spec.bad == true`,
		func(o modelPod, m moment) says {
			if o.age(m) > 3*time.Minute && o.age(m) < 9*time.Minute {
				return nothing
			}
			return answerOf(o.bad)
		}},
	{`cached("nodes", "", object.spec.node).spec.zone == "on"`, func(o modelPod, m moment) says {
		return answerOf(o.node != "" && m.nodes[o.node] == "on")
	}},
	{`len(byIndex("nodes", "zone", object.spec.node)) > 0`, func(o modelPod, m moment) says {
		return answerOf(o.node != "" && slices.Contains(slices.Collect(maps.Values(m.nodes)),
			o.node))
	}},
	{`object.spec.bad == true`, func(o modelPod, _ moment) says { return answerOf(o.bad) }},
}

// modelStep is something that happens.
type modelStep struct {
	what   string
	name   string
	pod    modelPod
	output int
	after  time.Duration
}

// modelPlan is a listener and all that happens to it.
type modelPlan struct {
	selects  *asks
	denies   []asks
	holds    []time.Duration
	repeats  []time.Duration
	quiet    bool // only what rules report goes out
	deaf     bool // neither adds nor deletes go out, or only one of them
	outputs  int
	listener string // the rest of its configuration
	steps    []modelStep
}

func drawPlan(t *rapid.T) *modelPlan {
	p := &modelPlan{outputs: rapid.IntRange(1, 2).Draw(t, "outputs")}
	if rapid.IntRange(0, 4).Draw(t, "has select") > 0 {
		p.selects = &modelAsks[rapid.IntRange(0, len(modelAsks)-1).Draw(t, "select")]
	}
	for range rapid.IntRange(0, 3).Draw(t, "rules") {
		p.denies = append(p.denies, modelAsks[rapid.IntRange(0, len(modelAsks)-1).Draw(t, "deny")])
		p.holds = append(p.holds,
			rapid.SampledFrom([]time.Duration{0, 0, 4 * time.Minute, 90 * time.Second}).Draw(t,
				"for"))
		p.repeats = append(p.repeats,
			rapid.SampledFrom([]time.Duration{0, 0, 17 * time.Minute}).Draw(t, "repeat"))
	}
	p.quiet = len(p.denies) > 0 && rapid.Bool().Draw(t, "quiet")
	attempts := 1000 // an event that is given up is a change that an output does not learn of
	if p.quiet {
		attempts = rapid.IntRange(1, 4).Draw(t, "attempts")
	}
	overflow := rapid.SampledFrom([]string{"latest", "latest", "spill", "block"}).Draw(t,
		"overflow")
	p.listener = fmt.Sprintf("    retry: {attempts: %d, minBackoff: 1s, maxBackoff: 1m}\n    workers: %d\n    buffer: {capacity: %d, overflow: %s}\n",
		attempts, rapid.IntRange(1, 3).Draw(t, "workers"),
		rapid.SampledFrom([]int{1, 2, 100}).Draw(t, "capacity"), overflow)
	if on := rapid.SampledFrom([]string{"", "", "", "add, delete", "add", "update", "delete"}).Draw(
		t, "on"); on != "" {
		p.listener += "    on: [" + on + "]\n"
		p.deaf = on != "add, delete"
	} else if rapid.IntRange(0, 3).Draw(t, "resync") == 0 {
		p.listener += "    resync: 7m\n"
	}
	uids := 0
	name := rapid.SampledFrom([]string{"a", "b", "c"})
	whats := []string{"apply", "apply", "apply", "apply", "delete", "replace", "quietly replace",
		"quietly delete", "relist", "node", "no node", "time", "time", "time", "away", "away",
		"flaky", "back"}
	lives := map[string]modelPod{}
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		s := modelStep{what: rapid.SampledFrom(whats).Draw(t, "what"), name: name.Draw(t, "name")}
		switch s.what {
		case "apply", "replace", "quietly replace":
			s.pod = modelPod{
				label: rapid.SampledFrom([]string{"x", "x", "y"}).Draw(t, "label"),
				node:  rapid.SampledFrom([]string{"", "n1", "n2", "on"}).Draw(t, "node"),
				n:     rapid.SampledFrom([]string{"", "1", "2", "3", `"x"`}).Draw(t, "n"),
				bad:   rapid.Bool().Draw(t, "bad"),
			}
			if was, there := lives[s.name]; there && s.what == "apply" {
				s.pod.uid, s.pod.created = was.uid, was.created
			} else {
				uids++
				s.pod.uid, s.pod.created = fmt.Sprint("u", uids),
					time.Duration(rapid.IntRange(-10, 30).Draw(t, "created"))*time.Minute
			}
			lives[s.name] = s.pod
		case "delete", "quietly delete":
			delete(lives, s.name)
		case "node", "no node":
			s.name = rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "node")
		case "time":
			s.after = rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second,
				31 * time.Second, 61 * time.Second, 4 * time.Minute, 11 * time.Minute}).Draw(
				t, "after")
		case "away", "back", "flaky":
			s.output = rapid.IntRange(0, p.outputs-1).Draw(t, "output")
		}
		p.steps = append(p.steps, s)
	}
	return p
}

func (p *modelPlan) config() string {
	text := "informers:\n  pods: {resource: pods}\n  nodes: {resource: nodes, indexes: {zone: spec.zone}}\nlisteners:\n  l:\n    informer: pods\n    outputs: [stdout]\n" + p.listener
	if p.selects != nil {
		text += fmt.Sprintf("    select: '%s'\n", p.selects.text)
	}
	if len(p.denies) > 0 {
		text += "    rules:\n"
		for i, d := range p.denies {
			text += fmt.Sprintf("      - {name: r%d, deny: '%s', for: %s, repeat: %s}\n", i, d.text,
				p.holds[i], p.repeats[i])
		}
		if !p.quiet {
			text += "    filter: 'true'\n"
		}
	}
	return text
}

// ear is an output, and what it took. At times it is away, or takes every second message only.
type ear struct {
	fails atomic.Int32 // each so many-th write; 0: none
	mu    sync.Mutex
	n     int32
	took  []sink.Message
}

func (e *ear) Pace() sink.Pace { return sink.Pace{} }

func (e *ear) Write(ctx context.Context, messages []sink.Message) []error {
	return sinktest.Each(ctx, messages, e.take)
}

func (e *ear) take(_ context.Context, m sink.Message) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.n++
	if each := e.fails.Load(); each > 0 && e.n%each == 0 {
		return errors.New("connection refused")
	}
	e.took = append(e.took, m)
	return nil
}

func (e *ear) Close(context.Context) error { return nil }

// taken returns what it took since the last call.
func (e *ear) taken() []sink.Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	took := e.took
	e.took = nil
	return took
}

// believes is what follows from what an output took: which objects there are, and which rules they
// violate, by name, uid and rule. It fails if something is reported twice, or ends that did not
// begin.
func (e *ear) believes(p *modelPlan) (objects map[string]bool, violations map[string]bool,
	err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	objects, violations = map[string]bool{}, map[string]bool{}
	for i, m := range e.took {
		name := m.Subject[strings.LastIndex(m.Subject, "/")+1:]
		if m.Report == nil {
			switch {
			case p.deaf:
			case m.Op == event.Add && objects[name], m.Op == event.Update &&
				!objects[name], m.Op == event.Delete && !objects[name] && p.moving() &&
				m.Missed == 0: // else it was merged with the add
				return nil, nil,
					fmt.Errorf("message %d, %s of %s %s: it believes that there are %v", i, m.Op,
						name, m.UID, objects)
			case m.Op == event.Delete:
				delete(objects, name)
			case m.Op == event.Add:
				objects[name] = true
			}
			continue
		}
		var data struct{ Repeated bool }
		if err := json.Unmarshal(cloudevent.AppendData(nil, m), &data); err != nil {
			return nil, nil, err
		}
		about := name + " " + m.UID + " " + m.Report.Rule
		violated := strings.HasSuffix(m.Type, ".violated")
		if violated && data.Repeated != violations[about] || !violated && !violations[about] {
			return nil, nil, fmt.Errorf(
				"message %d, %s (repeated %t) of %s: it believes that there are %v", i, m.Type,
				data.Repeated, about, violations)
		}
		if violations[about] = violated; !violated {
			delete(violations, about)
		}
	}
	return objects, violations, nil
}

func (p *modelPlan) moving() bool {
	return p.selects != nil &&
		(strings.Contains(p.selects.text, "age()") || strings.Contains(p.selects.text, `"nodes"`))
}

// TestPipelineModel: an API server, an informer, a buffer, and a listener with whatever select and
// rules, of which each part fails at times. When all is quiet, each output has heard what is true,
// in turn.
func TestPipelineModel(t *testing.T) {
	checked := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		var err error
		synctest.Test(t, func(t *testing.T) { err = p.run(t, checked) })
		if err != nil {
			rt.Fatalf("%s%v: %v", p.config(), p.steps, err)
		}
	})
	if !t.Failed() && !testing.Short() {
		for _, what := range []string{"members", "others", "violations", "unknown"} {
			if checked[what] == 0 {
				t.Errorf("there were no %s: this test says nothing; %v", what, checked)
			}
		}
	}
	t.Log(checked)
}

// modelWorld is what steps happen to.
type modelWorld struct {
	server *modelServer
	caches *docCaches
	nodes  *config.Informer
	moment moment
	lives  map[string]modelPod
}

func (w *modelWorld) do(s modelStep) error {
	apply := func() {
		w.lives[s.name] = s.pod
		w.server.apply(s.name, s.pod.json(s.name), s.what == "quietly replace")
	}
	switch s.what {
	case "apply":
		apply()
	case "replace", "quietly replace":
		w.server.remove(s.name, s.what == "quietly replace")
		apply()
	case "delete", "quietly delete":
		delete(w.lives, s.name)
		w.server.remove(s.name, s.what == "quietly delete")
	case "relist":
		w.server.expire()
	case "node", "no node":
		w.moment.nodes[s.name] = map[string]string{"node": "on", "no node": "off"}[s.what]
		o, err := (&object.Parser{}).Parse(
			fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Node","metadata":{"name":%q},"spec":{"zone":%q}}`, s.name, w.moment.nodes[s.name]))
		if err != nil {
			return err
		}
		w.caches.put("nodes", cachedObject{o, w.nodes})
	case "time":
		time.Sleep(s.after)
	}
	return nil
}

func (p *modelPlan) run(t *testing.T, checked map[string]int) error {
	time.Sleep(time.Until(storyTime))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg, err := config.Parse(t.TempDir()+"/config.yaml", []byte(whole(p.config())))
	if err != nil {
		return err
	}
	var log lockedBuffer
	built, err := build(ctx, cfg, Options{Log: plain(&log, slog.LevelError)})
	if err != nil {
		return err
	}
	defer built.close(context.WithoutCancel(ctx))
	l := built.listeners[0]
	r, to, caches := l.route, l.setup().pipeline(), &docCaches{}
	to.Caches, to.Outputs = caches, nil
	if len(p.denies) > 0 {
		l.setup().remembered.Store(rules.NewBook(l.setup().Rules, p.outputs))
		to.Rules = l.setup().book()
	}
	ears := make([]*ear, p.outputs)
	for i := range ears {
		ears[i] = &ear{}
		to.Outputs = append(to.Outputs, outputTo(fmt.Sprint("out", i), ears[i]))
	}
	if to.Messages, err = cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"}); err != nil {
		return err
	}
	if err := r.Use(to); err != nil {
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
	routed := make(chan error, 1)
	wg.Go(func() { _ = factory.Run(ctx) })
	wg.Go(func() { routed <- r.Run(ctx) })
	defer wg.Wait()
	defer cancel()

	w := modelWorld{server, caches, cfg.Informers["nodes"], moment{nodes: map[string]string{}},
		map[string]modelPod{}}
	for _, s := range p.steps {
		switch s.what {
		case "away", "flaky", "back":
			ears[s.output].fails.Store(map[string]int32{"away": 1, "flaky": 2}[s.what])
		default:
			if err := w.do(s); err != nil {
				return err
			}
		}
		if s.what == "time" { // else it comes in one burst with what follows
			synctest.Wait()
		}
	}
	now, lives := w.moment, w.lives
	for _, e := range ears {
		e.fails.Store(0)
	}
	server.expire()
	time.Sleep(3 * time.Hour)
	synctest.Wait()
	now.now = time.Now()
	if err := p.check(l, ears, lives, now, checked); err != nil {
		return fmt.Errorf("%w\n%s", err, log.String())
	}
	for name := range lives {
		server.remove(name, false)
	}
	time.Sleep(5 * time.Minute)
	synctest.Wait()
	now.now = time.Now()
	if err := p.check(l, ears, nil, now, checked); err != nil {
		return fmt.Errorf("with all objects gone: %w\n%s", err, log.String())
	}
	if n := r.Stats().Members; n != 0 {
		return fmt.Errorf("%d objects are remembered when all are gone", n)
	}
	return nil
}

// check compares what was sent with what is true.
func (p *modelPlan) check(l *listener, ears []*ear, lives map[string]modelPod, now moment,
	checked map[string]int) error {
	for i, e := range ears {
		objects, violations, err := e.believes(p)
		if err != nil {
			return fmt.Errorf("output %d: %w", i, err)
		}
		for name := range objects {
			if _, there := lives[name]; !there {
				return fmt.Errorf("output %d believes that there is %s", i, name)
			}
		}
		open := map[string]bool{}
		if l.setup().book() != nil {
			for _, v := range l.setup().book().Open() {
				open[v.Name+" "+v.UID+" "+v.Rule] = true
			}
		}
		if !maps.Equal(open, violations) {
			return fmt.Errorf("output %d believes that there are the violations %v, open are %v", i,
				violations, open)
		}
		for about := range violations {
			name, _, _ := strings.Cut(about, " ")
			if o, there := lives[name]; !there || !strings.HasPrefix(about, name+" "+o.uid+" ") {
				return fmt.Errorf("output %d believes in %s of an object that is gone", i, about)
			}
		}
		for name, o := range lives {
			selected := yes
			if p.selects != nil {
				selected = p.selects.of(o, now)
			}
			switch {
			case selected == nothing: // as it was, which depends on what the listener has seen
				checked["unknown"]++
				continue
			case selected == yes:
				checked["members"]++
			default:
				checked["others"]++
			}
			if !p.quiet && !p.deaf && objects[name] != (selected == yes) {
				return fmt.Errorf("output %d: %s is there: %t, selected: %t (%+v)", i, name,
					objects[name], selected == yes, o)
			}
			for n, d := range p.denies {
				about := fmt.Sprintf("%s %s r%d", name, o.uid, n)
				denied := d.of(o, now)
				if denied == yes && selected == yes {
					checked["violations"]++
				}
				if denied != nothing && violations[about] != (denied == yes && selected == yes) ||
					denied == nothing && selected == no && violations[about] {
					return fmt.Errorf(
						"output %d: %s is violated: %t, but selected: %t, denied: %t (%+v)", i,
						about, violations[about], selected == yes, denied == yes, o)
				}
			}
		}
	}
	return nil
}

func (o modelPod) json(name string) string {
	n := ""
	if o.n != "" {
		n = `,"n":` + o.n
	}
	return fmt.Sprintf(`"metadata":{"name":%q,"namespace":"shop","uid":%q,"resourceVersion":"%%d","creationTimestamp":%q,"labels":{"a":%q}},"spec":{"node":%q,"bad":%t%s}`,
		name, o.uid, storyTime.Add(o.created).Format(time.RFC3339), o.label, o.node, o.bad, n)
}
