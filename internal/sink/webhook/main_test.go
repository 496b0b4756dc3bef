package webhook

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/sinktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// request is one that a server got.
type request struct {
	header http.Header
	body   []byte
	texts  []string // of the messages
}

// server takes requests, unless answer returns another status than 0 for one.
type server struct {
	url    string
	answer func(r request) (status int)

	mu       sync.Mutex
	requests []request
}

func serve(t testing.TB, answer func(request) int) *server {
	t.Helper()
	s := &server{answer: answer}
	http := httptest.NewUnstartedServer(s)
	http.Config.ErrorLog = log.New(io.Discard, "", 0)
	http.Start()
	t.Cleanup(http.Close)
	s.url = http.URL + "/in"
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	got := request{header: r.Header, body: body}
	got.texts, _ = sinktest.HTTPTexts(r.Header, body)
	s.mu.Lock()
	s.requests = append(s.requests, got)
	s.mu.Unlock()
	if s.answer != nil {
		if status := s.answer(got); status != 0 {
			w.WriteHeader(status)
		}
	}
}

// got returns the requests so far.
func (s *server) got() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// open makes a sink that is closed at the end of the test.
func open(t testing.TB, url string, config Config) *Sink {
	t.Helper()
	config.URL = secret.Literal(url)
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

// pods returns messages about pods with these names.
func pods(t testing.TB, names ...string) (messages []sink.Message) {
	t.Helper()
	for _, name := range names {
		messages = append(messages, sinktest.Message(t, name, 2))
	}
	return messages
}

// receiver is a server for the suite.
type receiver struct{ *sinktest.Log }

func (l receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	texts, err := sinktest.HTTPTexts(r.Header, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// What is refused decides about the whole request.
	slices.SortStableFunc(texts, func(a, b string) int { return rank(a) - rank(b) })
	for _, text := range texts {
		switch l.Take(r.Context().Done(), text) {
		case sinktest.Refuse:
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		case sinktest.Fail:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case sinktest.Break:
			panic(http.ErrAbortHandler)
		}
	}
}

func rank(text string) int {
	if strings.Contains(text, sinktest.RefusedName) {
		return 0
	}
	return 1
}

func TestConformance(t *testing.T) {
	for name, config := range map[string]Config{
		"structured": {}, "binary": {Mode: Binary}, "batch": {Mode: Batch, Events: 20},
	} {
		t.Run(name, func(t *testing.T) {
			target := sinktest.Target{New: func(t *testing.T, f *sink.Fence) (
				sink.Sink, sinktest.Receiver) {
				to := receiver{sinktest.NewLog()}
				s := httptest.NewUnstartedServer(to)
				s.Config.ErrorLog = log.New(io.Discard, "", 0)
				s.Start()
				t.Cleanup(s.Close)
				t.Cleanup(func() { to.Set(sinktest.Healthy) })
				config.URL, config.Fence = secret.Literal(s.URL), f
				out, err := New(config)
				if err != nil {
					t.Fatal(err)
				}
				return out, to
			}, Together: config.Mode == Batch}
			if config.Mode == Binary {
				target.Text, target.Read = sinktest.BinaryText, sinktest.ReadBinary
			}
			sinktest.Run(t, target)
		})
	}
}
