package migrate

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

// modelResources are resources of kubewatch, with the kinds of their objects and what it calls
// them in its configuration. Nodes have no namespace.
var modelResources = []struct {
	name, resource, kind string
	cluster              bool
}{
	{"pod", "pods", "Pod", false}, {"deployment", "deployments.apps", "Deployment", false},
	{"services", "services", "Service", false}, {"node", "nodes", "Node", true},
	{"job", "jobs.batch", "Job", false}, {"namespace", "namespaces", "Namespace", true},
	{"secret", "secrets", "Secret", false},
	{"coreevent", "events", "Event", false},
}

// Which events reach the handler is as kubewatch has it: those of its resources, in its namespace,
// and none of objects that exist when it starts.
func TestKubewatchModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		namespace := rapid.SampledFrom([]string{"", "shop"}).Draw(t, "namespace")
		resources := map[string]bool{}
		for _, r := range modelResources {
			resources[r.name] = rapid.Bool().Draw(t, r.name)
		}
		resources["configmap"] = true // so that there is a listener
		source, err := json.Marshal(map[string]any{"resource": resources, "namespace": namespace,
			"handler": map[string]any{"webhook": map[string]any{"url": "https://a.example.com"}}})
		if err != nil {
			t.Fatal(err)
		}
		text, report, err := Convert(document.Text{File: "a.yaml", Data: source})
		if err != nil || len(report.Lost) > 0 {
			t.Fatal(err, report)
		}
		cfg, p := compiled(t, text)
		if w := warnings(cfg, p); len(w) > 0 {
			t.Fatal(w)
		}
		for _, r := range modelResources {
			in := rapid.SampledFrom([]string{"shop", "pay"}).Draw(t, "in")
			e := event.Event{Op: rapid.SampledFrom([]event.Op{event.Add, event.Update,
				event.Delete}).Draw(t, "op")}
			e.Initial = e.Op == event.Add && rapid.Bool().Draw(t, "initial")
			metadata := map[string]any{"name": "x"}
			if !r.cluster {
				metadata["namespace"] = in
			}
			e.Object = parsed(t, map[string]any{"apiVersion": "v1", "kind": r.kind,
				"metadata": metadata})
			if e.Op == event.Update {
				e.Old = e.Object
			}
			want := 0
			inside := r.cluster || namespace == "" || namespace == in
			if resources[r.name] && inside && !e.Initial {
				want = 1
			}
			got := 0
			for _, l := range p.Listeners {
				inf := l.Config.Informer()
				if inf.Resource == r.resource && (len(inf.Namespaces) == 0 ||
					slices.Contains(inf.Namespaces, in)) && passes(t, l, e, oneObject{}) {
					got++
				}
			}
			if got != want {
				t.Fatalf("%s in %s: %d, and not %d\n%s", r.name, in, got, want, text)
			}
		}
	})
}
