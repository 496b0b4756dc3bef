package filtertest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/eval"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Stores are caches of other informers, by informer and key, or by informer, index and value.
type Stores struct {
	Objects map[string]*object.Object
	Indexed map[string][]*object.Object
	Others  map[string][]lang.InCluster // by informer and key
	Asked   int
}

func (s *Stores) Get(informer, namespace, name string) *object.Object {
	s.Asked++
	return s.Objects[informer+"/"+namespace+"/"+name]
}

func (s *Stores) ByIndex(informer, index, value string) []*object.Object {
	s.Asked++
	return s.Indexed[informer+"/"+index+"/"+value]
}

func (s *Stores) ByIndexIn(informer, index, value, namespace string) []*object.Object {
	return slices.DeleteFunc(slices.Clone(s.ByIndex(informer, index, value)),
		func(o *object.Object) bool { return o.Namespace() != namespace })
}

func (s *Stores) InClusters(informer, namespace, name string) []lang.InCluster {
	all := slices.Clone(s.Others[informer+"/"+namespace+"/"+name])
	if o := s.Get(informer, namespace, name); o != nil {
		all = append(all, lang.InCluster{Cluster: "prod-eu-1", Object: o})
	}
	slices.SortFunc(all, func(a, b lang.InCluster) int { return strings.Compare(a.Cluster, b.Cluster) })
	return all
}

const SamplePod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-1","namespace":"shop","creationTimestamp":"2026-01-02T03:00:00Z",
	"labels":{"app":"web","tier":"frontend"},"annotations":{"example.com/team":"shop","example.com/timeout":"90s","example.com/priority":"12"},
	"ownerReferences":[{"kind":"ReplicaSet","name":"web-old"},{"kind":"ReplicaSet","name":"web-7d9c","controller":true}]},
	"spec":{"nodeName":"node-17","priority":100,"containers":[
		{"name":"web","image":"registry.example.com/shop/web:1.2.3","resources":{"limits":{"memory":"512Mi","cpu":"500m"}}},
		{"name":"proxy","image":"proxy","resources":{"limits":{"memory":"64Mi"}}}]},
	"status":{"phase":"Running","podIP":"10.1.2.3","startTime":"2026-01-02T03:00:05Z",
		"conditions":[{"type":"PodScheduled","status":"True"},{"type":"Ready","status":"True","reason":"Grün"}],
		"containerStatuses":[{"name":"web","ready":true,"restartCount":9},{"name":"proxy","ready":true,"restartCount":0}]}}`

// Sample is an event about which the table's examples are true.
func Sample(t testing.TB) (event.Event, *Stores) {
	before := strings.Replace(SamplePod, `"phase":"Running"`, `"phase":"Pending"`, 1)
	before = strings.Replace(before, `"Ready","status":"True"`, `"Ready","status":"False"`, 1)
	ev := event.Event{Op: event.Update, Missed: 2, Object: NewObject(t, SamplePod),
		Old: NewObject(t, before)}
	node := NewObject(t, `{"metadata":{"name":"node-17","labels":{"zone":"a"}},"spec":{"unschedulable":true,"podCIDR":"10.1.0.0/16"}}`)
	service := NewObject(t, `{"metadata":{"name":"web","namespace":"shop"},"spec":{"ports":[{"port":80}]}}`)
	other := NewObject(t, `{"metadata":{"name":"web","namespace":"shop"},"spec":{"ports":[{"port":8080}]}}`)
	return ev, &Stores{
		Objects: map[string]*object.Object{"nodes//node-17": node, "services/shop/web": service},
		Indexed: map[string][]*object.Object{"services/app/web": {service}},
		Others:  map[string][]lang.InCluster{"services/shop/web": {{Cluster: "prod-us-1", Object: other}}},
	}
}

// sampleLabels are those of the sample's cluster.
var sampleLabels = map[string]string{"region": "eu", "a.b/c": ""}

// SampleMessage is a rule's report of the sample, about which the table's examples are true.
func SampleMessage(t testing.TB) *lang.Message {
	ev, _ := Sample(t)
	return &lang.Message{
		Event: ev, Cluster: "prod-eu-1", ClusterLabels: sampleLabels, Listener: "pods", Resource: "pods",
		Namespace: "shop", Name: "web-1", UID: "0f7c", Type: "dev.informerd.rule.violated",
		ID: "0123456789abcdef0123456789abcdef", Subject: "pods/shop/web-1",
		Rule: "restarts", Severity: "high", Message: "web-1 restarted 9 times", Violated: true,
		Since: time.Date(2026, 1, 2, 3, 5, 0, 0, time.UTC),
		Data:  `{"team": "shop", "n": [1, 2.50]}`,
	}
}

// SampleSource is what the sample's expressions know of their surroundings.
func SampleSource(text string) lang.Expression {
	return lang.Expression{
		Text: text, File: "config.yaml", Line: 12, Listener: "pods", Cluster: "prod-eu-1",
		ClusterLabels: sampleLabels,
		Informers:     map[string][]string{"nodes": nil, "services": {"app"}},
	}
}

// SampleEvaluator looks at the sample a quarter of an hour after the pod was made.
func SampleEvaluator(t testing.TB, source lang.Expression, caches lang.Caches) *eval.Evaluator {
	t.Helper()
	f, err := filters.Compile(source)
	if err != nil {
		t.Fatal(err)
	}
	e := f.Evaluator()
	e.Caches = caches
	e.Clock = func() time.Time { return time.Date(2026, 1, 2, 3, 15, 0, 0, time.UTC) }
	return e
}
