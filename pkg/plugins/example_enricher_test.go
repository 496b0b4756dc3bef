package plugins

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

func enricher(t *testing.T) []byte {
	return buildGuest(t, "assemblyscript", "../../plugins/examples/webhook-enricher/main.ts")
}

func enricherSpec(t *testing.T, url string) Spec {
	return Spec{Listener: "pods", Path: "webhook-enricher.wasm", Wasm: enricher(t),
		Config: fmt.Appendf(nil, `{"url":%q}`, url),
		Limits: Limits{Deadline: 10 * time.Second},
		Grants: Grants{KV: &KVGrant{},
			HTTP: &HTTPGrant{Allow: []string{url}, Methods: []string{"GET"}, PerEvent: 1,
				Headers: map[string]string{"Authorization": "Bearer secret"}}}}
}

func owned(t *testing.T, owner string) event.Event {
	return event.Event{Op: event.Add,
		Object: newObject(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop",`+
			`"uid":"u","resourceVersion":"1","annotations":{"team":"`+owner+`"}}}`)}
}

// The webhook enricher against a server: the credential goes with the request, and an answer is
// asked for once.
func TestWebhookEnricherExample(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		switch {
		case r.Header.Get("Authorization") != "Bearer secret" ||
			r.Header.Get("Accept") != "application/json":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/owners/payments":
			fmt.Fprint(w, `{"slack":"#payments","onCall":["ada"]}`)
		case r.URL.Path == "/owners/half":
			fmt.Fprint(w, `{"slack":`)
		case r.URL.Path == "/owners/wrong": // what it would be, if the answer were put in as it is
			fmt.Fprint(w, `1,"owner":"payments"`)
		case r.URL.Path == "/owners/invalid": // which only the host finds
			fmt.Fprint(w, `{"slack":nil}`)
		case r.URL.Path == "/owners/large":
			fmt.Fprintf(w, "%q", strings.Repeat("x", 64<<10))
		case r.URL.Path == "/owners/busy":
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	host, log := testHost(t)
	handler, err := host.Load(t.Context(), enricherSpec(t, server.URL+"/owners/"))
	if err != nil {
		t.Fatal(err)
	}
	workers := make([]*Instance, 2)
	for n := range workers {
		if workers[n], err = handler.NewInstance(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer workers[n].Close(t.Context())
	}

	enriched := `done data {"object":{"apiVersion":"v1","kind":"Pod","namespace":"shop","name":"web","uid":"u"},"owner":"payments",` +
		`"details":{"slack":"#payments","onCall":["ada"]}}`
	for _, step := range []struct {
		worker      int
		owner, want string
		requests    int32 // so far
	}{
		{0, "payments", enriched, 1},
		{0, "payments", enriched, 1},
		{1, "payments", enriched, 1}, // what one remembers, the other one knows
		{0, "nobody", "done", 2},
		{1, "nobody", "done", 2},
		{0, "half", `fail owner "half": the response is not JSON`, 3},
		{0, "wrong", `fail owner "wrong": the response is not JSON`, 4},
		{0, "invalid", `fail owner "invalid": the response is not JSON`, 5},
		{0, "large", `fail owner "large": the response is larger than the grant http allows, or this event has used up its requests`, 6},
		{0, "busy", `retry owner "busy": the service responds 503`, 7},
		{0, "busy", `retry owner "busy": the service responds 503`, 8},
		{0, "../admin", "done", 8},
	} {
		r, err := workers[step.worker].Handle(t.Context(), owned(t, step.owner))
		if err != nil {
			t.Fatal(err)
		}
		if got := texts([]Result{r}); got != step.want || requests.Load() != step.requests {
			t.Errorf("%s: got  %s after %d requests\nwant %s after %d", step.owner, got,
				requests.Load(), step.want, step.requests)
		}
	}

	server.Close()
	for owner, want := range map[string]string{
		"payments": enriched,
		"other":    `retry owner "other": the service does not respond`,
	} {
		if r, err := workers[0].Handle(t.Context(), owned(t, owner)); err != nil ||
			texts([]Result{r}) != want {
			t.Errorf("%s: got  %s, %v\nwant %s", owner, texts([]Result{r}), err, want)
		}
	}
	if strings.Contains(log.String(), "secret") {
		t.Errorf("the credential is in the log: %s", log)
	}
}

func TestWebhookEnricherRefusesBadConfigurations(t *testing.T) {
	for config, want := range map[string]string{
		`{}`: "url must begin with https:// or http:// and a host and end with /, as in https://cmdb.example.com/owners/",
		`{"url":"https://cmdb.example.com/owners/","ttlSeconds":-1}`: "ttlSeconds must be a whole number from 1 to 31536000, is -1",
	} {
		host, _ := testHost(t)
		spec := enricherSpec(t, "https://cmdb.example.com/owners/")
		spec.Config = []byte(config)
		_, err := host.Load(t.Context(), spec)
		want = `listener "pods": handler webhook-enricher.wasm: handler refuses its configuration: ` + want
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

// Its import section is its request for rights: http and kv, and it is refused without.
func TestWebhookEnricherAsksForItsRights(t *testing.T) {
	m, err := wasmbin.Parse(enricher(t))
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, i := range m.Imports {
		asked[i.Module] = true
	}
	want := map[string]bool{abi.ModuleEvent: true, abi.ModuleResult: true, abi.ModuleConfig: true,
		abi.ModuleKV: true, abi.ModuleHTTP: true}
	if !maps.Equal(asked, want) {
		t.Errorf("it imports %v", asked)
	}
	for _, without := range []struct {
		grant  string
		remove func(*Grants)
	}{
		{"kv", func(g *Grants) { g.KV = nil }},
		{"http", func(g *Grants) { g.HTTP = nil }},
	} {
		host, _ := testHost(t)
		spec := enricherSpec(t, "https://cmdb.example.com/owners/")
		without.remove(&spec.Grants)
		_, err := host.Load(t.Context(), spec)
		want := fmt.Sprintf("this needs the grant %q, which the configuration does not have",
			without.grant)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("without %s: got %v", without.grant, err)
		}
	}
	if size := len(enricher(t)); size > 45_000 {
		t.Errorf("it has %d bytes", size)
	}
}

// A guest that has made many requests still has the memory that it had.
func TestWebhookEnricherKeepsItsMemory(t *testing.T) {
	url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q", strings.Repeat("x", 1000*(len(r.URL.Path)%30)))
	})
	host, _ := testHost(t)
	i := instance(t, host, enricherSpec(t, url+"/"))
	var early uint32
	const events = 800
	for n := range events {
		r, err := i.Handle(t.Context(), owned(t, strings.Repeat("x", 1+n%29)+fmt.Sprint(n)))
		if err != nil || r.Verdict != Done {
			t.Fatalf("event %d: %v %s, %v", n, r.Verdict, r.Message, err)
		}
		if n == events/2 {
			early = i.guest.memory.Size()
		}
	}
	if size := i.guest.memory.Size(); size > early {
		t.Errorf("the memory grew from %d to %d bytes", early, size)
	}
}
