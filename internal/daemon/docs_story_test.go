package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/sinktest"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// told is a story of one listener: what happened to objects, as an events block has it, and what
// came out.
//
// Each line of the block is something that happens, and behind => what comes out of it. What
// happens is an event, with the fields of the object that matter; old is what the line before of
// that object has. An event without an object has that of the line before. "unheard" is a change of
// which the listener hears nothing, because its buffer was full; "cache NAME" puts an object into
// the cache of another informer; "away" is an output that takes nothing until "back"; +10m lets
// time pass.
//
// Behind => are the messages, separated by commas; if the listener has several outputs, each with
// the name of its output, as in "chat: violated stuck".
//
// A line that logs a warning or an error says so behind what comes out, as in: => nothing; logs
// "event given up". What the listener's beginning logs is said by a line "begin".
type told struct {
	t        *testing.T
	listener *listener
	source   *docSource
	sink     *docSink
	log      lockedBuffer
	logged   int                          // how much of it the lines so far have answered for
	states   map[event.Key]*object.Object // as the API server has them
	heard    map[event.Key]*object.Object // as the listener has them
	created  map[event.Key]string
	caches   *docCaches
	version  int
}

// storyTime is when stories begin.
var storyTime = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

var kindsOfStories = map[string]struct {
	apiVersion, kind string
	clusterScoped    bool
}{
	"pods": {"v1", "Pod", false}, "events": {"v1", "Event", false}, "nodes": {"v1", "Node", true},
	"deployments.apps": {"apps/v1", "Deployment", false}, "services": {"v1", "Service", false},
	"configmaps": {"v1", "ConfigMap", false}, "secrets": {"v1", "Secret", false},
	"endpointslices.discovery.k8s.io": {"discovery.k8s.io/v1", "EndpointSlice", false},
	"certificates.cert-manager.io":    {"cert-manager.io/v1", "Certificate", false},
	"certificates.v1.cert-manager.io": {"cert-manager.io/v1", "Certificate", false},
	"jobs.batch":                      {"batch/v1", "Job", false},
	"cronjobs.batch":                  {"batch/v1", "CronJob", false},
	"namespaces":                      {"v1", "Namespace", true},
	"persistentvolumeclaims":          {"v1", "PersistentVolumeClaim", false},
	"persistentvolumes":               {"v1", "PersistentVolume", true},
	"resourcequotas":                  {"v1", "ResourceQuota", false},
	"horizontalpodautoscalers.autoscaling": {"autoscaling/v2", "HorizontalPodAutoscaler",
		false},
	"poddisruptionbudgets.policy": {"policy/v1", "PodDisruptionBudget", false},
	"ingresses.networking.k8s.io": {"networking.k8s.io/v1", "Ingress", false},
	"clusterrolebindings.rbac.authorization.k8s.io": {"rbac.authorization.k8s.io/v1",
		"ClusterRoleBinding", true},
	"clusterroles.rbac.authorization.k8s.io": {"rbac.authorization.k8s.io/v1", "ClusterRole", true},
	"kustomizations.kustomize.toolkit.fluxcd.io": {"kustomize.toolkit.fluxcd.io/v1",
		"Kustomization", false},
}

// originOf returns the origin of a listener's messages, as the API server's answers make it.
func originOf(cfg *config.Config, listener, resource string) sink.Origin {
	kind := kindsOfStories[resource]
	plural, _, _ := strings.Cut(resource, ".")
	group, version, named := strings.Cut(kind.apiVersion, "/")
	if !named {
		group, version = "", kind.apiVersion
	}
	return sink.Origin{Cluster: cfg.Cluster.Name, Listener: listener, Resource: resource,
		Group: group, Version: version, Plural: plural, Kind: kind.kind}
}

// tell runs a story of one of the configuration's listeners, and reports each line that does not
// come true.
func tell(t *testing.T, cfg *config.Config, schemas plan.Schemas, name, events string) *told {
	t.Helper()
	s := &told{
		source: &docSource{recalls: map[event.Key]*time.Timer{}}, sink: &docSink{},
		states: map[event.Key]*object.Object{}, heard: map[event.Key]*object.Object{},
		created: map[event.Key]string{}, caches: &docCaches{},
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(storyTime))
		s.t = t
		s.source.wake = make(chan struct{}, 1)
		log := plain(&s.log, slog.LevelInfo)
		built, err := build(t.Context(), cfg, Options{Log: log, Schemas: schemas})
		if err != nil {
			t.Fatal(err)
		}
		defer built.close(context.WithoutCancel(t.Context()))
		i := slices.IndexFunc(built.listeners, func(l *listener) bool { return l.name == name })
		if i < 0 {
			t.Fatalf("there is no listener %q", name)
		}
		s.listener = built.listeners[i]
		p := s.listener.setup().pipeline()
		p.Caches = s.caches
		for i, o := range s.listener.setup().outputs {
			p.Outputs[i].To = outputTo(o.name, docOutput{s.sink, o.name}).To
		}
		p.Messages, err = cloudevent.NewBuilder(originOf(cfg, name,
			s.listener.setup().Config.Informer().Resource))
		if err != nil {
			t.Fatal(err)
		}
		c := s.listener.routeConfig(log, noLetters{})
		c.Subscription, c.Pipeline = s.source, p
		r, err := route.New(c)
		if err != nil {
			t.Fatal(err)
		}
		s.listener.route = r
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		if !strings.HasPrefix(strings.TrimSpace(events), "begin") {
			s.line("begin")
		}
		for line := range strings.Lines(events) {
			if line = strings.TrimSpace(line); line != "" {
				s.line(line)
			}
		}
		s.source.end()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if got := s.troubles(); got != "" {
			t.Errorf("in the end it logs %s\n%s", got, s.log.String())
		}
	})
	return s
}

func (s *told) line(line string) {
	s.t.Helper()
	what, want, expects := strings.Cut(line, "=>")
	want, troubles, _ := strings.Cut(want, "; logs ")
	what, want, troubles = strings.TrimSpace(what), strings.TrimSpace(want),
		strings.TrimSpace(troubles)
	begin, object := strings.IndexByte(what, '{'), ""
	if begin >= 0 {
		what, object = what[:begin], what[begin:]
	}
	words := strings.Fields(what)
	before := len(s.sink.all())
	switch {
	case len(words) == 0:
		s.t.Fatalf("nothing happens: %s", line)
	case words[0] == "begin":
	case words[0] == "away", words[0] == "back":
		s.sink.away.Store(words[0] == "away")
	case words[0] == "cache":
		s.cache(words[1], object)
	case words[0] == "unheard":
		s.state(s.listener.setup().Config.Informer().Resource, object)
	case words[0][0] == '+':
		d, err := time.ParseDuration(words[0][1:])
		if err != nil {
			s.t.Fatal(err)
		}
		time.Sleep(d)
	default:
		s.event(words, object)
	}
	synctest.Wait()
	var got []string
	for _, o := range s.listener.setup().outputs {
		for _, a := range s.sink.arrived()[before:] {
			switch {
			case a.output != o.name:
			case len(s.listener.setup().outputs) > 1:
				got = append(got, a.output+": "+outcome(a.message))
			default:
				got = append(got, outcome(a.message))
			}
		}
	}
	if len(got) == 0 {
		got = []string{"nothing"}
	}
	if text := strings.Join(got, ", "); expects && text != want || !expects && text != "nothing" {
		s.t.Errorf("%s\n    got %s\n%s", line, text, s.log.String())
	}
	if got := s.troubles(); got != troubles {
		s.t.Errorf("%s\n    logs %s\n%s", line, got, s.log.String())
	}
}

// troubles returns the warnings and errors that were logged since it was called last, each once.
func (s *told) troubles() string {
	s.t.Helper()
	var all []string
	for line := range strings.Lines(s.log.String()[s.logged:]) {
		level, rest, _ := strings.Cut(line, " msg=")
		if !strings.HasSuffix(level, "level=WARN") && !strings.HasSuffix(level, "level=ERROR") {
			continue
		}
		text, err := strconv.QuotedPrefix(rest)
		if err != nil {
			word, _, _ := strings.Cut(rest, " ")
			text = strconv.Quote(word)
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	s.logged = len(s.log.String())
	return strings.Join(all, ", ")
}

// outcome is a message in the words of the stories.
func outcome(m sink.Message) string {
	if m.Report == nil {
		return m.Op.String()
	}
	text := strings.TrimPrefix(m.Type, "dev.informerd.rule.") + " " + m.Report.Rule
	if m.Report.Message != m.Report.Rule && strings.HasPrefix(text, "violated") {
		text += fmt.Sprintf(" %q", m.Report.Message)
	}
	if m.Report.Repeats > 0 {
		text += " again"
	}
	return text
}

func (s *told) event(words []string, object string) {
	s.t.Helper()
	op, err := event.ParseOp(words[0])
	if err != nil {
		s.t.Fatal(err)
	}
	e := event.Event{Op: op}
	for _, flag := range words[1:] {
		n, isMissed := strings.CutPrefix(flag, "missed=")
		switch {
		case flag == "initial":
			e.Initial = true
		case flag == "resumed":
			e.Resumed = true
		case flag == "finalstateunknown":
			e.FinalStateUnknown = true
		case isMissed:
			missed, err := strconv.ParseInt(n, 10, 32)
			if err != nil {
				s.t.Fatal(err)
			}
			e.Missed = int32(missed)
		default:
			s.t.Fatalf("there is no flag %q", flag)
		}
	}
	before := maps.Clone(s.states)
	e.Object = s.state(s.listener.setup().Config.Informer().Resource, object)
	key := e.Object.Key()
	if op == event.Update {
		if e.Old = before[key]; e.Old == nil {
			s.t.Fatalf("an update of %s, which is not there", key)
		}
	}
	d := informer.NewDelivery(informer.Entry{Event: e, Attempt: 1}, s.source)
	if op == event.Delete {
		d.Before = s.heard[key]
		delete(s.states, key)
		delete(s.heard, key)
		delete(s.created, key)
	} else {
		s.heard[key] = e.Object
	}
	s.source.push(d)
}

// state reads an object, and adds what every object has. Without a text it is the last one.
func (s *told) state(resource, text string) *object.Object {
	s.t.Helper()
	if text == "" {
		if len(s.states) != 1 {
			s.t.Fatalf("there are %d objects, so the event must have one", len(s.states))
		}
		for _, o := range s.states {
			return o
		}
	}
	o := s.parse(resource, text)
	s.states[o.Key()] = o
	return o
}

func (s *told) parse(resource, text string) *object.Object {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "object.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	data, err := config.ReadObject(path)
	if err != nil {
		s.t.Fatalf("%s: %v", text, err)
	}
	var o map[string]any
	if err := json.Unmarshal(data, &o); err != nil {
		s.t.Fatal(err)
	}
	kind, known := kindsOfStories[resource]
	if !known {
		s.t.Fatalf("stories know nothing of %s", resource)
	}
	meta, _ := o["metadata"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
		o["metadata"] = meta
	}
	s.version++
	defaults := map[string]any{"name": "web-1", "resourceVersion": strconv.Itoa(s.version)}
	if !kind.clusterScoped {
		defaults["namespace"] = "shop"
	}
	for k, v := range defaults {
		if meta[k] == nil {
			meta[k] = v
		}
	}
	key := event.Key{Name: fmt.Sprint(meta["name"])}
	if ns, ok := meta["namespace"].(string); ok {
		key.Namespace = ns
	}
	if s.created[key] == "" {
		s.created[key] = time.Now().UTC().Format(time.RFC3339)
	}
	if meta["creationTimestamp"] == nil {
		meta["creationTimestamp"] = s.created[key]
	}
	if meta["uid"] == nil {
		meta["uid"] = "uid-of-" + key.Name
	}
	if data, err = json.Marshal(o); err != nil {
		s.t.Fatal(err)
	}
	object, err := (&object.Parser{APIVersion: kind.apiVersion, Kind: kind.kind}).Parse(data)
	if err != nil {
		s.t.Fatal(err)
	}
	return object
}

func (s *told) cache(name, text string) {
	s.t.Helper()
	inf := s.listener.setup().Config.Informers()[name]
	if inf == nil {
		s.t.Fatalf("there is no informer %q", name)
	}
	s.caches.put(name, cachedObject{s.parse(inf.Resource, text), inf})
}

// docCaches are the caches of other informers.
type docCaches struct {
	mu      sync.Mutex
	objects map[string][]cachedObject
}

func (c *docCaches) put(name string, o cachedObject) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.objects == nil {
		c.objects = map[string][]cachedObject{}
	}
	c.objects[name] = append(slices.DeleteFunc(c.objects[name], func(old cachedObject) bool {
		return old.Key() == o.Key()
	}), o)
}

func (c *docCaches) of(name string) []cachedObject {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.objects[name])
}

type cachedObject struct {
	*object.Object
	informer *config.Informer
}

func (c *docCaches) Get(name, namespace, object string) *object.Object {
	for _, o := range c.of(name) {
		if o.Key() == (event.Key{Namespace: namespace, Name: object}) {
			return o.Object
		}
	}
	return nil
}

func (c *docCaches) ByIndex(name, index, value string) (found []*object.Object) {
	for _, o := range c.of(name) {
		path, err := object.CompilePath(o.informer.Indexes[index])
		if err == nil && slices.Contains(informer.IndexByPath(path)(o.Object), value) {
			found = append(found, o.Object)
		}
	}
	return found
}

func (c *docCaches) ByIndexIn(name, index, value, namespace string) []*object.Object {
	return slices.DeleteFunc(c.ByIndex(name, index, value), func(o *object.Object) bool {
		return o.Namespace() != namespace
	})
}

func (c *docCaches) InClusters(name, namespace, object string) (all []filters.InCluster) {
	if o := c.Get(name, namespace, object); o != nil {
		all = append(all, filters.InCluster{Cluster: "default", Object: o})
	}
	return all
}

// docSource hands a listener's workers what happens, one event after the other, and an object's
// events behind one of it that waits for its retry.
type docSource struct {
	mu      sync.Mutex
	waiting []informer.Delivery
	ended   bool
	recalls map[event.Key]*time.Timer
	parked  map[event.Key][]informer.Delivery // the one that waits first
	wake    chan struct{}
}

func (s *docSource) push(d informer.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := d.Object.Key()
	if timer := s.recalls[key]; timer != nil {
		timer.Stop()
		delete(s.recalls, key)
	}
	if behind := s.parked[key]; behind != nil {
		if !d.Recalled {
			s.parked[key] = append(behind, d)
		}
		return
	}
	s.waiting = append(s.waiting, d)
	s.signal()
}

func (s *docSource) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, timer := range s.recalls {
		timer.Stop()
	}
	s.ended = true
	s.signal()
}

func (s *docSource) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *docSource) Next(ctx context.Context) (informer.Delivery, error) {
	for {
		s.mu.Lock()
		if len(s.waiting) > 0 {
			d := s.waiting[0]
			s.waiting = s.waiting[1:]
			s.mu.Unlock()
			return d, nil
		}
		ended := s.ended
		s.mu.Unlock()
		if ended {
			return informer.Delivery{}, informer.ErrStopped
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return informer.Delivery{}, ctx.Err()
		}
	}
}

// More returns nothing further: one line of a story is one event.
func (s *docSource) More(got []informer.Delivery, _, _ int) []informer.Delivery { return got }

func (s *docSource) Stopped() <-chan struct{} { return nil }

func (s *docSource) Stop() {}

func (s *docSource) Done(*informer.Delivery) {}

func (s *docSource) Retry(d *informer.Delivery, after time.Duration) {
	again := informer.NewDelivery(informer.Entry{Event: d.Event, Attempt: d.Attempt + 1}, s)
	again.Recalled, again.Before, again.Progress = d.Recalled, d.Before, d.Progress
	key := d.Object.Key()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	if s.parked == nil {
		s.parked = map[event.Key][]informer.Delivery{}
	}
	s.parked[key] = []informer.Delivery{again}
	time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waiting = append(s.waiting, s.parked[key]...)
		delete(s.parked, key)
		s.signal()
	})
}

func (s *docSource) Again(d *informer.Delivery, after time.Duration) {
	if d.Op == event.Delete {
		return
	}
	again := informer.NewDelivery(informer.Entry{Event: event.Event{Op: event.Resync, Object: d.Object}, Attempt: 1}, s)
	again.Recalled = true
	s.mu.Lock()
	defer s.mu.Unlock()
	key := d.Object.Key()
	if timer := s.recalls[key]; timer != nil {
		timer.Stop()
		delete(s.recalls, key)
	}
	if s.ended {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(after, func() {
		s.mu.Lock()
		current := s.recalls[key] == timer // else it was forgotten while the timer went off
		s.mu.Unlock()
		if current {
			s.push(again)
		}
	})
	s.recalls[key] = timer
}

// docSink keeps what comes out, of all outputs.
type docSink struct {
	mu   sync.Mutex
	got  []docMessage
	away atomic.Bool
}

type docMessage struct {
	output  string
	message sink.Message
}

// docOutput is a docSink as one of the listener's outputs.
type docOutput struct {
	*docSink
	name string
}

func (o docOutput) Pace() sink.Pace { return sink.Pace{} }

func (o docOutput) Write(ctx context.Context, messages []sink.Message) []error {
	return sinktest.Each(ctx, messages, o.take)
}

func (o docOutput) take(_ context.Context, m sink.Message) error {
	if o.away.Load() {
		return errors.New("connection refused")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.got = append(o.got, docMessage{o.name, m})
	return nil
}

func (o docOutput) Close(context.Context) error { return nil }

func (s *docSink) arrived() []docMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

func (s *docSink) all() (messages []sink.Message) {
	for _, m := range s.arrived() {
		messages = append(messages, m.message)
	}
	return messages
}

// of returns the messages to one output.
func (s *docSink) of(output string) (messages []sink.Message) {
	for _, m := range s.arrived() {
		if m.output == output {
			messages = append(messages, m.message)
		}
	}
	return messages
}
