package migrate

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// modelRoute and modelRule are what event-exporter documents of its routes.
type modelRoute struct {
	Drop   []modelRule  `json:"drop,omitempty"`
	Match  []modelRule  `json:"match,omitempty"`
	Routes []modelRoute `json:"routes,omitempty"`
}

type modelRule struct {
	Message    string            `json:"message,omitempty"`
	APIVersion string            `json:"apiVersion,omitempty"`
	Kind       string            `json:"kind,omitempty"`
	Namespace  string            `json:"namespace,omitempty"`
	Reason     string            `json:"reason,omitempty"`
	Type       string            `json:"type,omitempty"`
	Component  string            `json:"component,omitempty"`
	Host       string            `json:"host,omitempty"`
	MinCount   int               `json:"minCount,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
	Receiver   string            `json:"receiver,omitempty"`
}

// modelEvent is an Event, with the labels of its object.
type modelEvent struct {
	message, apiVersion, kind, namespace, reason, typ, component, host, name string
	count                                                                    int
	age                                                                      time.Duration
	labels                                                                   map[string]string
}

func (r modelRule) matches(e modelEvent) bool {
	for _, f := range [][2]string{{r.Message, e.message}, {r.APIVersion, e.apiVersion},
		{r.Kind, e.kind}, {r.Namespace, e.namespace}, {r.Reason, e.reason}, {r.Type, e.typ},
		{r.Component, e.component}, {r.Host, e.host}} {
		if matched, err := regexp.MatchString(f[0], f[1]); f[0] != "" && (!matched || err != nil) {
			return false
		}
	}
	for key, pattern := range r.Labels {
		text, has := e.labels[key]
		if matched, err := regexp.MatchString(pattern, text); !has || !matched || err != nil {
			return false
		}
	}
	return e.count >= r.MinCount
}

// receive adds the receivers that get the event.
func (r modelRoute) receive(e modelEvent, got map[string]bool) {
	for _, rule := range r.Drop {
		if rule.matches(e) {
			return
		}
	}
	all := true
	for _, rule := range r.Match {
		if !rule.matches(e) {
			all = false
		} else if rule.Receiver != "" {
			got[rule.Receiver] = true
		}
	}
	for _, sub := range r.Routes {
		if all {
			sub.receive(e, got)
		}
	}
}

var modelPatterns = []string{"", "", "", "Normal", "^Normal$", "Warn", "^(Normal|Warning)$",
	"Pod|Deployment", "*test*", "kube-.*", ".*", "^$", "[", "^web", "(?i)NORMAL", "a|", "ed$",
	`\d+`, "shop|^$", "^shop$", "Failed", "v1", "^(shop)$", "(?s)^.+$", "é", "^Pod$|^$"}

// drawRule draws a rule of few patterns, as nothing matches one of many.
func drawRule(t *rapid.T) modelRule {
	var r modelRule
	fields := []*string{&r.Message, &r.APIVersion, &r.Kind, &r.Namespace, &r.Reason, &r.Type,
		&r.Component, &r.Host}
	for range rapid.IntRange(0, 2).Draw(t, "patterns") {
		*rapid.SampledFrom(fields).Draw(t, "field") =
			rapid.SampledFrom(modelPatterns).Draw(t, "pattern")
	}
	r.MinCount = max(0, rapid.IntRange(-3, 3).Draw(t, "minCount"))
	r.Receiver = rapid.SampledFrom([]string{"", "a", "b", "c d", "nowhere"}).Draw(t, "receiver")
	if rapid.IntRange(0, 4).Draw(t, "labels") == 0 {
		r.Kind = rapid.SampledFrom([]string{"Pod", "^Pod$", "Pod|Deployment", "ment$"}).Draw(t, "of")
		r.Labels = map[string]string{"app.kubernetes.io/name": rapid.SampledFrom(modelPatterns).Draw(t, "label")}
	}
	return r
}

func drawRoute(t *rapid.T, depth int) modelRoute {
	r := modelRoute{Drop: rapid.SliceOfN(rapid.Custom(drawRule), 0, 2).Draw(t, "drop"),
		Match: rapid.SliceOfN(rapid.Custom(drawRule), 0, 2).Draw(t, "match")}
	for range rapid.IntRange(0, depth).Draw(t, "routes") {
		r.Routes = append(r.Routes, drawRoute(t, depth-1))
	}
	return r
}

func drawEvent(t *rapid.T) modelEvent {
	text := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	e := modelEvent{message: text("message", "", "Failed to pull", "a\nb", "café"),
		apiVersion: text("apiVersion", "", "v1", "apps/v1"),
		kind:       text("kind", "", "Pod", "Deployment", "Widget"),
		namespace:  text("namespace", "shop", "kube-system", "webtest"),
		reason:     text("reason", "", "Failed", "Scheduled"),
		typ:        text("type", "Normal", "Warning", ""),
		component:  text("component", "", "kubelet"), host: text("host", "", "node-1"),
		name: text("name", "x", "y"), count: rapid.IntRange(0, 4).Draw(t, "count"),
		age: time.Duration(rapid.SampledFrom([]int{0, 30, 90}).Draw(t, "age")) * time.Second}
	if (e.kind == "Pod" || e.kind == "Deployment") && rapid.Bool().Draw(t, "labelled") {
		e.labels = map[string]string{"app.kubernetes.io/name": text("label", "", "Normal", "web-1")}
	}
	return e
}

func (e modelEvent) object(t *rapid.T) *object.Object {
	involved := map[string]any{"name": e.name, "namespace": e.namespace}
	o := map[string]any{"apiVersion": "v1", "kind": "Event",
		"metadata":       map[string]any{"name": "e", "namespace": e.namespace},
		"involvedObject": involved, "lastTimestamp": nil,
		"eventTime": time.Now().Add(-e.age).UTC().Format("2006-01-02T15:04:05.000000Z")}
	source := map[string]any{}
	for _, f := range []struct {
		in          map[string]any
		name, value string
	}{{o, "message", e.message}, {o, "reason", e.reason}, {o, "type", e.typ},
		{involved, "apiVersion", e.apiVersion}, {involved, "kind", e.kind},
		{source, "component", e.component}, {source, "host", e.host}} {
		if f.value != "" || rapid.Bool().Draw(t, "empty "+f.name) {
			f.in[f.name] = f.value
		}
	}
	if len(source) > 0 {
		o["source"] = source
	}
	if e.count != 0 || rapid.Bool().Draw(t, "zero") {
		o["count"] = e.count
	}
	return parsed(t, o)
}

func parsed(t fataler, o any) *object.Object {
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	var p object.Parser
	parsed, err := p.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// oneObject is the caches in which one object has labels.
type oneObject struct {
	informer, namespace, name string
	object                    *object.Object
}

func (c oneObject) Get(informer, namespace, name string) *object.Object {
	if informer == c.informer && namespace == c.namespace && name == c.name {
		return c.object
	}
	return nil
}

func (oneObject) ByIndex(string, string, string) []*object.Object           { return nil }
func (oneObject) ByIndexIn(string, string, string, string) []*object.Object { return nil }
func (oneObject) InClusters(string, string, string) []filters.InCluster     { return nil }

func (e modelEvent) caches(t *rapid.T) oneObject {
	return oneObject{strings.ToLower(e.kind) + "s", e.namespace, e.name,
		parsed(t, map[string]any{"apiVersion": "v1", "kind": "Any",
			"metadata": map[string]any{"name": e.name, "labels": e.labels}})}
}

// passes reports whether a listener's select and filter let an event pass.
func passes(t fataler, l *plan.Listener, e event.Event, c oneObject) bool {
	wanted := false
	for _, op := range l.Config.On {
		wanted = wanted || op == e.Op
	}
	if !wanted {
		return false
	}
	if l.Filter == nil {
		return true
	}
	evaluator := l.Filter.Evaluator()
	evaluator.Caches = c
	ok, err := evaluator.Match(e)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// Which receivers get which Event is as event-exporter documents it: patterns, rules, routes and
// the age, also for patterns that are not ones, and fields that are not there.
func TestRoutesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := drawRoute(t, 2)
		maxAge := rapid.SampledFrom([]int{0, 5, 60}).Draw(t, "maxAge")
		receivers := []map[string]any{}
		for _, name := range []string{"a", "b", "c d"} {
			receivers = append(receivers, map[string]any{"name": name,
				"stdout": map[string]any{}})
		}
		source, err := json.MarshalIndent(map[string]any{"route": root, "receivers": receivers,
			"maxEventAgeSeconds": maxAge}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text, _, err := Convert(document.Text{File: "a.yaml", Data: source})
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		listeners := map[string]*plan.Listener{}
		if text != nil {
			_, p := compiled(t, text)
			for _, l := range p.Listeners {
				listeners[l.Config.Name] = l
			}
		}
		if maxAge == 0 {
			maxAge = 5
		}
		for range 20 {
			e := drawEvent(t)
			want := map[string]bool{}
			if e.age <= time.Duration(maxAge)*time.Second {
				root.receive(e, want)
			}
			ev := event.Event{Op: event.Add, Object: e.object(t)}
			for _, name := range []string{"a", "b", "c d"} {
				l := listeners[strings.ReplaceAll(name, " ", "-")]
				got := l != nil && passes(t, l, ev, e.caches(t))
				if got != want[name] {
					t.Fatalf("%s gets %+v: %v, and not %v\n%s\n%s", name, e, got, want[name],
						source, text)
				}
				ev.Op = event.Update
				if l != nil && passes(t, l, ev, e.caches(t)) {
					t.Fatal("an update passes")
				}
				ev.Op = event.Add
			}
		}
	})
}
