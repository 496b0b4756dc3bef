package reloads

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// pod is the state of an object at one version.
type pod struct {
	namespace, name, team, node string
	n                           int
	uid                         string
	version                     int
}

func (p *pod) key() string { return p.namespace + "/" + p.name }

func (p *pod) json() string {
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":%q,"name":%q,`+
		`"uid":%q,"resourceVersion":"%d","labels":{"team":%q}},"spec":{"n":%d,"nodeName":%q}}`,
		p.namespace, p.name, p.uid, p.version, p.team, p.n, p.node)
}

// change is an entry of the server's history. Before is nil for a creation, after for a deletion.
type change struct {
	version       int
	before, after *pod
}

// scope is the part of the objects that a list or a watch is about.
type scope struct{ namespace, labels, fields string }

func (s scope) has(p *pod) bool {
	if p == nil || s.namespace != "" && p.namespace != s.namespace {
		return false
	}
	value, differs := strings.CutPrefix(s.labels, "team!=")
	if !differs {
		value = strings.TrimPrefix(s.labels, "team=")
	}
	if s.labels != "" && (p.team == value) == differs {
		return false
	}
	return s.fields == "" || p.node == strings.TrimPrefix(s.fields, "spec.nodeName=")
}

// server is an API server of pods and of one ConfigMap.
type server struct {
	url string

	mu      sync.Mutex
	version int
	pods    map[string]*pod
	history []change
	more    chan struct{} // closed at the next change
	watches map[string]int
}

func newServer(t *testing.T) *server {
	s := &server{version: 100, pods: map[string]*pod{}, more: make(chan struct{}),
		watches: map[string]int{}}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.url = h.URL
	return s
}

// put creates or updates an object, remove deletes one. Both give it the next version.
func (s *server) put(p pod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.pods[p.key()]
	s.version++
	p.version = s.version
	if p.uid = "u" + strconv.Itoa(s.version); before != nil {
		p.uid = before.uid
	}
	s.pods[p.key()] = &p
	s.add(change{s.version, before, &p})
}

func (s *server) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.pods[key]; before != nil {
		s.version++
		delete(s.pods, key)
		s.add(change{s.version, before, nil})
	}
}

func (s *server) add(c change) {
	s.history = append(s.history, c)
	close(s.more)
	s.more = make(chan struct{})
}

// after returns the changes after a version, and a channel that is closed when there are more.
func (s *server) after(version int) ([]change, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.history, version+1, func(c change, v int) int {
		return c.version - v
	})
	return s.history[i:len(s.history):len(s.history)], s.more
}

// now returns the objects as they are.
func (s *server) now() map[string]*pod {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]*pod{}
	for key, p := range s.pods {
		all[key] = p
	}
	return all
}

// watched returns how many watches there are.
func (s *server) watched() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.watches {
		n += of
	}
	return n
}

func (s *server) count(what string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watches[what] += n
}

const discovered = `{"kind":"APIResourceList","groupVersion":"v1","resources":[
{"name":"pods","singularName":"","namespaced":true,"kind":"Pod","verbs":["get","list","watch"]},
{"name":"configmaps","singularName":"","namespaced":true,"kind":"ConfigMap","verbs":["get","list","watch"]}]}`

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answer := func(text string) { _, _ = io.WriteString(w, text) }
	query, path := r.URL.Query(), strings.Split(r.URL.Path, "/")
	switch {
	case r.URL.Path == "/api":
		answer(`{"kind":"APIVersions","versions":["v1"]}`)
	case r.URL.Path == "/apis":
		answer(`{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
	case r.URL.Path == "/api/v1":
		answer(discovered)
	case !strings.HasPrefix(r.URL.Path, "/api/v1/"):
		w.WriteHeader(http.StatusNotFound)
		answer(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
	case query.Has("sendInitialEvents"):
		w.WriteHeader(http.StatusUnprocessableEntity)
		answer(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
	default:
		in := scope{labels: query.Get("labelSelector"), fields: query.Get("fieldSelector")}
		if len(path) > 5 {
			in.namespace = path[4]
		}
		s.objects(w, r, path[len(path)-1], in)
	}
}

func (s *server) objects(w http.ResponseWriter, r *http.Request, resource string, in scope) {
	if !r.URL.Query().Has("watch") {
		_, _ = io.WriteString(w, s.list(resource, in))
		return
	}
	what := resource + " " + in.namespace + " " + in.labels + " " + in.fields
	s.count(what, 1)
	defer s.count(what, -1)
	w.WriteHeader(http.StatusOK)
	version, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	for {
		changes, more := s.after(version)
		if resource == "pods" {
			for _, c := range changes {
				_, _ = io.WriteString(w, c.seen(in))
				version = c.version
			}
		}
		w.(http.Flusher).Flush()
		select {
		case <-more:
		case <-r.Context().Done():
			return
		}
	}
}

// seen is what a watch of a scope sends of a change.
func (c change) seen(in scope) string {
	var typ string
	var object pod
	switch was, is := in.has(c.before), in.has(c.after); {
	case was && is:
		typ, object = "MODIFIED", *c.after
	case is:
		typ, object = "ADDED", *c.after
	case was:
		typ, object = "DELETED", *c.before
		object.version = c.version
	default:
		return ""
	}
	return `{"type":"` + typ + `","object":` + object.json() + "}\n"
}

func (s *server) list(resource string, in scope) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []json.RawMessage{}
	kind := "PodList"
	if resource == "configmaps" {
		kind = "ConfigMapList"
		items = append(items, json.RawMessage(`{"metadata":{"namespace":"ns-a","name":"gate",`+
			`"uid":"g","resourceVersion":"7"}}`))
	} else {
		for _, p := range s.pods {
			if in.has(p) {
				items = append(items, json.RawMessage(p.json()))
			}
		}
	}
	text, _ := json.Marshal(map[string]any{"kind": kind, "apiVersion": "v1", "items": items,
		"metadata": map[string]any{"resourceVersion": strconv.Itoa(s.version)}})
	return string(text)
}
