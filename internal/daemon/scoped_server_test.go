package daemon

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// scopedPod is a pod at one version.
type scopedPod struct {
	namespace, name, team, tier, phase string
	uid, version                       int
}

func (p *scopedPod) key() string { return p.namespace + "/" + p.name }

func (p *scopedPod) json() string {
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":%q,"name":%q,`+
		`"uid":"u%d","resourceVersion":"%d","creationTimestamp":"2026-01-01T00:00:00Z",`+
		`"labels":{"team":%q,"tier":%q}},"status":{"phase":%q}}`,
		p.namespace, p.name, p.uid, p.version, p.team, p.tier, p.phase)
}

// podScope is what a list or a watch is about, or an informer with several namespaces.
type podScope struct {
	namespaces  []string // none: all
	tier, phase string   // "": any
}

func (s podScope) has(p *scopedPod) bool {
	return p != nil && (len(s.namespaces) == 0 || slices.Contains(s.namespaces, p.namespace)) &&
		(s.tier == "" || s.tier == p.tier) && (s.phase == "" || s.phase == p.phase)
}

// scopedServer is an API server of pods that knows namespaces and selectors.
type scopedServer struct {
	*kubernetes // for discovery

	mu      sync.Mutex
	version int
	pods    map[string]*scopedPod
	history []podChange
	more    chan struct{} // closed at the next change
	// hold has lists of the namespace holds wait until it is closed; nil: none.
	hold  chan struct{}
	holds string
}

// podChange is an entry of the history. Before is nil for a creation, after for a deletion.
type podChange struct {
	version       int
	before, after *scopedPod
}

func newScopedServer(t *testing.T) *scopedServer {
	s := &scopedServer{version: 100, pods: map[string]*scopedPod{}, more: make(chan struct{}),
		kubernetes: &kubernetes{items: map[string][]string{"pods": nil}, asked: map[string]int{}}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	s.url = server.URL
	return s
}

// put creates or updates a pod, remove deletes one that is there. Both have the next version.
func (s *scopedServer) put(p scopedPod) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	before := s.pods[p.key()]
	if p.uid, p.version = s.version, s.version; before != nil {
		p.uid = before.uid
	}
	s.pods[p.key()] = &p
	s.add(podChange{s.version, before, &p})
}

func (s *scopedServer) remove(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.pods[key]; before != nil {
		s.version++
		delete(s.pods, key)
		s.add(podChange{s.version, before, nil})
	}
}

func (s *scopedServer) add(c podChange) {
	s.history = append(s.history, c)
	close(s.more)
	s.more = make(chan struct{})
}

// after returns the changes after a version, and a channel that is closed when there are more.
func (s *scopedServer) after(version int) ([]podChange, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.history, func(c podChange) bool { return c.version > version })
	if i < 0 {
		i = len(s.history)
	}
	return slices.Clone(s.history[i:]), s.more
}

// ServeHTTP lists and watches pods.
func (s *scopedServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query, path := r.URL.Query(), strings.Split(r.URL.Path, "/")
	if path[len(path)-1] != "pods" || query.Has("sendInitialEvents") {
		s.kubernetes.ServeHTTP(w, r)
		return
	}
	in := podScope{tier: strings.TrimPrefix(query.Get("labelSelector"), "tier="),
		phase: strings.TrimPrefix(query.Get("fieldSelector"), "status.phase=")}
	if len(path) > 5 {
		in.namespaces = path[4:5]
	}
	w.Header().Set("Content-Type", "application/json")
	if !query.Has("watch") {
		s.mu.Lock()
		hold := s.hold
		s.mu.Unlock()
		if hold != nil && slices.Contains(in.namespaces, s.holds) {
			select {
			case <-hold:
			case <-r.Context().Done():
				return
			}
		}
		_, _ = io.WriteString(w, s.list(in))
		return
	}
	version, _ := strconv.Atoi(query.Get("resourceVersion"))
	bookmark := time.NewTicker(bookmarkInterval)
	defer bookmark.Stop()
	for {
		changes, more := s.after(version)
		for _, c := range changes {
			_, _ = io.WriteString(w, c.seen(in))
			version = c.version
		}
		w.(http.Flusher).Flush()
		select {
		case <-more:
		case <-bookmark.C:
			_, _ = fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",`+
				`"metadata":{"resourceVersion":"%d"}}}`+"\n", version)
		case <-r.Context().Done():
			return
		}
	}
}

// bookmarkInterval is how often a watch says how far it is. A reload right after a restart waits
// for that, if an informer goes on from an old version and nothing happens in its scope.
const bookmarkInterval = time.Second

func (s *scopedServer) list(in podScope) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var items []string
	for _, p := range s.pods {
		if in.has(p) {
			items = append(items, p.json())
		}
	}
	return fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},`+
		`"items":[%s]}`, s.version, strings.Join(items, ","))
}

// seen is what a watch of a scope sends of a change.
func (c podChange) seen(in podScope) string {
	var typ string
	var object scopedPod
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
