package asking

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/answer"
)

// A command can read the object again that is alone in a file, or in the cluster.
func TestSourcesOfObjects(t *testing.T) {
	pod := &kube.Reference{Resource: "pod", Namespace: "shop", Name: "web"}
	for _, c := range []struct {
		of   Options
		at   string
		want answer.Source
	}{
		{Options{Object: "a.yaml", Old: "b.yaml"}, "a.yaml",
			answer.Source{File: "a.yaml", Old: "b.yaml"}},
		{Options{Object: "a.yaml"}, "a.yaml: document 2", answer.Source{}},
		{Options{Object: "-"}, "<stdin>", answer.Source{}},
		{Options{live: pod}, "pod/shop/web", answer.Source{File: "web.json",
			Get: "kubectl get pod web -n shop -o json"}},
		{Options{live: &kube.Reference{Resource: "node", Name: "n"},
			Connect: live.Options{Context: "a b", Kubeconfig: "k"}}, "node/n",
			answer.Source{File: "n.json",
				Get: "kubectl get node n --context 'a b' --kubeconfig k -o json"}},
	} {
		x := Asking{Options: c.of}
		if got := x.source(c.at); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.at, got, c.want)
		}
	}
}

// The time is one, or how much later it is than the present one.
func TestNow(t *testing.T) {
	present := time.Now()
	for text, want := range map[string]time.Time{
		"2030-01-31T12:00:00Z": time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC),
		"2h":                   present.Add(2 * time.Hour),
		"-30m":                 present.Add(-30 * time.Minute),
	} {
		o := Options{Object: "a.yaml", Now: text}
		if err := o.Check(); err != nil || o.now.Sub(want).Abs() > time.Minute {
			t.Errorf("%s: %v, %v", text, o.now, err)
		}
	}
	o := Options{Object: "a.yaml"}
	if err := o.Check(); err != nil || !o.now.IsZero() {
		t.Errorf("%v, %v", o.now, err)
	}
	var usage words.UsageError
	for _, text := range []string{"tomorrow", "2030-01-31", "2"} {
		o := Options{Object: "a.yaml", Now: text}
		if err := o.Check(); !errors.As(err, &usage) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Lookups find the pods that the objects of a file make, unless these have some.
func TestPodsMade(t *testing.T) {
	object := func(kind string, replicas int, suspend bool) string {
		version := "apps/v1"
		if kind == "Job" || kind == "CronJob" {
			version = "batch/v1"
		}
		const spec = `"template":{"metadata":{"labels":{"app":"web"}},"spec":{"n":12345678901234567890}}`
		return fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":"web","namespace":"shop"},"spec":{"replicas":%d,"suspend":%t,%s,"jobTemplate":{"spec":{%s}}}}`,
			version, kind, replicas, suspend, spec, spec)
	}
	for _, c := range []struct {
		object, namespace, owner string // of a pod that is there
		want                     int
	}{
		{object("Deployment", 2, false), "", "", 2},
		{object("Deployment", 1000, false), "", "", maxPodsMade},
		{object("Deployment", 0, false), "", "", 0},
		{object("Deployment", -1, false), "", "", 0},
		{object("Deployment", 2, false), "shop", "ReplicaSet web-7d9f", 0},
		{object("Deployment", 2, false), "shop", "ReplicaSet web-api-7d9f", 2}, // of another one
		{object("Deployment", 2, false), "pay", "ReplicaSet web-7d9f", 2},
		{object("Deployment", 2, false), "shop", "StatefulSet web", 2},
		{object("StatefulSet", 2, false), "shop", "StatefulSet web", 0},
		{object("Job", 1, true), "", "", 0},
		{object("Job", 1, false), "", "", 1},
		{object("CronJob", 1, false), "", "", 0},
		{`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"}}`, "", "", 0},
		{`null`, "", "", 0},
	} {
		there := []plan.ObjectFile{{JSON: []byte("null")}, {JSON: []byte(`{"metadata":7}`)}}
		if kind, name, is := strings.Cut(c.owner, " "); is {
			there = append(there, plan.ObjectFile{JSON: fmt.Appendf(nil,
				`{"metadata":{"namespace":%q,"ownerReferences":[{"kind":%q,"name":%q,"controller":true}]}}`,
				c.namespace, kind, name)})
		}
		names := map[string]bool{}
		for _, pod := range podsMade(plan.ObjectFile{JSON: []byte(c.object)}, ownersOf(there)) {
			names[metadataOf(pod.JSON).Name] = true
			for _, part := range []string{`"n":12345678901234567890`, `"creationTimestamp":"20`} {
				if !strings.Contains(string(pod.JSON), part) {
					t.Errorf("there is no %s in %s", part, pod.JSON)
				}
			}
		}
		if len(names) != c.want {
			t.Errorf("%s, %s: %v", c.object, c.owner, names)
		}
	}
}
