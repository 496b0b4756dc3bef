package endpoints

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/status"
)

// The endpoints say which listeners do not get their events, and why; those that only begin are not
// failing. What the API server says stays within its line. Probes of others learn no more than how
// many.
func TestHealthNamesFailingListeners(t *testing.T) {
	state := func(failing, starting []string) func() State {
		return func() State { return State{Failing: failing, Starting: starting} }
	}
	good := Listener{Name: "good", State: state(nil, nil)}
	begins := Listener{Name: "begins",
		State: state(nil, []string{"the first list is not complete"})}
	fails := Listener{Name: "fails",
		State: state([]string{"pods is forbidden: User \"x\"\nok", strings.Repeat("y", 600)},
			[]string{"waits"})}
	const ready, failing = "not ready: 2 of 3 listeners", "failing: 1 of 3 listeners"
	reasons := "\nlistener \"fails\": \"pods is forbidden: User \\\"x\\\"\\nok\"\nlistener \"fails\": \"" + strings.Repeat("y", 500) + "\""
	waits := "\nlistener \"fails\": \"waits\""
	begin := "\nlistener \"begins\": \"the first list is not complete\""
	for _, c := range []struct {
		listeners []Listener
		probes    bool
		path      string
		status    int
		body      string
	}{
		{[]Listener{good}, false, "/readyz", 200, "ok"},
		{[]Listener{good}, false, "/healthz", 200, "ok"},
		{[]Listener{good}, true, "/readyz", 200, "ok"},
		{[]Listener{good, begins}, false, "/healthz", 200, "ok"},
		{[]Listener{good, begins}, false, "/readyz", 503, "not ready: 1 of 2 listeners" + begin},
		{[]Listener{good, begins, fails}, false, "/livez", 200, "ok"},
		{[]Listener{good, begins, fails}, false, "/readyz", 503, ready + begin + reasons + waits},
		{[]Listener{good, begins, fails}, false, "/healthz", 503, failing + reasons},
		{[]Listener{good, begins, fails}, true, "/livez", 200, "ok"},
		{[]Listener{good, begins, fails}, true, "/readyz", 503, ready},
	} {
		res, body := serve(t, &Server{Listeners: c.listeners, Probes: c.probes}).get(c.path)
		if res.StatusCode != c.status || body != c.body {
			t.Errorf("probes %t, %s: %s\ngot  %s\nwant %s", c.probes, c.path, res.Status, body,
				c.body)
		}
	}
}

// A server for probes answers under any name and has nothing else; its address may be any.
func TestProbesHaveNoData(t *testing.T) {
	s := &Server{Listeners: someListeners(), Informers: someInformers, Probes: true}
	r := serve(t, s)
	for _, path := range []string{"/metrics", "/violations", "/healthz", "/", "/readyz/"} {
		if res, body := r.get(path); res.StatusCode != http.StatusNotFound ||
			!strings.Contains(body, "there are /livez and /readyz") {
			t.Errorf("%s: %s, %s", path, res.Status, body)
		}
	}
	req, err := http.NewRequest(http.MethodGet, "http://"+r.address+"/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "10.1.2.3:8081" // as a kubelet asks
	if res, body := r.do(req); res.StatusCode != http.StatusOK {
		t.Errorf("%s, %s", res.Status, body)
	}
	for address, want := range map[string]string{
		":0": "", "0.0.0.0:0": "", "8081": "health address", ":nothing": "health address",
		r.address: "address already in use",
	} {
		s := &Server{Address: address, Probes: true}
		_, err := s.Listen()
		if err == nil {
			err = s.listener.Close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// A paused handler is reported, and does not make informerd unhealthy. What its guest says stays
// within its line.
func TestHealthTellsOfPauses(t *testing.T) {
	listeners := append(someListeners(), Listener{Name: "other", Route: func() route.Stats {
		return route.Stats{HandlerPauses: 2, Paused: backoff.Pause{Begin: noon, End: noon.Add(1e9),
			Since: noon, Failures: 5, Cause: errors.New("crash")}}
	}})
	res, body := serve(t, &Server{Listeners: listeners}).get("/healthz")
	want := "ok\n" +
		`listener "pods": paused since 2026-03-01T12:00:00Z, now until 2026-03-01T12:02:00Z: ` +
		`its handler has crashed 31 times in a row, at last with "trap: \x1b[31m\nok\u2028 ` +
		strings.Repeat(`\u00e9`, 300-len("trap: [31m ok  ")-1) + "\"\n" +
		`listener "other": paused since 2026-03-01T12:00:00Z, now until 2026-03-01T12:00:01Z: ` +
		`its handler has crashed 5 times in a row, at last with "crash"`
	if res.StatusCode != http.StatusOK || body != want {
		t.Errorf("%s\ngot  %s\nwant %s", res.Status, body, want)
	}
}

// A checkpoint that was given up is reported, and makes nothing unready. Probes say nothing of it.
func TestHealthTellsOfTheCheckpoint(t *testing.T) {
	stats := keeper.Stats{Current: noon}
	s := &Server{Checkpoint: func() keeper.Stats { return stats }}
	r := serve(t, s)
	expect := func(want string) {
		t.Helper()
		for _, path := range []string{"/readyz", "/healthz"} {
			if res, body := r.get(path); res.StatusCode != http.StatusOK || body != want {
				t.Errorf("%s: %s\ngot  %s\nwant %s", path, res.Status, body, want)
			}
		}
	}
	expect("ok")
	stats.Failed = errors.New("disk: \x1b" + strings.Repeat("x", 1000))
	expect("ok\ncheckpoint: given up, and current only up to 2026-03-01T12:00:00Z: " +
		`"disk: \x1b` + strings.Repeat("x", 493) + `"`)
	probes := serve(t, &Server{Checkpoint: s.Checkpoint, Probes: true})
	// a connection has one request, or many in a row would delay other probes
	if res, body := probes.get("/readyz"); body != "ok" || !res.Close {
		t.Errorf("a probe got %s, and the connection is closed: %t", body, res.Close)
	}
}

// What has come to a halt makes the server not ready, with a line each, and nothing else of it is
// known to probes.
func TestStallsMakeTheServerNotReady(t *testing.T) {
	var found []status.Stall
	s := &Server{Stalled: func() []status.Stall { return found }}
	r, probes := serve(t, s), serve(t, &Server{Stalled: s.Stalled, Probes: true})
	expect := func(r *running, path string, code int, want string) {
		t.Helper()
		if res, body := r.get(path); res.StatusCode != code || body != want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", path, res.Status, body, want)
		}
	}
	expect(r, "/readyz", http.StatusOK, "ok")
	found = []status.Stall{{Kind: "output", What: "hook\x1b", Text: "it takes none\n", Since: noon},
		{Kind: "API server", Text: strings.Repeat("é", 600), Since: noon}}
	expect(r, "/readyz", http.StatusServiceUnavailable, "not ready: something has come to a halt\n"+
		`output "hook\x1b": stalled since 2026-03-01T12:00:00Z: "it takes none\n"`+"\n"+
		`API server: stalled since 2026-03-01T12:00:00Z: "`+strings.Repeat(`\u00e9`, 500)+`"`)
	expect(r, "/healthz", http.StatusOK, "ok")
	expect(r, "/livez", http.StatusOK, "ok")
	expect(probes, "/readyz", http.StatusServiceUnavailable,
		"not ready: something has come to a halt")
	if _, body := r.get("/metrics"); !strings.Contains(body, `informerd_stalls{kind="output"} 1`) ||
		!strings.Contains(body, `informerd_stalls{kind="reload"} 0`) {
		t.Error("the metric does not have it")
	}
	if shown := s.Status(); shown.Ready || len(shown.Stalled) != 2 {
		t.Errorf("%+v", shown)
	}
	s.Listeners = []Listener{{Name: "l", State: func() State { return State{Failing: []string{"x"}} }}}
	if _, body := r.get("/readyz"); !strings.HasPrefix(body, "not ready: 1 of 1 listeners\n") ||
		!strings.Contains(body, "\noutput ") {
		t.Error(body)
	}
}
