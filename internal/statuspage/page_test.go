package statuspage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// get returns the answer of a page at a path.
func get(t testing.TB, p *Page, at string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, at, nil)
	handle := p.Paths()[r.URL.Path]
	if handle == nil {
		t.Fatalf("nothing is at %s", at)
	}
	w := httptest.NewRecorder()
	handle(w, r)
	return w
}

func decode[T any](t testing.TB, w *httptest.ResponseRecorder) (value T) {
	t.Helper()
	if kind := w.Header().Get("Content-Type"); kind != "application/json" {
		t.Errorf("the answer is %s", kind)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &value); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return value
}

var (
	imported = regexp.MustCompile(`\bfrom ?["']([a-z./]+)["']`)
	loaded   = regexp.MustCompile(`(?:src|href)="([^"]+)"`)
	outside  = regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]`)
)

// Each file that a file of the page asks for is there, and none is elsewhere.
func TestThePageLoadsItsOwnFilesAlone(t *testing.T) {
	p := &Page{}
	names := map[string]string{"preact": "/vendor/preact.js", "preact/hooks": "/vendor/hooks.js",
		"htm": "/vendor/htm.js"}
	asked, bytes := 0, 0
	for at, handle := range files() {
		w := httptest.NewRecorder()
		handle(w, httptest.NewRequest(http.MethodGet, at, nil))
		text := w.Body.String()
		bytes += len(text)
		asks := imported
		if at == "/" {
			asks = loaded
		}
		for _, m := range asks.FindAllStringSubmatch(text, -1) {
			to, named := names[m[1]]
			if !named {
				to = path.Join(path.Dir(at), m[1])
			}
			if asked++; p.Paths()[to] == nil {
				t.Errorf("%s asks for %s, which is not there", at, m[1])
			}
		}
		if strings.HasPrefix(at, "/vendor/") {
			continue // they name the namespaces of SVG and the like
		}
		for _, m := range outside.FindAllString(text, -1) {
			t.Errorf("%s names %s", at, m)
		}
	}
	if asked < 15 {
		t.Errorf("only %d files are asked for", asked)
	}
	if bytes > 100<<10 {
		t.Errorf("the page has %d bytes", bytes)
	}
}

func TestNothingElseMayRun(t *testing.T) {
	w := get(t, &Page{}, "/")
	policy := w.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self' 'sha256-",
		"frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("%q is not in %q", part, policy)
		}
	}
	if strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
	if kind := w.Header().Get("Content-Type"); kind != "text/html; charset=utf-8" {
		t.Error(kind)
	}
	if policy := get(t, &Page{}, "/main.js").Header().Get("Content-Security-Policy"); strings.Contains(
		policy, "sha256") {
		t.Error(policy)
	}
	if all := (&Page{}).Paths(); all["/vendor/LICENSE.htm"] != nil || all["/static"] != nil {
		t.Error("more than the page is served")
	}
}

// listeners is a page of one listener.
func listeners(letters *deadletter.Store) (*Page, *tracing.Recorder) {
	recorder := &tracing.Recorder{}
	p := &Page{Letters: letters, Status: func() *status.Status {
		return &status.Status{Listeners: []status.Listener{{Name: "hooks"}, {Name: "gone"}}}
	}}
	p.Listener = func(name string) (Listener, bool) {
		if name != "hooks" {
			return Listener{}, false
		}
		return Listener{Recent: recorder,
			Plan:          func(w io.Writer) error { _, err := io.WriteString(w, "a plan"); return err },
			Configuration: func() (string, error) { return "hooks: {}", nil },
			Explain: func(e event.Event, w io.Writer) error {
				if e.Op == event.Delete {
					return errors.New("it cannot be explained")
				}
				_, err := fmt.Fprintf(w, "%s of %s", e.Op, e.Object.Name())
				return err
			}}, true
	}
	return p, recorder
}

func TestAListenerIsShown(t *testing.T) {
	p, _ := listeners(nil)
	about := decode[map[string]string](t, get(t, p, "/listener?name=hooks"))
	if about["plan"] != "a plan" || about["configuration"] != "hooks: {}" {
		t.Error(about)
	}
}

func TestLastEventsAreExplained(t *testing.T) {
	p, recorder := listeners(nil)
	const look = "/events?listener=hooks"
	if w := get(t, p, look); w.Body.String() != `{"events":[]}`+"\n" {
		t.Error(w.Body)
	}
	o, err := (&object.Parser{}).Parse([]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}`))
	if err != nil {
		t.Fatal(err)
	}
	recorder.Begin(&event.Event{Op: event.Add, Object: o}).End("passed", nil)
	recorder.Begin(&event.Event{Op: event.Delete, Object: o}).End("filtered", nil)
	shown := decode[map[string][]tracing.RecentEvent](t, get(t, p, look))["events"]
	if len(shown) != 2 || shown[0].Op != "delete" || shown[1].Outcome != "passed" {
		t.Fatalf("%+v", shown)
	}
	text := decode[map[string]string](t, get(t, p, "/explain?listener=hooks&event=1"))["text"]
	if text != "What became of it: passed. Below it is judged again, by what is known now.\n\nadd of a" {
		t.Error(text)
	}
	if w := get(t, p, "/explain?listener=hooks&event=2"); w.Code != http.StatusInternalServerError {
		t.Error(w)
	}
}

func TestPlots(t *testing.T) {
	p, _ := listeners(nil)
	p.Tick()
	all := decode[map[string]any](t, get(t, p, "/history"))
	if series := all["series"].(map[string]any); len(series) != 6 || all["every"] != 10.0 {
		t.Error(all)
	}
	one := decode[map[string]any](t, get(t, p, "/history?listener=hooks"))
	if series := one["series"].(map[string]any); len(series) != 4 {
		t.Error(one)
	}
}

func TestDeadLettersAreListedWithoutContent(t *testing.T) {
	store, err := deadletter.Open(deadletter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p, _ := listeners(store)
	if w := get(t, p, "/deadletters"); !strings.HasPrefix(w.Body.String(), `{"items":[],"more":false`) {
		t.Error(w.Body)
	}
	for i := range 3 {
		_, err := store.Put(t.Context(), deadletter.Letter{Listener: []string{"hooks", "others"}[i%2],
			Reason: deadletter.Refused, Error: "422", Name: fmt.Sprint("n", i),
			Object: json.RawMessage(`{"metadata":{},"data":"hunter2"}`)})
		if err != nil {
			t.Fatal(err)
		}
	}
	got := decode[letters](t, get(t, p, "/deadletters?limit=2"))
	if len(got.Items) != 2 || !got.More || got.Items[0].Name != "n0" || got.May.Replay || got.May.Drop {
		t.Errorf("%+v", got)
	}
	w := get(t, p, "/deadletters?listener=hooks&limit=2")
	if got := decode[letters](t, w); len(got.Items) != 2 || got.More {
		t.Errorf("%+v", got)
	}
	if strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("the object is in %s", w.Body)
	}
	if got := decode[letters](t, get(t, &Page{}, "/deadletters")); got.Items == nil {
		t.Error("no list without a store")
	}
}

func TestWrongRequests(t *testing.T) {
	p, _ := listeners(nil)
	for at, want := range map[string]string{
		"/listener":                           `there is no listener \"\"`,
		"/listener?name=hoks":                 `there is no listener \"hoks\"`,
		"/listener?name=hooks&name=hooks":     `parameter \"name\" is set 2 times`,
		"/listener?listener=hooks":            `there is no parameter \"listener\": there are name`,
		"/events?listener=x%00%1b":            `there is no listener`,
		"/explain?listener=hooks":             "event is the number",
		"/explain?listener=hooks&event=-1":    "event is the number",
		"/explain?listener=hooks&event=7":     "is not kept any more",
		"/explain?listener=x&event=7":         "there is no listener",
		"/history?listener=x":                 "there is no listener",
		"/deadletters?limit=0":                "limit is a whole number from 1 to 1000",
		"/deadletters?limit=1001":             "limit is a whole number",
		"/deadletters?limit=9999999999999999": "limit is a whole number",
	} {
		w := get(t, p, at)
		if w.Code < 400 || w.Code > 499 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %s", at, w.Code, w.Body)
		}
	}
}

// post returns the answer of an action.
func post(t testing.TB, p *Page, at, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	p.Actions()[at](w, httptest.NewRequest(http.MethodPost, at, strings.NewReader(body)))
	return w
}

// lettersOf is a page of three letters, with their IDs.
func lettersOf(t *testing.T) (p *Page, ids []string) {
	t.Helper()
	store, err := deadletter.Open(deadletter.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for range 3 {
		id, err := store.Put(t.Context(), deadletter.Letter{Listener: "hooks",
			Reason: deadletter.Refused, Object: json.RawMessage(`{}`)})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	p, _ = listeners(store)
	return p, ids
}

func TestLettersAreReplayed(t *testing.T) {
	p, ids := lettersOf(t)
	var whole error
	p.Replay = func(ctx context.Context, letters iter.Seq2[deadletter.Letter, error], _ []byte, _ bool,
		report func(admin.Outcome)) error {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("a replay may take any time")
		}
		var all sync.WaitGroup
		for l, err := range letters {
			if err != nil {
				return err
			}
			all.Go(func() { report(admin.Outcome{ID: l.ID, Result: admin.Delivered}) })
		}
		all.Wait()
		return whole
	}
	body := fmt.Sprintf(`{"ids": [%q, %q, "gone"]}`, ids[0], ids[2])
	got := decode[replayed](t, post(t, p, replayPath, body))
	if len(got.Outcomes) != 2 || got.Left != 1 || got.Error != "" {
		t.Errorf("%+v", got)
	}
	whole = errors.New("another replay is under way")
	if got := decode[replayed](t, post(t, p, replayPath, body)); got.Error != whole.Error() {
		t.Errorf("%+v", got)
	}
}

func TestLettersAreDropped(t *testing.T) {
	p, ids := lettersOf(t)
	w := post(t, p, dropPath, fmt.Sprintf(`{"ids": [%q, "gone", %q]}`, ids[1], ids[1]))
	if w.Body.String() != `{"dropped":1}`+"\n" || p.Letters.Has(ids[1]) || !p.Letters.Has(ids[0]) {
		t.Error(w.Body)
	}
}

func TestWhatAUserMayDoIsShown(t *testing.T) {
	p, _ := lettersOf(t)
	p.May = func(_ *http.Request, path string) bool { return path == "/deadletters/replay" }
	if got := decode[letters](t, get(t, p, "/deadletters")).May; !got.Replay || got.Drop {
		t.Errorf("%+v", got)
	}
}

func TestWrongActions(t *testing.T) {
	p, ids := lettersOf(t)
	many := strings.Repeat(`"x",`, maxLetters) + `"x"`
	for body, want := range map[string]string{
		"": "EOF", "null": "1 to 1000 letters, not of 0", "{}": "1 to 1000", "[]": "cannot be read",
		`{"ids":[]}`: "1 to 1000", `{"ids":null}`: "1 to 1000", `{"ids":"x"}`: "cannot be read",
		`{"ids":["` + ids[0] + `"], "all": true}`: "unknown field", `{"ids":[` + many + `]}`: "not of 1001",
		`{"ids":["` + ids[0] + `"]} {}`: "more behind it",
	} {
		for _, at := range []string{replayPath, dropPath} {
			w := post(t, p, at, body)
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s with %.40s: %d %s", at, body, w.Code, w.Body)
			}
		}
	}
	if n := len(decode[letters](t, get(t, p, "/deadletters")).Items); n != 3 {
		t.Errorf("%d letters are left", n)
	}
	if w := post(t, &Page{}, dropPath, `{"ids":["x"]}`); w.Code != http.StatusNotFound {
		t.Error(w.Body)
	}
}
