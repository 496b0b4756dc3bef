package httpsink

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

func TestRequest(t *testing.T) {
	var got *http.Request
	var body string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got, body = r, string(text)
		_, _ = w.Write([]byte("fine"))
	})
	c := newClient(t, Config{URL: secret.Literal(url + "/in?a=b"), Path: "api/v2",
		Headers: map[string]secret.Value{"authorization": secret.Literal("Bearer hunter2"),
			"Content-Type": secret.Literal("wrong")}})
	answer, err := post(t.Context(), c)
	if err != nil || string(answer.Body) != "fine" {
		t.Fatalf("got %v, %v", answer, err)
	}
	if got.Method != "POST" || got.URL.String() != "/in/api/v2?a=b" || body != "something" ||
		got.Header.Get("Authorization") != "Bearer hunter2" ||
		got.Header.Get("Content-Type") != "text/plain" ||
		got.Header.Get("User-Agent") != "informerd" || got.ContentLength != 9 {
		t.Errorf("got %s %s %v %q", got.Method, got.URL, got.Header, body)
	}
}

// What the receiver wrote is quoted and bounded, and what it repeats is left out.
func TestQuotedAnswers(t *testing.T) {
	for said, want := range map[string]string{
		"":                                "400 Bad Request",
		" no\r\n ":                        `400 Bad Request: "no"`,
		"a\nb\"\x1b":                      `400 Bad Request: "a\nb\"\x1b"`,
		"token Bearer hunter2-abc is bad": `"token [redacted] is bad"`,
		"hunter2-abc is bad":              `"[redacted] is bad"`,
		"cannot POST /in/hunter2":         `"cannot POST [redacted]"`,
		strings.Repeat("ä", 1000):         `"` + strings.Repeat("ä", 98) + `…"`,
		"\xff\xfe":                        "400 Bad Request",
	} {
		url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(said))
		})
		c := newClient(t, Config{URL: secret.Literal(url + "/in/hunter2"),
			Headers: map[string]secret.Value{"A": secret.Literal("Bearer hunter2-abc")}})
		_, err := post(t.Context(), c)
		expectPermanent(t, err, want)
		if err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestConnectionsAreReused(t *testing.T) {
	var opened atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 1000))
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := to(t, s.URL)
	for range 20 {
		if _, err := post(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

func TestNewSaysWhatIsWrong(t *testing.T) {
	t.Setenv("BROKEN", "hunter2\n")
	fine := secret.Literal("http://127.0.0.1:1/")
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{}, "url (nothing): it must begin with"},
		{Config{URL: secret.Literal("https://a:hunter2@example.com")},
			"url (a text): it has a user name"},
		{Config{URL: secret.FromFile("/no/such")}, "url: the file /no/such cannot be read"},
		{Config{URL: fine, Headers: map[string]secret.Value{"A": secret.FromEnv("BROKEN")}},
			`header "A": the value has a control character`},
	} {
		_, err := New(test.config)
		if err == nil || !strings.Contains(err.Error(), test.want) ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// A file that is away for a while costs a retry and no message.
func TestFileThatIsAway(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Header.Get("Authorization"))
	})
	path := filepath.Join(t.TempDir(), "token")
	write := func(text string) secret.Value {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return secret.FromFile(path)
	}
	headers := map[string]secret.Value{"Authorization": write("one")}
	c := newClient(t, Config{URL: secret.Literal(url), Headers: headers})
	if answer, err := post(t.Context(), c); err != nil || string(answer.Body) != "one" {
		t.Errorf("got %s, %v", answer.Body, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	headers["Authorization"] = secret.FromFile(path) // a second later
	_, err := post(t.Context(), c)
	expectTransient(t, err, `header "Authorization": the file `+path+" cannot be read")
	headers["Authorization"] = write("two")
	if answer, err := post(t.Context(), c); err != nil || string(answer.Body) != "two" {
		t.Errorf("got %s, %v", answer.Body, err)
	}
}

// waiting is a context that tells when somebody waits for its end.
type waiting struct {
	context.Context
	waits chan struct{}
	once  sync.Once
}

func (w *waiting) Done() <-chan struct{} {
	w.once.Do(func() { close(w.waits) })
	return w.Context.Done()
}

func TestClose(t *testing.T) {
	release, came := make(chan struct{}), make(chan struct{}, maxRequests)
	url := serve(t, func(http.ResponseWriter, *http.Request) {
		came <- struct{}{}
		<-release
	})
	c := to(t, url)
	errs := make(chan error)
	for range maxRequests {
		go func() {
			_, err := post(context.Background(), c)
			errs <- err
		}()
	}
	for range maxRequests {
		<-came
	}
	waiting := &waiting{Context: context.Background(), waits: make(chan struct{})}
	go func() { // waits for its turn
		_, err := post(waiting, c)
		errs <- err
	}()
	<-waiting.waits
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := <-errs; err != sink.ErrClosed {
		t.Errorf("the one that waits: %v", err)
	}
	if _, err := post(t.Context(), c); err != sink.ErrClosed {
		t.Errorf("after Close: %v", err)
	}
	close(release)
	for range maxRequests {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if err := c.Close(ctx); err != nil {
		t.Errorf("with nothing under way: %v", err)
	}
}

func TestDoneContext(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request") })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := post(ctx, to(t, url)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
