package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// told is a story of one listener: what happened to objects, as an events block has it, and what came out.
//
// Each line of the block is something that happens, and behind => what comes out of it. What happens is an event, with the
// fields of the object that matter; old is what the line before of that object has. An event without an object has that of
// the line before. "unheard" is a change of which the listener hears nothing, because its buffer was full; "cache NAME" puts
// an object into the cache of another informer; +10m lets time pass.
type told struct {
	t        *testing.T
	listener *listener
	source   *docSource
	sink     *docSink
	log      bytes.Buffer
	states   map[event.Key]*event.Object // as the API server has them
	heard    map[event.Key]*event.Object // as the listener has them
	created  map[event.Key]string
	caches   docCaches
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
	"configmaps": {"v1", "ConfigMap", false}, "endpointslices.discovery.k8s.io": {"discovery.k8s.io/v1", "EndpointSlice", false},
	"certificates.cert-manager.io": {"cert-manager.io/v1", "Certificate", false}, "jobs.batch": {"batch/v1", "Job", false},
}

// tell runs a story of one of the configuration's listeners, and reports each line that does not come true.
func tell(t *testing.T, cfg *config.Config, schemas Schemas, name, events string) *told {
	t.Helper()
	s := &told{
		source: &docSource{recalls: map[event.Key]*time.Timer{}}, sink: &docSink{},
		states: map[event.Key]*event.Object{}, heard: map[event.Key]*event.Object{}, created: map[event.Key]string{}, caches: docCaches{},
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(storyTime))
		s.t = t
		s.source.wake = make(chan struct{}, 1)
		log := plain(&s.log, slog.LevelInfo)
		p, err := build(t.Context(), cfg, BuildOptions{Log: log, Schemas: schemas})
		if err != nil {
			t.Fatal(err)
		}
		defer p.close(context.WithoutCancel(t.Context()))
		i := slices.IndexFunc(p.listeners, func(l *listener) bool { return l.cfg.Name == name })
		if i < 0 {
			t.Fatalf("there is no listener %q", name)
		}
		s.listener = p.listeners[i]
		r := s.listener.route
		r.Source, r.Caches = s.source, s.caches
		r.Outputs = []route.Output{{Name: "stdout", Sink: s.sink}}
		if r.Messages, err = cloudevent.NewSource(cfg.Cluster.Name, name, s.listener.cfg.Informer().Resource); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- r.Run(t.Context()) }()
		for line := range strings.Lines(events) {
			if line = strings.TrimSpace(line); line != "" {
				s.line(line)
			}
		}
		s.source.end()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *told) line(line string) {
	s.t.Helper()
	what, want, expects := strings.Cut(line, "=>")
	what, want = strings.TrimSpace(what), strings.TrimSpace(want)
	begin, object := strings.IndexByte(what, '{'), ""
	if begin >= 0 {
		what, object = what[:begin], what[begin:]
	}
	words := strings.Fields(what)
	before := len(s.sink.all())
	switch {
	case len(words) == 0:
		s.t.Fatalf("nothing happens: %s", line)
	case words[0] == "cache":
		s.cache(words[1], object)
	case words[0] == "unheard":
		s.state(s.listener.cfg.Informer().Resource, object)
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
	for _, m := range s.sink.all()[before:] {
		got = append(got, outcome(s.t, m))
	}
	if len(got) == 0 {
		got = []string{"nothing"}
	}
	if text := strings.Join(got, ", "); expects && text != want || !expects && text != "nothing" {
		s.t.Errorf("%s\n    got %s\n%s", line, text, s.log.String())
	}
}

// outcome is a message in the words of the stories.
func outcome(t *testing.T, m sink.Message) string {
	t.Helper()
	if m.Rule == "" {
		return m.Op.String()
	}
	var data struct {
		Message  string
		Repeated bool
	}
	if err := json.Unmarshal([]byte(m.Data), &data); err != nil {
		t.Fatal(err)
	}
	text := strings.TrimPrefix(m.Type, "dev.informerd.rule.") + " " + m.Rule
	if data.Message != m.Rule && strings.HasPrefix(text, "violated") {
		text += fmt.Sprintf(" %q", data.Message)
	}
	if data.Repeated {
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
		case flag == "finalstateunknown":
			e.FinalStateUnknown = true
		case isMissed:
			if e.Missed, err = strconv.Atoi(n); err != nil {
				s.t.Fatal(err)
			}
		default:
			s.t.Fatalf("there is no flag %q", flag)
		}
	}
	before := maps.Clone(s.states)
	e.Object = s.state(s.listener.cfg.Informer().Resource, object)
	key := e.Object.Key()
	if op == event.Update {
		if e.Old = before[key]; e.Old == nil {
			s.t.Fatalf("an update of %s, which is not there", key)
		}
	}
	d := informer.NewDelivery(e, 1, s.source)
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

// state reads an object, and gives it what every object has. Without a text it is the last one.
func (s *told) state(resource, text string) *event.Object {
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

func (s *told) parse(resource, text string) *event.Object {
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
	object, err := (&event.Parser{APIVersion: kind.apiVersion, Kind: kind.kind}).Parse(data)
	if err != nil {
		s.t.Fatal(err)
	}
	return object
}

func (s *told) cache(name, text string) {
	s.t.Helper()
	inf := s.listener.cfg.Informers()[name]
	if inf == nil {
		s.t.Fatalf("there is no informer %q", name)
	}
	s.caches[name] = append(s.caches[name], cachedObject{s.parse(inf.Resource, text), inf})
}

// docCaches are the caches of other informers.
type docCaches map[string][]cachedObject

type cachedObject struct {
	*event.Object
	informer *config.Informer
}

func (c docCaches) Get(name, namespace, object string) *event.Object {
	for _, o := range c[name] {
		if o.Key() == (event.Key{Namespace: namespace, Name: object}) {
			return o.Object
		}
	}
	return nil
}

func (c docCaches) ByIndex(name, index, value string) (found []*event.Object) {
	for _, o := range c[name] {
		path, err := event.CompilePath(o.informer.Indexes[index])
		if err == nil && slices.Contains(informer.IndexByPath(path)(o.Object), value) {
			found = append(found, o.Object)
		}
	}
	return found
}

func (c docCaches) ByIndexIn(name, index, value, namespace string) []*event.Object {
	return slices.DeleteFunc(c.ByIndex(name, index, value), func(o *event.Object) bool { return o.Namespace() != namespace })
}

// docSource gives a listener's workers what happens, one event after the other.
type docSource struct {
	mu      sync.Mutex
	waiting []informer.Delivery
	ended   bool
	recalls map[event.Key]*time.Timer
	wake    chan struct{}
}

func (s *docSource) push(d informer.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if timer := s.recalls[d.Object.Key()]; timer != nil {
		timer.Stop()
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

// More gives nothing: one line of a story is one event.
func (s *docSource) More(got []informer.Delivery, _, _ int) []informer.Delivery { return got }

func (s *docSource) Stopped() <-chan struct{} { return nil }

func (s *docSource) Done(*informer.Delivery) {}

func (s *docSource) Retry(*informer.Delivery, time.Duration) {} // nothing fails in stories but expressions

func (s *docSource) Again(d *informer.Delivery, after time.Duration) {
	if d.Op == event.Delete {
		return
	}
	again := informer.NewDelivery(event.Event{Op: event.Resync, Object: d.Object}, 1, s)
	again.Recalled = true
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recalls[d.Object.Key()] = time.AfterFunc(after, func() { s.push(again) })
}

// docSink keeps what comes out.
type docSink struct {
	mu       sync.Mutex
	messages []sink.Message
}

func (s *docSink) Write(_ context.Context, m sink.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
	return nil
}

func (s *docSink) Close(context.Context) error { return nil }

func (s *docSink) all() []sink.Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}
