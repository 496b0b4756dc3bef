package schema

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
)

func named(group, version, resource, kind string) Entry {
	return Entry{Group: group, Version: version, Resource: resource, Kind: kind,
		Schema: &filters.Schema{Type: "object"}}
}

func (s *Set) nameOf(found *filters.Schema) string {
	for _, e := range s.entries {
		if e.Schema == found {
			return e.Resource + " " + strings.TrimPrefix(e.Group+"/"+e.Version, "/")
		}
	}
	return "none"
}

func TestLookup(t *testing.T) {
	deployments := named("apps", "v1", "deployments", "Deployment")
	deployments.ShortNames = []string{"deploy", "dp"}
	set := NewSet([]Entry{
		deployments,
		named("events.k8s.io", "v1", "events", "Event"),
		named("", "v1", "pods", "Pod"),
		named("", "v1", "events", "Event"),
		named("autoscaling", "v2beta1", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
		named("autoscaling", "v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
		named("autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler"),
		named("cert-manager.io", "v1", "certificates", "Certificate"),
		named("v1.example.test", "v1", "things", "Thing"),
	})
	for name, want := range map[string]string{
		"pods":                            "pods v1",
		"PODS":                            "pods v1",
		"pod":                             "pods v1",
		"Pod":                             "pods v1",
		"pods.v1":                         "pods v1",
		"pods.v1.":                        "pods v1",
		"pods.apps":                       "none",
		"pods.v2":                         "none",
		"events":                          "events v1",
		"events.events.k8s.io":            "events events.k8s.io/v1",
		"events.v1.events.k8s.io":         "events events.k8s.io/v1",
		"deployments":                     "deployments apps/v1",
		"deployments.apps":                "deployments apps/v1",
		"deployments.v1.apps":             "deployments apps/v1",
		"deployments.v2.apps":             "none",
		"deployment.apps":                 "deployments apps/v1",
		"deploy":                          "deployments apps/v1",
		"DP.apps":                         "deployments apps/v1",
		"certificates.v1.cert-manager.io": "certificates cert-manager.io/v1",
		"certificate.cert-manager.io":     "certificates cert-manager.io/v1",
		"horizontalpodautoscalers":        "horizontalpodautoscalers autoscaling/v2",
		"horizontalpodautoscalers.v1.autoscaling": "horizontalpodautoscalers autoscaling/v1",
		"things.v1.example.test":                  "things v1.example.test/v1",
		"":                                        "none",
		".":                                       "none",
		"zebras":                                  "none",
		"pods/log":                                "none",
	} {
		found, ok := set.Lookup(name)
		if got := set.nameOf(found); got != want || ok != (want != "none") {
			t.Errorf("%q: got %s, %t, want %s", name, got, ok, want)
		}
	}
}

func TestLookupGVR(t *testing.T) {
	set := Set{entries: []Entry{named("", "v1", "pods", "Pod"),
		named("apps", "v1", "deployments", "Deployment")}}
	for _, tt := range []struct{ group, version, resource, want string }{
		{"", "v1", "pods", "pods v1"},
		{"apps", "v1", "deployments", "deployments apps/v1"},
		{"", "v1", "pod", "none"},
		{"", "v1", "deployments", "none"},
		{"apps", "v2", "deployments", "none"},
		{"", "", "", "none"},
	} {
		found, ok := set.LookupGVR(tt.group, tt.version, tt.resource)
		if got := set.nameOf(found); got != tt.want || ok != (tt.want != "none") {
			t.Errorf("%v: got %s, %t", tt, got, ok)
		}
	}
}

func TestEmptySet(t *testing.T) {
	var set Set
	if s, ok := set.Lookup("pods"); s != nil || ok {
		t.Error("an empty set has pods")
	}
}
