package kube

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// group is one group of a fake API server. Versions are in the order of the server's preference.
type group struct {
	name     string
	versions []version
}

type version struct {
	name      string
	resources []metav1.APIResource
	broken    bool // an aggregated API whose server is down
}

var all = []string{"create", "delete", "get", "list", "patch", "update", "watch"}

func res(name, kind string, namespaced bool, verbs []string, short ...string) metav1.APIResource {
	return metav1.APIResource{
		Name: name, SingularName: strings.ToLower(kind), Kind: kind, Namespaced: namespaced,
		Verbs: verbs, ShortNames: short,
	}
}

// stock are the groups of an ordinary cluster, as far as the tests need them.
func stock() []group {
	return []group{
		{"", []version{{name: "v1", resources: []metav1.APIResource{
			res("bindings", "Binding", true, []string{"create"}),
			res("events", "Event", true, all, "ev"),
			res("nodes", "Node", false, all, "no"),
			res("pods", "Pod", true, all, "po"),
			res("pods/log", "Pod", true, []string{"get"}),
			res("podtemplates", "PodTemplate", true, all),
			res("secrets", "Secret", true, all),
		}}}},
		{"events.k8s.io", []version{
			{name: "v1", resources: []metav1.APIResource{res("events", "Event", true, all,
				"ev")}}}},
		{"apps", []version{{name: "v1", resources: []metav1.APIResource{
			res("deployments", "Deployment", true, all, "deploy"), res("deployments/scale", "Scale",
				true, []string{"get"}),
		}}}},
		{"policy", []version{{name: "v1", resources: []metav1.APIResource{
			res("poddisruptionbudgets", "PodDisruptionBudget", true, all, "pdb"),
		}}}},
		{"autoscaling", []version{
			{name: "v2", resources: []metav1.APIResource{res("horizontalpodautoscalers",
				"HorizontalPodAutoscaler", true, all, "hpa")}},
			{name: "v1", resources: []metav1.APIResource{res("horizontalpodautoscalers",
				"HorizontalPodAutoscaler", true, all, "hpa")}},
		}},
		{"metrics.k8s.io", []version{{name: "v1beta1", resources: []metav1.APIResource{
			res("nodes", "NodeMetrics", false, []string{"get", "list"}),
			res("podmetrics", "PodMetrics", true, []string{"get", "list"}),
		}}}},
	}
}

var certManager = group{"cert-manager.io", []version{{name: "v1", resources: []metav1.APIResource{
	res("certificates", "Certificate", true, all, "cert", "certs"),
}}}}

// fakeServer speaks discovery, in the aggregated form or in the older one with a request per group
// and version.
type fakeServer struct {
	*httptest.Server
	aggregated bool
	asked      atomic.Int32 // requests for /apis

	mu     sync.Mutex
	groups []group
	answer http.HandlerFunc // instead of discovery
}

func newServer(t *testing.T, aggregated bool, groups ...group) *fakeServer {
	s := &fakeServer{aggregated: aggregated, groups: groups}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *fakeServer) set(groups ...group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.groups = groups
}

func (s *fakeServer) setAnswer(answer http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

func (s *fakeServer) resolver(t *testing.T) *Resolver {
	t.Helper()
	r, err := NewResolver(&rest.Config{Host: s.URL, QPS: -1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	groups, answer := s.groups, s.answer
	s.mu.Unlock()
	if r.URL.Path == "/apis" {
		s.asked.Add(1)
	}
	if answer != nil {
		answer(w, r)
		return
	}
	if s.aggregated && (r.URL.Path == "/api" || r.URL.Path == "/apis") {
		w.Header().Set("Content-Type",
			"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		writeJSON(w, aggregated(groups, r.URL.Path == "/api"))
		return
	}
	legacy(w, r.URL.Path, groups)
}

func writeJSON(w http.ResponseWriter, v any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	if err := json.NewEncoder(w).Encode(v); err != nil {
		panic(err)
	}
}

func aggregated(groups []group, core bool) apidiscoveryv2.APIGroupDiscoveryList {
	list := apidiscoveryv2.APIGroupDiscoveryList{}
	for _, g := range groups {
		if (g.name == "") != core {
			continue
		}
		group := apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: g.name}}
		for _, v := range g.versions {
			version := apidiscoveryv2.APIVersionDiscovery{Version: v.name,
				Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent}
			if v.broken {
				version.Freshness = apidiscoveryv2.DiscoveryFreshnessStale
			}
			for _, r := range v.resources {
				if v.broken || strings.Contains(r.Name, "/") {
					continue
				}
				scope := apidiscoveryv2.ScopeCluster
				if r.Namespaced {
					scope = apidiscoveryv2.ScopeNamespace
				}
				version.Resources = append(version.Resources, apidiscoveryv2.APIResourceDiscovery{
					Resource: r.Name, SingularResource: r.SingularName, Scope: scope,
					Verbs: r.Verbs, ShortNames: r.ShortNames,
					ResponseKind: &metav1.GroupVersionKind{Group: g.name, Version: v.name,
						Kind: r.Kind},
				})
			}
			group.Versions = append(group.Versions, version)
		}
		list.Items = append(list.Items, group)
	}
	return list
}

func legacy(w http.ResponseWriter, path string, groups []group) {
	switch path {
	case "/api":
		writeJSON(w, metav1.APIVersions{Versions: []string{"v1"}})
		return
	case "/apis":
		list := metav1.APIGroupList{}
		for _, g := range groups {
			if g.name == "" {
				continue
			}
			var versions []metav1.GroupVersionForDiscovery
			for _, v := range g.versions {
				versions = append(versions,
					metav1.GroupVersionForDiscovery{GroupVersion: g.name + "/" + v.name,
						Version: v.name})
			}
			list.Groups = append(list.Groups,
				metav1.APIGroup{Name: g.name, Versions: versions, PreferredVersion: versions[0]})
		}
		writeJSON(w, list)
		return
	}
	for _, g := range groups {
		for _, v := range g.versions {
			gv := strings.TrimPrefix(g.name+"/"+v.name, "/")
			if path != "/apis/"+gv && path != "/api/"+gv {
				continue
			}
			if v.broken {
				fail(w, http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable,
					"down")
				return
			}
			writeJSON(w, metav1.APIResourceList{
				TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
				GroupVersion: gv, APIResources: v.resources,
			})
			return
		}
	}
	http.NotFound(w, nil)
}

func fail(w http.ResponseWriter, code int, reason metav1.StatusReason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	writeJSON(w, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure, Code: int32(code), Reason: reason, Message: message,
	})
}
