package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// TestRulesBeforeTheBufferModel: a listener with rules reports the same as one that gets every
// event, in the same order for each object and at the same times, and has the same open violations,
// whatever of its rules is decided before its buffer.
func TestRulesBeforeTheBufferModel(t *testing.T) {
	reports, refused := 0, uint64(0)
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		p.outputs = 1
		p.denies, p.holds, p.repeats = nil, nil, nil
		for range rapid.IntRange(1, 3).Draw(rt, "rules") {
			p.denies = append(p.denies,
				asks{text: denyOf(rt, rapid.IntRange(0, 2).Draw(rt, "depth"))})
			p.holds = append(p.holds,
				rapid.SampledFrom([]time.Duration{0, 0, 4 * time.Minute, 90 * time.Second}).Draw(rt,
					"for"))
			p.repeats = append(p.repeats,
				rapid.SampledFrom([]time.Duration{0, 0, 17 * time.Minute}).Draw(rt, "repeat"))
		}
		p.listener = "    buffer: {capacity: 1000}\n" +
			rapid.SampledFrom([]string{"", "    resync: 7m\n", "    on: [add]\n",
				"    on: [update]\n"}).Draw(rt, "listener")
		if strings.Contains(p.config(), "age(") {
			// A resync puts the next look at the clock off, and which of the two comes to an object
			// depends on what else there is to do.
			p.listener = strings.Replace(p.listener, "    resync: 7m\n", "", 1)
		}
		p.quiet = true // config writes no filter then
		if filter := rapid.SampledFrom([]string{"", "", "", `op == "delete"`, `label("a") == "y"`,
			`object.spec.bad == true && op != "resync"`, `changed("spec.node")`}).Draw(
			rt, "filter"); filter != "" {
			p.listener += "    filter: '" + filter + "'\n"
		}
		for i := range p.steps { // no event comes at the very time at which an object comes again
			p.steps[i].after += 7 * time.Nanosecond
		}
		var err error
		synctest.Test(t, func(t *testing.T) {
			var n int
			var r uint64
			n, r, err = p.compare(t)
			reports, refused = reports+n, refused+r
		})
		if err != nil {
			rt.Fatalf("%s%v: %v", p.config(), p.steps, err)
		}
	})
	if !t.Failed() && !testing.Short() && (reports < 100 || refused < 20) {
		t.Errorf("%d reports, %d events refused: this test says nothing", reports, refused)
	}
	t.Logf("%d reports, %d events refused", reports, refused)
}

func denyOf(t *rapid.T, depth int) string {
	form := "ask"
	if depth > 0 {
		form = rapid.SampledFrom([]string{"ask", "and", "and", "or", "not"}).Draw(t, "form")
	}
	below := func() string { return "(" + denyOf(t, depth-1) + ")" }
	switch form {
	case "and":
		return below() + " && " + below()
	case "or":
		return below() + " || " + below()
	case "not":
		return "!" + below()
	}
	return rapid.SampledFrom(modelAsks).Draw(t, "ask").text
}

// compare runs the plan's listener with another one that gets every event, and returns what was
// reported and how many events were refused before the buffer.
func (p *modelPlan) compare(t *testing.T) (reports int, refused uint64, err error) {
	time.Sleep(time.Until(storyTime))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg, err := config.Parse(t.TempDir()+"/config.yaml", []byte(whole(p.config())))
	if err != nil {
		return 0, 0, err
	}
	built, err := build(ctx, cfg, Options{Log: plain(&lockedBuffer{}, slog.LevelError)})
	if err != nil {
		return 0, 0, err
	}
	defer built.close(context.WithoutCancel(ctx))
	l := built.listeners[0]
	every, err := informer.NewSubscription(informer.SubscriptionConfig{Capacity: 1000,
		Resync: l.setup().Config.Resync.Duration, Transitions: l.setup().Select != nil})
	if err != nil {
		return 0, 0, err
	}
	server, caches := newModelServer(), &docCaches{}
	factory := informer.NewFactory(server, quiet)
	resource := informer.Resource{GroupVersionResource: schema.GroupVersionResource{Version: "v1",
		Resource: "pods"}, Kind: "Pod"}
	var ears [2]*ear
	var routes [2]*route.Route
	var books [2]*rules.Book
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for i, source := range []*informer.Subscription{l.subscription, every} {
		if _, err := factory.Subscribe(resource, informer.Scope{}, l.setup().Shape,
			source); err != nil {
			return 0, 0, err
		}
		ears[i] = &ear{}
		p := l.setup().pipeline()
		books[i] = rules.NewBook(l.setup().Rules, 1)
		p.Rules, p.Caches = books[i], caches
		p.Outputs = []route.Output{outputTo("out", ears[i])}
		if p.Messages, err = cloudevent.NewBuilder(
			sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"}); err != nil {
			return 0, 0, err
		}
		c := l.routeConfig(quiet, noLetters{})
		c.Subscription, c.Pipeline = source, p
		if routes[i], err = route.New(c); err != nil {
			return 0, 0, err
		}
		wg.Go(func() { _ = routes[i].Run(ctx) })
	}
	wg.Go(func() { _ = factory.Run(ctx) })
	w := modelWorld{server, caches, cfg.Informers["nodes"], moment{nodes: map[string]string{}},
		map[string]modelPod{}}
	for i, s := range append(slices.Clone(p.steps), modelStep{what: "time", after: 3 * time.Hour}) {
		if strings.HasSuffix(s.what, "node") { // else one listener may look up before, and one after
			synctest.Wait()
		}
		if err := w.do(s); err != nil {
			return 0, 0, err
		}
		if s.what != "time" {
			continue
		}
		synctest.Wait()
		if narrow, wide := books[0].Open(), books[1].Open(); !slices.Equal(narrow,
			wide) {
			return 0, 0, fmt.Errorf(
				"after step %d there are the violations %v, with every event %v", i, narrow, wide)
		}
		if narrow, wide := ears[0].heard(), ears[1].heard(); narrow != wide {
			return 0, 0, fmt.Errorf(
				"after step %d these were reported:\n%s\nwith every event these:\n%s", i, narrow,
				wide)
		}
	}
	narrow, wide := routes[0].Stats(), routes[1].Stats()
	// How many resyncs there are depends on what else there is to do. An object that comes again
	// just when something happens to it is evaluated once or twice.
	more, less := max(narrow.RuleErrors, wide.RuleErrors), min(narrow.RuleErrors, wide.RuleErrors)
	if more-less > 1+more/100 && l.setup().Config.Resync.Duration == 0 {
		return 0, 0, fmt.Errorf("rules have failed %d times, with every event %d times",
			narrow.RuleErrors, wide.RuleErrors)
	}
	return len(ears[0].took), l.subscription.Stats().Refused, nil
}

// heard is what an output took, object by object. Reports of two rules at the very same time, both of
// a beginning or both of an end, are in any order: each waits for the ones before of its own rule.
func (e *ear) heard() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var all []string
	for _, m := range e.took {
		if m.Op == event.Resync && m.Report == nil {
			continue // a resync skips an object that a worker has just then
		}
		all = append(all, fmt.Sprintf("%s %s %s %s %s", m.Subject, m.UID, m.Type, m.Time,
			cloudevent.AppendData(nil, m)))
	}
	slices.SortStableFunc(all, func(a, b string) int {
		a, _, _ = strings.Cut(a, " ")
		b, _, _ = strings.Cut(b, " ")
		return strings.Compare(a, b)
	})
	for i := 0; i < len(all); {
		end, before := i+1, all[i][:strings.Index(all[i], " {")+1]
		for end < len(all) && before != "" && strings.HasPrefix(all[end], before) {
			end++
		}
		slices.Sort(all[i:end])
		i = end
	}
	return strings.Join(all, "\n")
}
