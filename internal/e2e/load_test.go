package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// mapServer is an API server that has nothing but ConfigMaps. It sends changes of large objects
// faster than the real one can store them.
type mapServer struct {
	*httptest.Server
	mu      sync.Mutex
	version int
	objects map[string]string // by namespace and name: text with the version
	more    chan struct{}     // closed when there is another event
	events  []string          // all of them, as they are sent; "" if nobody needs it any more
}

func newMapServer(t *testing.T) *mapServer {
	s := &mapServer{version: 100, objects: map[string]string{}, more: make(chan struct{})}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// put makes or changes an object: more is what it has besides its metadata, and labels.
func (s *mapServer) put(namespace, name, labels, more string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	key, op := namespace+"/"+name, "ADDED"
	if s.objects[key] != "" {
		op = "MODIFIED"
	}
	s.objects[key] = fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":%q,"name":%q,"uid":"uid-of-%[2]s",`+
		`"resourceVersion":"%[3]d","creationTimestamp":%[4]q,"labels":{%[5]s}}%[6]s}`, namespace, name, s.version,
		time.Now().UTC().Format(time.RFC3339), labels, more)
	s.events = append(s.events, `{"type":"`+op+`","object":`+s.objects[key]+"}\n")
	close(s.more)
	s.more = make(chan struct{})
}

// ServeHTTP answers discovery, lists and watches.
func (s *mapServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	answers := map[string]string{
		"/api":  `{"kind":"APIVersions","versions":["v1"]}`,
		"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`,
		"/api/v1": `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"configmaps","singularName":"","namespaced":true,` +
			`"kind":"ConfigMap","verbs":["get","list","watch"]}]}`,
	}
	query := r.URL.Query()
	switch {
	case answers[r.URL.Path] != "":
		_, _ = io.WriteString(w, answers[r.URL.Path])
	case r.URL.Path != "/api/v1/configmaps" || query.Has("sendInitialEvents"):
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
	case query.Has("watch"):
		s.watch(w, r)
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		list := make([]string, 0, len(s.objects))
		for _, text := range s.objects {
			list = append(list, text)
		}
		_, _ = fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
			s.version, strings.Join(list, ","))
	}
}

func (s *mapServer) watch(w http.ResponseWriter, r *http.Request) {
	from, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	next := max(0, from-100) // the first event has the version 101
	for {
		s.mu.Lock()
		pending, more := s.events[next:], s.more
		next = len(s.events)
		s.mu.Unlock()
		for _, text := range pending {
			if _, err := io.WriteString(w, text); err != nil {
				return
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

// arrivals are the versions of objects that a receiver has, and when each came first.
type arrivals struct {
	*httptest.Server
	mu   sync.Mutex
	away map[string]bool                 // paths that are answered 503
	at   map[string]map[string]time.Time // by path, and name and version
}

func newArrivals(t *testing.T) *arrivals {
	a := &arrivals{away: map[string]bool{}, at: map[string]map[string]time.Time{}}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *arrivals) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()
	if err != nil || a.away[r.URL.Path] {
		http.Error(w, "away", http.StatusServiceUnavailable)
		return
	}
	if len(body) > 0 && body[0] != '[' {
		body = append(append([]byte{'['}, body...), ']')
	}
	var all []struct{ Source, Subject, ResourceVersion string }
	if err := json.Unmarshal(body, &all); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if a.at[r.URL.Path] == nil {
		a.at[r.URL.Path] = map[string]time.Time{}
	}
	for _, m := range all {
		key := m.Source[strings.LastIndexByte(m.Source, '/')+1:] + m.Subject[strings.LastIndexByte(m.Subject, '/'):] + "@" + m.ResourceVersion
		if a.at[r.URL.Path][key].IsZero() {
			a.at[r.URL.Path][key] = time.Now()
		}
	}
}

func (a *arrivals) set(path string, away bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.away[path] = away
}

func (a *arrivals) of(path string) map[string]time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := make(map[string]time.Time, len(a.at[path]))
	for key, at := range a.at[path] {
		all[key] = at
	}
	return all
}

// load starts informerd with a map server, and waits until it is ready. It skips the test unless
// LOAD says how long it may take.
func load(t *testing.T, config string) (s *mapServer, to *arrivals, p *process, lasts time.Duration) {
	t.Helper()
	lasts, err := time.ParseDuration(os.Getenv("LOAD"))
	if err != nil {
		t.Skip("make fault sets LOAD to a duration; it needs two processors for its own")
	}
	s, to = newMapServer(t), newArrivals(t)
	dir := t.TempDir()
	files := map[string]string{"c.yaml": "apiVersion: informerd.dev/v1alpha1\nkind: Config\nstate: {dir: state}\n" +
		"cluster: {kubeconfig: kubeconfig}\nhttp: {address: \"127.0.0.1:0\"}\n" + strings.ReplaceAll(config, "URL", to.URL),
		"kubeconfig": `{"apiVersion":"v1","kind":"Config","clusters":[{"name":"c","cluster":{"server":"` + s.URL + `"}}],` +
			`"contexts":[{"name":"c","context":{"cluster":"c","user":""}}],"current-context":"c"}`}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if p, err = startIn(dir, "informerd", nil, "run", "c.yaml"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	address, err := p.address()
	if err != nil {
		t.Fatal(err)
	}
	if err := eventually(func() error {
		body, err := get("http://" + address + "/readyz")
		if err == nil && !strings.HasPrefix(body, "ok") {
			err = errors.New(body)
		}
		return err
	}); err != nil {
		t.Fatal(err, p.written())
	}
	return s, to, p, lasts
}

// TestConditionsDoNotWaitForReceivers has 10,000 objects while the receiver is away, for which a condition
// is true when they come, and not when the receiver is there again. None is missing.
func TestConditionsDoNotWaitForReceivers(t *testing.T) {
	const n = 10_000
	s, to, _, _ := load(t, `informers:
  maps: {resource: configmaps}
  others: {resource: configmaps, labelSelector: other=yes}
listeners:
  young: {informer: maps, filter: 'age(object.metadata.creationTimestamp) < duration("20s")', outputs: [young]}
  beside: {informer: maps, filter: 'object.data.of != nil && cached("others", "default", object.data.of) != nil', outputs: [beside]}
outputs:
  young: {webhook: {url: URL/young, mode: batch}}
  beside: {webhook: {url: URL/beside, mode: batch}}
`)
	to.set("/young", true)
	to.set("/beside", true)
	for i := range n {
		// the one that is looked up comes after the one that looks for it
		s.put("default", fmt.Sprint("looks-", i), "", fmt.Sprintf(`,"data":{"of":"is-%d"}`, i))
		s.put("default", fmt.Sprint("is-", i), "", "")
		if i%100 == 0 {
			<-time.After(50 * time.Millisecond) // 2,000 of each in a second
		}
	}
	<-time.After(30 * time.Second) // nothing is young any more
	to.set("/young", false)
	to.set("/beside", false)
	if err := eventually(func() error {
		young, beside := len(to.of("/young")), len(to.of("/beside"))
		if young < 2*n || beside < n {
			return fmt.Errorf("%d of %d that were young, %d of %d that were looked up", young, 2*n, beside, n)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestTenants has a thousand objects of 1 MB on which a filter fails, changed 100 times a second in
// one namespace: the others' objects come within a second.
func TestTenants(t *testing.T) {
	s, to, p, lasts := load(t, `deadLetters: {bytes: 256Mi}
listeners:
  weights: {informer: {resource: configmaps}, filter: 'let w = object.metadata.labels["w"] ?? 0; w == "ok" || w >= 0', outputs: [hook]}
outputs:
  hook: {webhook: {url: URL/hook}}
`)
	large := `,"data":{"x":"` + strings.Repeat("x", 1<<20-1000) + `"}`
	put := map[int]time.Time{} // by version
	end := time.Now().Add(min(lasts, 2*time.Minute))
	each := time.NewTicker(10 * time.Millisecond)
	defer each.Stop()
	var peak int64
	for n := 0; time.Now().Before(end); n++ {
		<-each.C
		s.put("tenant", fmt.Sprint("bad-", n%1000), `"w":"five"`, large)
		s.mu.Lock()
		for i := range len(s.events) - 500 { // what informerd has had long ago
			s.events[i] = ""
		}
		s.mu.Unlock()
		if n%50 == 0 {
			s.put("shop", "good", `"w":"ok"`, "")
			put[s.version] = time.Now()
			peak = max(peak, p.resident(t))
		}
	}
	// A state counts as come when a newer one has: several may be merged.
	came := map[int]time.Time{}
	newest := slices.Max(slices.Collect(maps.Keys(put)))
	if err := eventually(func() error {
		for key, at := range to.of("/hook") {
			version, _ := strconv.Atoi(key[strings.IndexByte(key, '@')+1:])
			came[version] = at
		}
		if came[newest].IsZero() {
			return fmt.Errorf("%d of %d have come, and not the last", len(came), len(put))
		}
		return nil
	}); err != nil {
		t.Fatal(err, p.written())
	}
	var late latencies
	for version, at := range put {
		for later, then := range came {
			if later >= version && (came[version].IsZero() || then.Before(came[version])) {
				came[version] = then
			}
		}
		late.all = append(late.all, came[version].Sub(at))
	}
	late.of(t, "others", min(int(lasts/time.Second), 100), time.Second, time.Second)
	address, _ := p.address()
	metrics, err := get("http://" + address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	var used float64
	for line := range strings.Lines(metrics) {
		if rest, is := strings.CutPrefix(line, "informerd_dead_letter_store_bytes "); is {
			_, _ = fmt.Sscan(rest, &used)
		}
	}
	if t.Logf("dead letters have %.0f MiB, the process at most %d MiB", used/(1<<20), peak>>20); used == 0 || used > 65<<20 {
		t.Errorf("the tenant has %.0f MiB of the dead letters' 256", used/(1<<20))
	}
}

// TestManyListeners has 300 listeners, of which 50 use a receiver that is away too: the others' messages
// come at once, and what waits takes little memory.
func TestManyListeners(t *testing.T) {
	var config bytes.Buffer
	fmt.Fprintln(&config, "informers:\n  maps: {resource: configmaps}\nlisteners:")
	for n := range 300 {
		outputs := "[here]"
		if n%6 == 0 {
			outputs = "[here, away]"
		}
		fmt.Fprintf(&config, "  l%d: {informer: maps, outputs: %s}\n", n, outputs)
	}
	fmt.Fprintln(&config, "outputs:\n  here: {webhook: {url: URL/here, mode: batch, batch: {events: 300, wait: 5ms}}}\n"+
		"  away: {webhook: {url: URL/away, mode: batch}}")
	s, to, p, lasts := load(t, config.String())
	to.set("/away", true)
	put := map[string]time.Time{}
	end := time.Now().Add(lasts)
	each := time.NewTicker(200 * time.Millisecond)
	defer each.Stop()
	var before, peak int64
	for n := 0; time.Now().Before(end); n++ {
		<-each.C
		s.put("default", fmt.Sprint("map-", n%500), "", fmt.Sprintf(`,"data":{"n":"%d","x":%q}`, n, strings.Repeat("x", 1000)))
		put[fmt.Sprintf("map-%d@%d", n%500, s.version)] = time.Now()
		if peak = max(peak, p.resident(t)); n == 50 {
			before = peak
		}
	}
	to.set("/away", false)
	if err := eventually(func() error {
		if got := to.of("/here"); len(got) < 300*len(put) {
			return fmt.Errorf("%d of %d have come", len(got), 300*len(put))
		}
		return nil
	}); err != nil {
		t.Fatal(err, p.written())
	}
	var late latencies
	for key, at := range to.of("/here") {
		_, object, _ := strings.Cut(key, "/")
		late.all = append(late.all, at.Sub(put[object]))
	}
	late.of(t, "those that are there", 300, 250*time.Millisecond, 2*time.Second)
	if t.Logf("%d MiB before, at most %d MiB", before>>20, peak>>20); peak-before > 128<<20 {
		t.Errorf("it has %d MiB more", (peak-before)>>20)
	}
	// The last state of each object comes to who was away.
	if err := eventually(func() error {
		got := to.of("/away")
		for n := range 300 {
			for o := range s.objects {
				text := s.objects[o]
				_, rest, _ := strings.Cut(text, `"resourceVersion":"`)
				version, _, _ := strings.Cut(rest, `"`)
				if key := fmt.Sprintf("l%d/%s@%s", n, o[strings.IndexByte(o, '/')+1:], version); n%6 == 0 && got[key].IsZero() {
					return fmt.Errorf("%s has not come, of %d", key, len(got))
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
