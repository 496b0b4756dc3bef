package alertmanager

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake does with alerts what an Alertmanager does: it takes those that are valid, and answers 400
// if one is not.
type fake struct {
	mu       sync.Mutex
	requests int
	alerts   map[string]alert // by labels
}

var labelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

func isValid(a alert) bool {
	for name, value := range a.Labels {
		if !labelName.MatchString(name) || !utf8.ValidString(value) {
			return false
		}
	}
	return len(a.Labels) > 0 && !a.StartsAt.IsZero() && !a.EndsAt.Before(a.StartsAt) &&
		a.Labels["name"] != "invalid"
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var alerts []alert
	if r.URL.Path != "/am/api/v2/alerts" || r.Header.Get("Content-Type") != "application/json" ||
		json.Unmarshal(body, &alerts) != nil {
		w.WriteHeader(http.StatusUnsupportedMediaType)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	if f.alerts == nil {
		f.alerts = map[string]alert{}
	}
	status := http.StatusOK
	for _, a := range alerts {
		if !isValid(a) {
			status = http.StatusBadRequest
			continue
		}
		labels, _ := json.Marshal(a.Labels)
		f.alerts[string(labels)] = a
	}
	w.WriteHeader(status)
}

// firing returns the names of the objects that alerts fire for.
func (f *fake) firing() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.alerts {
		if a.EndsAt.After(time.Now()) {
			names = append(names, a.Labels["name"])
		}
	}
	slices.Sort(names)
	return names
}

// open makes a sink for a handler, and closes both in the end.
func open(t testing.TB, handler http.Handler, config Config) *Sink {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	config.URL = secret.Literal(server.URL + "/am/")
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

var since = time.Date(2026, 3, 4, 5, 0, 0, 0, time.UTC)

// report is what a rule reports about a pod.
func report(t testing.TB, name string, violated bool) sink.Message {
	t.Helper()
	m := sinktest.Message(t, name, 2)
	m.Body = sink.BodyReport
	m.Report = &sink.Report{Rule: "restarts", Severity: "high", Message: "9 times",
		Violated: violated, Since: since}
	return m
}

// receiver is a server for the suite.
type receiver struct{ *sinktest.Log }

func (l receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var alerts []alert
	if err := json.Unmarshal(body, &alerts); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	slices.SortStableFunc(alerts, func(a, b alert) int { return rank(a) - rank(b) })
	for _, a := range alerts {
		switch l.Take(r.Context().Done(), text(a.Labels["name"], a.Annotations["message"])) {
		case sinktest.Refuse:
			w.WriteHeader(http.StatusBadRequest)
			return
		case sinktest.Fail:
			w.WriteHeader(http.StatusInternalServerError)
			return
		case sinktest.Break:
			panic(http.ErrAbortHandler)
		}
	}
}

func rank(a alert) int {
	if a.Labels["name"] == sinktest.RefusedName {
		return 0
	}
	return 1
}

func text(name, message string) string { return name + " " + message }

func TestConformance(t *testing.T) {
	sinktest.Run(t, sinktest.Target{
		New: func(t *testing.T, f *sink.Fence) (sink.Sink, sinktest.Receiver) {
			to := receiver{sinktest.NewLog()}
			server := httptest.NewUnstartedServer(to)
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.Start()
			t.Cleanup(server.Close)
			t.Cleanup(func() { to.Set(sinktest.Healthy) })
			s, err := New(Config{URL: secret.Literal(server.URL), Fence: f})
			if err != nil {
				t.Fatal(err)
			}
			return s, to
		},
		Together: true,
		Prepare: func(m sink.Message) sink.Message {
			m.Report = &sink.Report{Rule: "r", Message: m.ID, Violated: true, Since: since}
			m.Body = sink.BodyReport
			return m
		},
		Text: func(m sink.Message) string {
			return text(valid(m.Object.Name()), valid(m.Report.Message))
		},
		Skip: map[string]string{"odd messages/*: read": "alerts are not CloudEvents"},
	})
}
