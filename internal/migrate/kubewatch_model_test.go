package migrate

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

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
		text, report, err := Convert(Options{}, Source{"a.yaml", source})
		if err != nil || report.Has(Lost) {
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

// interesting is what docs/ADVANCED_FILTERING.md of kubewatch says of updates of pods.
func interesting(pod, old *corev1.Pod) bool {
	if pod.Spec.NodeName != old.Spec.NodeName {
		return true
	}
	for _, s := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		now, last := s.State.Terminated, s.LastTerminationState.Terminated
		waiting := s.State.Waiting
		if s.RestartCount > 0 || waiting != nil && waiting.Reason == "ImagePullBackOff" ||
			now != nil && now.Reason == "OOMKilled" || last != nil && last.Reason == "OOMKilled" {
			return true
		}
	}
	return pod.Status.Phase == corev1.PodFailed && pod.Status.Reason == "Evicted" ||
		strings.Contains(pod.Status.Message, "evicted")
}

func drawPod(t *rapid.T) *corev1.Pod {
	text := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "text") }
	pod := &corev1.Pod{}
	pod.APIVersion, pod.Kind, pod.Name = "v1", "Pod", "x"
	pod.Spec.NodeName = text("a", "a", "a", "b")
	pod.Status.Phase = corev1.PodPhase(text("Running", "Failed"))
	pod.Status.Reason = text("", "Evicted")
	pod.Status.Message = text("", "", "", "The pod was evicted.")
	for range rapid.IntRange(0, 2).Draw(t, "containers") {
		restarts := max(0, rapid.Int32Range(-5, 1).Draw(t, "restarts"))
		s := corev1.ContainerStatus{RestartCount: restarts}
		switch text("running", "running", "waiting", "ended", "ended before") {
		case "waiting":
			s.State.Waiting = &corev1.ContainerStateWaiting{Reason: text("", "ImagePullBackOff")}
		case "ended":
			s.State.Terminated = &corev1.ContainerStateTerminated{Reason: text("", "OOMKilled")}
		case "ended before":
			s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
				Reason: text("", "OOMKilled")}
		}
		if rapid.Bool().Draw(t, "init") {
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, s)
		} else {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, s)
		}
	}
	return pod
}

// With ADVANCED_FILTERS, the handler cloudevent gets the updates of pods that kubewatch documents.
func TestKubewatchAdvancedFilters(t *testing.T) {
	text, _, err := Convert(Options{}, Source{"values.yaml", []byte(`
resourcesToWatch: {pod: true}
slack: {enabled: false}
cloudevent: {enabled: true, url: "https://a.example.com"}
extraEnvVars: [{name: ADVANCED_FILTERS, value: "true"}]
`)})
	if err != nil {
		t.Fatal(err)
	}
	cfg, p := compiled(t, text)
	for _, w := range warnings(cfg, p) {
		t.Error(w)
	}
	rapid.Check(t, func(t *rapid.T) {
		old, pod := drawPod(t), drawPod(t)
		e := event.Event{Op: event.Update, Old: parsed(t, old), Object: parsed(t, pod)}
		want := interesting(pod, old)
		if got := passes(t, p.Listeners[0], e, oneObject{}); got != want {
			t.Fatalf("%v, and not %v: %+v", got, want, pod)
		}
		e.Op, e.Old = event.Delete, nil
		if !passes(t, p.Listeners[0], e, oneObject{}) {
			t.Fatal("a delete does not pass")
		}
	})
}
