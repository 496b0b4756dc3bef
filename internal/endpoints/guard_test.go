package endpoints

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/filters/rules"
)

func TestHealthz(t *testing.T) {
	res, body := serve(t, &Server{}).get("/healthz")
	if got := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || body != "ok" ||
		got != "text/plain; charset=utf-8" {
		t.Errorf("%s: %q, content type %q", res.Status, body, got)
	}
}

// raw sends the text of a request over a connection of its own and returns the answer.
func (r *running) raw(request string) (*http.Response, string) {
	r.t.Helper()
	conn, err := net.Dial("tcp", r.address)
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		r.t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res, string(body)
}

func TestOnlyThisMachinesNamesAreAnswered(t *testing.T) {
	r := serve(t, &Server{})
	for host, want := range map[string]int{
		"127.0.0.1": 200, "127.0.0.1:1": 200, "127.9.9.9:80": 200, "localhost": 200,
		"LocalHost:8080": 200, "[::1]": 200, "[::1]:80": 200,
		"[::ffff:127.0.0.1]:80": 200,
		"evil.example":          403, "evil.example:8080": 403, "10.0.0.1": 403,
		"10.0.0.1:8080": 403, "": 403, ":8080": 403, "0.0.0.0": 403, "[::]:80": 403,
		"localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "evil.localhost": 403,
		"127.1": 403, "2130706433": 403, "[::1": 403, "[]": 403,
		"[fe80::1]:80": 403,
	} {
		res, body := r.raw("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
		if res.StatusCode != want {
			t.Errorf("host %q: %s, want %d: %s", host, res.Status, want, body)
		}
	}
	_, body := r.raw("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n")
	want := `{"error":"the Host header \"evil.example\" is neither a loopback address nor localhost"}` + "\n"
	if body != want {
		t.Errorf("got %s, want %s", body, want)
	}
	if res, _ := r.raw("GET http://evil.example/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); res.StatusCode != http.StatusForbidden {
		t.Errorf("a host in the request line: %s", res.Status)
	}
	if res, _ := r.raw("GET /metrics HTTP/1.0\r\n\r\n"); res.StatusCode != http.StatusForbidden {
		t.Errorf("no host at all: %s", res.Status)
	}
}

func TestOnlyReadingIsAllowed(t *testing.T) {
	r := serve(t, &Server{})
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"} {
		res, body := r.raw(method + " /violations HTTP/1.1\r\nHost: localhost\r\n\r\n")
		want := `{"error":"there is no ` + method + ` here, only GET and HEAD"}` + "\n"
		if res.StatusCode != http.StatusMethodNotAllowed ||
			res.Header.Get("Allow") != "GET, HEAD" || body != want {
			t.Errorf("%s: %s, allowed %q, %s", method, res.Status, res.Header.Get("Allow"), body)
		}
	}
	if res, _ := r.raw("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"); res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("OPTIONS *: %s", res.Status)
	}
	for _, path := range []string{"/metrics", "/violations", "/healthz"} {
		res, body := r.raw("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if res.StatusCode != http.StatusOK || body != "" || res.Header.Get("Content-Type") == "" {
			t.Errorf("HEAD %s: %s, %q, %v", path, res.Status, body, res.Header)
		}
	}
}

func TestOtherPathsAreNotFound(t *testing.T) {
	r := serve(t, &Server{})
	for _, path := range []string{"/", "/metrics/", "/metrics/../healthz", "/debug/pprof/",
		"//metrics"} {
		res, body := r.get(path)
		if want := `{"error":"not found: there are /metrics, /statusz, /violations, /livez, /readyz and /healthz"}` + "\n"; res.StatusCode != http.StatusNotFound || body != want {
			t.Errorf("%s: %s, %s", path, res.Status, body)
		}
	}
}

// Every answer, errors included, is for the one who asked, and for nobody's store.
func TestHeadersOfAnswers(t *testing.T) {
	r := serve(t, &Server{Listeners: someListeners()})
	for _, request := range []string{
		"GET /metrics", "GET /violations", "GET /violations?limit=x", "GET /healthz", "GET /",
		"POST /metrics", "HEAD /healthz",
	} {
		res, _ := r.raw(request +
			" HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n")
		if res.Header.Get("Cache-Control") != "no-store" ||
			res.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", request, res.Header)
		}
		for name := range res.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s lets others read", request, name)
			}
		}
	}
}

// The body announced here never comes, and no time passes until the answer does.
func TestBodiesAreNotRead(t *testing.T) {
	inBubble(t, &Server{}, func(l *pipes, _ func(), _ <-chan error) {
		began := time.Now()
		for _, announced := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked",
			"Content-Length: 1000\r\nExpect: 100-continue"} {
			c := l.dial()
			if _, err := io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"+announced+
				"\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); res.StatusCode != http.StatusOK || !res.Close ||
				took != 0 {
				t.Errorf("%q: %s after %v, close %t", announced, res.Status, took, res.Close)
			}
			c.Close()
		}
	})
}

func TestHeadersHaveALimit(t *testing.T) {
	r := serve(t, &Server{})
	begin := "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: "
	if res, _ := r.raw(begin + strings.Repeat("x", 15<<10) +
		"\r\n\r\n"); res.StatusCode != http.StatusOK {
		t.Errorf("15 KiB: %s", res.Status)
	}
	// net/http allows for 4 KiB on top of the limit. The header has no end, so that the server
	// leaves nothing of it unread.
	if res, _ := r.raw(begin +
		strings.Repeat("x", 20<<10-len(
			begin))); res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("20 KiB: %s", res.Status)
	}
}

func TestAPanicIsAnsweredAndLogged(t *testing.T) {
	var out log
	calm := true
	trouble := func() {
		if !calm {
			panic("of \xff object")
		}
	}
	r := serve(t, &Server{
		Log: out.logger(slog.LevelInfo),
		Listeners: []Listener{{
			Name:       "l",
			Route:      func() route.Stats { trouble(); return route.Stats{} },
			Violations: func() []rules.Violation { trouble(); return nil },
		}},
		Informers: func() []Informer { return nil },
	})
	calm = false
	for path, want := range map[string]struct{ answer, logged string }{
		"/violations": {"internal error: informerd's log has the place",
			`msg="an HTTP request panicked" path=/violations panic="\"of \\xff object\"" stack=`},
		"/metrics": {"the metrics cannot be read: informerd's log has the error",
			`msg="reading the metrics panicked" panic="\"of \\xff object\"" stack=`},
	} {
		res, body := r.get(path)
		if res.StatusCode != http.StatusInternalServerError || body != `{"error":"`+want.answer+
			`"}`+"\n" {
			t.Errorf("%s: %s, %s", path, res.Status, body)
		}
		if got := out.String(); !strings.Contains(got, "level=ERROR "+want.logged) ||
			!strings.Contains(got, "guard_test.go") {
			t.Errorf("%s: the log says\n%s", path, got)
		}
	}
	calm = true
	for _, path := range []string{"/violations", "/metrics"} {
		if res, body := r.get(path); res.StatusCode != http.StatusOK {
			t.Errorf("%s afterwards: %s, %s", path, res.Status, body)
		}
	}
}

// A client must not take half of an answer for a whole one.
func TestAPanicCutsOffWhatHasBegun(t *testing.T) {
	var out log
	r := serve(t, &Server{Log: out.logger(slog.LevelInfo), Listeners: []Listener{
		{Name: "a", Violations: func() []rules.Violation { return manyViolations(1_000) }},
		{Name: "b", Violations: func() []rules.Violation { panic("oh") }},
	}})
	res, err := r.client.Get("http://" + r.address + "/violations")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK || err != io.ErrUnexpectedEOF ||
		strings.Contains(string(body), "total") {
		t.Errorf("%s, %v, %d bytes", res.Status, err, len(body))
	}
	if got := out.String(); strings.Count(got, "\n") != 1 ||
		!strings.Contains(got, `msg="an HTTP request panicked" path=/violations`) {
		t.Errorf("the log says\n%s", got)
	}
}

func TestRequestsAreNotLoggedAtInfo(t *testing.T) {
	var out log
	r := serve(t, &Server{Log: out.logger(slog.LevelInfo), Listeners: someListeners(),
		Informers: someInformers})
	for _, request := range []string{
		"GET /metrics", "GET /violations", "GET /violations?limit=x", "GET /healthz", "GET /",
		"POST /metrics", "\x00",
	} {
		r.raw(request + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
	}
	r.end()
	if got := out.String(); got != "" {
		t.Errorf("the log says\n%s", got)
	}
}

func TestWhatNetHTTPSaysOfConnectionsIsNotLoggedAtInfo(t *testing.T) {
	var info, all log
	for _, out := range []struct {
		*log
		level slog.Level
	}{{&info, slog.LevelInfo}, {&all, slog.LevelDebug}} {
		inBubble(t, &Server{Log: out.logger(out.level)}, func(l *pipes, _ func(), _ <-chan error) {
			// which net/http tries again
			l.err = &net.OpError{Op: "accept", Err: syscall.ECONNABORTED}
			l.Close()
			synctest.Wait()
		})
	}
	if info.String() != "" || !strings.Contains(all.String(),
		`level=DEBUG msg="http: Accept error: accept: software caused connection abort; retrying in 5ms"`) {
		t.Errorf("at info the log says\n%s\nand at debug\n%s", info.String(), all.String())
	}
}
