package daemon

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// kubernetes is an API server of the core group, which lists what it was given and has no news.
type kubernetes struct {
	url string

	mu       sync.Mutex
	items    map[string][]string // by resource
	withheld map[string]chan struct{}
	silent   chan struct{} // nil, or until it is closed, nothing is answered
	unheard  int           // requests that came meanwhile
	openAPI  string        // "" if it is not published
	asked    map[string]int
	// refuse, if set, may refuse requests for objects, with a Status and its code. 0 is no refusal.
	refuse func(r *http.Request) (code int, status string)
}

// kubernetesWith makes one with objects, as JSON, by resource.
func kubernetesWith(t *testing.T, items map[string][]string) *kubernetes {
	t.Helper()
	k := &kubernetes{items: items, withheld: map[string]chan struct{}{}, asked: map[string]int{}}
	server := httptest.NewServer(k)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	k.url = server.URL
	return k
}

var kinds = map[string]string{"pods": "Pod", "configmaps": "ConfigMap", "nodes": "Node",
	"secrets": "Secret"}

// withhold holds back the lists of a resource until release is called.
func (k *kubernetes) withhold(resource string) (release func()) {
	gate := make(chan struct{})
	k.mu.Lock()
	defer k.mu.Unlock()
	k.withheld[resource] = gate
	return func() { close(gate) }
}

// silence has new requests wait until release is called.
func (k *kubernetes) silence() (release func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.silent = make(chan struct{})
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		close(k.silent)
		k.silent = nil
	}
}

// waitForSilence waits until so many requests are not answered.
func (k *kubernetes) waitForSilence(t *testing.T, n int) {
	t.Helper()
	eventually(t, func() error {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.unheard < n {
			return fmt.Errorf("%d of %d requests wait", k.unheard, n)
		}
		return nil
	})
}

// ServeHTTP answers what informers, discovery and the schema check ask.
func (k *kubernetes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	k.mu.Lock()
	silent := k.silent
	if silent != nil {
		k.unheard++
	}
	k.mu.Unlock()
	if silent != nil {
		select {
		case <-silent:
		case <-r.Context().Done():
			return
		}
	}
	k.mu.Lock()
	openAPI := k.openAPI
	var resources []string
	for resource := range k.items {
		resources = append(resources,
			fmt.Sprintf(`{"name":%q,"singularName":"","namespaced":%t,"kind":%q,"verbs":["get","list","watch"]}`,
				resource, resource != "nodes", kinds[resource]))
	}
	k.mu.Unlock()
	answer := func(text string) { _, _ = io.WriteString(w, text) }
	switch r.URL.Path {
	case "/api":
		answer(`{"kind":"APIVersions","versions":["v1"]}`)
	case "/apis":
		answer(`{"kind":"APIGroupList","apiVersion":"v1","groups":[]}`)
	case "/api/v1":
		answer(`{"kind":"APIResourceList","groupVersion":"v1","resources":[` +
			strings.Join(resources, ",") + `]}`)
	case "/openapi/v3/api/v1":
		if openAPI == "" {
			w.WriteHeader(http.StatusNotFound)
			answer(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"NotFound","code":404}`)
			return
		}
		answer(openAPI)
	default:
		k.objects(w, r)
	}
}

func (k *kubernetes) objects(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(r.URL.Path, "/")
	resource := path[len(path)-1]
	k.mu.Lock()
	items, gate := k.items[resource], k.withheld[resource]
	k.asked[resource]++
	refuse := k.refuse
	k.mu.Unlock()
	if refuse != nil {
		if code, status := refuse(r); code != 0 {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, status)
			return
		}
	}
	query := r.URL.Query()
	switch {
	case query.Has("sendInitialEvents"):
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w,
			`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
	case query.Has("watch"):
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	default:
		if gate != nil {
			select {
			case <-gate:
			case <-r.Context().Done():
				return
			}
		}
		_, _ = fmt.Fprintf(w, `{"kind":"%sList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[%s]}`, kinds[resource], strings.Join(items, ","))
	}
}

// waitForRequest waits until objects of a resource have been asked for.
func (k *kubernetes) waitForRequest(t *testing.T, resource string) {
	t.Helper()
	eventually(t, func() error {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.asked[resource] == 0 {
			return fmt.Errorf("nobody asked for %s", resource)
		}
		return nil
	})
}

// started is a daemon that runs.
type started struct {
	log, out lockedBuffer
	cancel   context.CancelFunc
	done     chan error
	hangup   chan struct{}
}

func start(t *testing.T, cfg *config.Config, k *kubernetes) *started {
	t.Helper()
	return startTo(t, cfg, k, nil)
}

// startTo has a daemon write to out; nil is what a started one shows.
func startTo(t *testing.T, cfg *config.Config, k *kubernetes, out io.Writer) *started {
	t.Helper()
	return startWith(t, cfg, k, func(_ *started, o *Options) {
		if out != nil {
			o.Stdout = out
		}
	})
}

// startWith has a daemon run with other options.
func startWith(t *testing.T, cfg *config.Config, k *kubernetes,
	change func(*started, *Options)) *started {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	d := &started{cancel: cancel, done: make(chan error, 1), hangup: make(chan struct{})}
	options := Options{Kubeconfig: kubeconfig(t, k.url), Stdout: &d.out,
		Log: slog.New(slog.NewTextHandler(&d.log, nil)), Version: "test",
		Load: func() (*config.Config, error) {
			return config.Loading{Regular: true}.Load(cfg.File())
		}, Hangup: d.hangup}
	change(d, &options)
	go func() { d.done <- Run(ctx, cfg, options) }()
	return d
}

func (d *started) stop(t *testing.T) {
	t.Helper()
	d.cancel()
	if err := <-d.done; err != nil {
		t.Error(err)
	}
}

// subjects lists those of a listener's events, in the order they came.
func (d *started) subjects(listener string) string {
	var all []string
	for line := range strings.Lines(d.out.String()) {
		if strings.Contains(line, `/listeners/`+listener+`"`) {
			_, rest, _ := strings.Cut(line, `"subject":"`)
			subject, _, _ := strings.Cut(rest, `"`)
			all = append(all, subject)
		}
	}
	return strings.Join(all, " ")
}

// eventually asks until there is no error.
func eventually(t *testing.T, ask func() error) {
	t.Helper()
	var log lockedBuffer // for its patience
	log.until(t, func(string) error { return ask() })
}

func named(namespace, name, labels, rest string) string {
	return fmt.Sprintf(`{"metadata":{"namespace":%q,"name":%q,"uid":%q,"resourceVersion":"7","labels":{%s}}%s}`,
		namespace, name, cmp.Or(namespace, "-")+"-"+name, labels, rest)
}
