package author

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/abi"
	. "github.com/informerd/informerd/pkg/plugins/guesttest"
)

// clock is a guest that needs the time, and refuses to be loaded without.
func clock() []byte {
	return Guest{Events: map[int][]Action{1: {Call(abi.ModuleClock, "now_ns"), Return(1)}}}.Bytes()
}

// The network is reached when it is allowed, and then only.
func TestNetwork(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked.Add(1)
	}))
	defer server.Close()
	dir := t.TempDir()
	guest := Guest{Events: map[int][]Action{1: {
		Call(abi.ModuleHTTP, "request", `{"url":"`+server.URL+`/a"}`, "")}}}
	module, event := write(t, dir, "m.wasm", string(guest.Bytes())), write(t, dir, "e.json", "POD")
	o := RunOptions{Setup: Setup{Module: module, Grants: "{http: {allow: ['" + server.URL +
		"/']}}", Limits: "deadline=10s"}, Events: []string{event}}
	for _, c := range []struct {
		network bool
		asked   int32
		want    string
	}{{false, 0, "  requests  GET " + server.URL + "/a: unavailable\n"}, {
		true, 1, "http.v1 request 1\n"}} {
		o.Network = c.network
		var out bytes.Buffer
		if err := Run(t.Context(), o, &out); err != nil {
			t.Fatal(err)
		}
		if asked.Load() != c.asked || !strings.Contains(out.String(), c.want) {
			t.Errorf("network %v: asked %d times\n%s", c.network, asked.Load(), out.String())
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// The time of a case needs no grant for WASI, and is not a grant for clock.v1.
func TestNowIsNoGrant(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "cases"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "m.wasm", string(clock()))
	write(t, dir, "cases/a.yaml",
		"now: 2026-01-01T00:00:00Z\nrefused: this needs the grant \"clock\"\n")
	write(t, dir, "cases/b.yaml",
		"now: 2026-01-01T00:00:00Z\ngrants: {clock: {}}\nevents: [{object: POD, expect: {verdict: drop}}]\n")
	var out bytes.Buffer
	if err := Test(t.Context(), TestOptions{Paths: []string{dir}}, &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// A module is given objects of caches, by name and by index, and of no others.
func TestCaches(t *testing.T) {
	c := caches{}
	if c.Get("pods", "shop", "web-1") != nil || c.ByIndex("pods", "app", "web") != nil {
		t.Error("there is something in a cache that is not there")
	}
	dir := t.TempDir()
	objects := write(t, dir, "pods.json",
		`POD {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"other","name":"db"}}`)
	p, err := Setup{Module: write(t, dir, "m.wasm", "no matter"),
		Caches: []string{"pods=" + objects}}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	given := p.spec.Caches.(caches)
	if err := given.cache("pods").index("app", "metadata.labels.app"); err != nil {
		t.Fatal(err)
	}
	if o := given.Get("pods", "shop", "web-1"); o == nil || given.Get("pods", "", "web-1") != nil ||
		given.Get("nodes", "shop", "web-1") != nil {
		t.Errorf("got %v", o)
	}
	for index, want := range map[string]int{"app web": 1, "app db": 0, "namespace other": 1,
		"none x": 0} {
		name, value, _ := strings.Cut(index, " ")
		if found := given.ByIndex("pods", name, value); len(found) != want {
			t.Errorf("%s: %d objects, want %d", index, len(found), want)
		}
	}
	_, err = Setup{Module: "m.wasm",
		Caches: []string{"pods=" + objects, "pods=" + objects}}.prepare()
	if err == nil {
		t.Error("duplicate objects are accepted")
	}
}

// Deadlines hold: a module that loops forever fails its case and nothing else.
func TestEndlessModule(t *testing.T) {
	dir := t.TempDir()
	endless := Guest{Configure: []Action{Forever()}}
	write(t, dir, "m.wasm", string(Guest{Events: map[int][]Action{1: {Forever()}}}.Bytes()))
	a := write(t, dir, "a.yaml",
		"wasm: m.wasm\nlimits: {deadline: 10ms}\nevents: [{object: POD, expect: {crash: deadline}}, {object: POD}]\n")
	b := write(t, dir, "b.yaml",
		"wasm: m.wasm\nlimits: {fuel: 1000}\nevents: [{object: POD, expect: {crash: fuel}}]\n")
	var out bytes.Buffer
	err := Test(t.Context(), TestOptions{Paths: []string{a, b}}, &out)
	if !errors.Is(err, ErrFailed) || err.Error() != "1 of 2 cases failed" ||
		!strings.Contains(out.String(),
			"event 2, line 3: add Pod shop/web-1\n        it crashed:\n          deadline in on_event") {
		t.Errorf("%v\n%s", err, out.String())
	}
	spec := prepared{}
	spec.spec.Wasm, spec.spec.Limits.LoadDeadline = endless.Bytes(), 1e7
	if _, err := newBench(t.Context(), spec); err == nil ||
		!strings.Contains(err.Error(), "it ran longer than 10ms") {
		t.Errorf("got %v", err)
	}
}

// Requests get the answers of the case, each once.
func TestWeb(t *testing.T) {
	w := &web{answers: []*answer{
		{method: "GET", url: "http://a/x", headers: map[string]string{"Accept": "text/plain"},
			status: 201, answers: map[string]string{"X-A": "b"}, text: []byte("hi")},
		{method: "POST", url: "http://a/x", body: []byte(`{"a":1}`), unavailable: true},
	}}
	ask := func(method, accept, body string) string {
		r, err := http.NewRequest(method, "http://a/x", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", accept)
		answer, err := w.RoundTrip(r)
		if err != nil {
			return err.Error()
		}
		defer answer.Body.Close()
		var text bytes.Buffer
		if _, err := text.ReadFrom(answer.Body); err != nil {
			t.Fatal(err)
		}
		return answer.Status + " " + answer.Header.Get("X-A") + " " + text.String()
	}
	const none = "no answer is prepared for it"
	for _, c := range []struct{ method, accept, body, want string }{
		{"GET", "text/html", "", none}, {"GET", "text/plain", "", "201 Created b hi"}, {
			"GET", "text/plain", "", none},
		{"POST", "", `{"a":2}`, none}, {"POST", "", `{ "a": 1.0 }`, "the server is not there"},
	} {
		if got := ask(c.method, c.accept, c.body); got != c.want {
			t.Errorf("%s %s: got %s, want %s", c.method, c.body, got, c.want)
		}
	}
	asked, answers := w.take(), []string{}
	for _, a := range asked {
		answers = append(answers, a.Answer)
	}
	if got := strings.Join(answers,
		" "); got != "unexpected 201 unexpected unexpected unavailable" || len(w.unused()) != 0 ||
		w.take() != nil {
		t.Errorf("asked: %s", got)
	}
}

// Objects among cases are not cases, and neither are names that begin with a dot.
func TestFindCases(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"sub", ".git"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "b.yaml", "events: []")
	write(t, dir, "broken.yml", "a: [")
	write(t, dir, "object.yaml", "POD")
	write(t, dir, "notes.txt", "events: []")
	write(t, dir, "sub/a.yaml", "events: []")
	write(t, dir, ".git/a.yaml", "events: []")
	write(t, dir, ".a.yaml", "events: []")
	files, err := findCases([]string{dir, filepath.Join(dir, "b.yaml"),
		filepath.Join(dir, "object.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(strings.Join(files, " "), dir, "@")
	if want := "@/b.yaml @/broken.yml @/sub/a.yaml @/object.yaml"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A module may write as much to its log at one event as it likes: what a daemon would leave out is
// what its author looks for.
func TestLogsAreNotCutShort(t *testing.T) {
	const lines = 500
	wasm := Guest{Events: map[int][]Action{1: slices.Repeat([]Action{Log("one of many")},
		lines)}}.Bytes()
	dir := t.TempDir()
	var out bytes.Buffer
	err := Run(t.Context(), RunOptions{
		Setup:  Setup{Module: write(t, dir, "m.wasm", string(wasm)), Grants: "{log: {rate: 1}}"},
		Events: []string{write(t, dir, "e.json", "POD")},
	}, &out)
	if n := strings.Count(out.String(), "info: one of many\n"); err != nil || n != lines {
		t.Errorf("%d of %d lines, %v\n%.500s", n, lines, err, out.String())
	}
}
