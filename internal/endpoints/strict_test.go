package endpoints

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/kube"
)

// doorman is a reviewer. The token is the name of its owner: reader may read everything but
// profiles, poor nothing.
type doorman struct {
	away  atomic.Bool
	asked atomic.Int64
}

func (d *doorman) Token(_ context.Context, token string) (*kube.Identity, error) {
	d.asked.Add(1)
	if d.away.Load() {
		return nil, errors.New("secret reason")
	}
	if token == "reader" || token == "poor" {
		return &kube.Identity{Name: token}, nil
	}
	return nil, nil
}

func (d *doorman) May(_ context.Context, who *kube.Identity, verb, path string) (bool, error) {
	d.asked.Add(1)
	switch path { // which every cluster allows to everybody
	case "/livez", "/readyz", "/healthz":
		return true, nil
	}
	if verb == "post" {
		return who.Name == "reader" && path == "/allowed", nil
	}
	return who.Name == "reader" && !strings.HasPrefix(path, profiles), nil
}

// serveStrict starts a server with a certificate of its own.
func serveStrict(t *testing.T, d *doorman, logged *log) *running {
	t.Helper()
	config, fingerprint, err := selfSigned("named.example", "10.1.2.3", "")
	if err != nil || len(fingerprint) != 64 {
		t.Fatal(fingerprint, err)
	}
	s := someServer()
	s.Access, s.TLS, s.Hosts, s.Pprof = kube.NewAccess(d), config, []string{"listed.svc"}, true
	s.Log = logged.logger(slog.LevelInfo)
	return serve(t, s)
}

// secretly sends a request over TLS and returns the answer.
func (r *running) secretly(request string) (*http.Response, string) {
	r.t.Helper()
	conn, err := tls.Dial("tcp", r.address, &tls.Config{InsecureSkipVerify: true,
		NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close()
	if got := conn.ConnectionState().NegotiatedProtocol; got != "" {
		r.t.Errorf("the protocol is %s", got)
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	_, _ = io.WriteString(conn, request) // the server may answer before it has read everything
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

const asReader = "Host: 127.0.0.1\r\nAuthorization: Bearer reader\r\n"

// Nobody gets anything without a token, with a bad one, without the right, by another name or for
// another origin, whatever the path, and learns nothing but the status.
func TestRefusedRequestsLearnNothing(t *testing.T) {
	r := serveStrict(t, &doorman{}, &log{})
	paths := []string{"/metrics", "/violations", "/violations?limit=x", "/livez", "/readyz",
		"/healthz", profiles, profiles + "heap", "/", "/nothing", "//metrics"}
	for _, path := range paths {
		known := path != "/" && path != "/nothing" && path != "//metrics"
		for header, want := range map[string]int{
			"Host: 127.0.0.1\r\n":                                    401,
			"Host: 127.0.0.1\r\nAuthorization: Bearer eve\r\n":       401,
			"Host: 127.0.0.1\r\nAuthorization: Basic cmVhZGVyOg\r\n": 401,
			asReader + "Authorization: Bearer reader\r\n":            401,
			"Host: 127.0.0.1\r\nAuthorization: Bearer poor\r\n":      403,
			"Host: evil.example\r\nAuthorization: Bearer reader\r\n": 403,
			asReader + "Origin: https://evil.example\r\n":            403,
			asReader + "Origin: null\r\n":                            403,
			asReader + "Origin: http://127.0.0.1\r\n":                403,
			asReader + "Origin: https://127.0.0.1:1\r\n":             403,
			"Host: evil.example\r\n":                                 403,
		} {
			if !known && want == 403 && strings.Contains(header, "poor") {
				want = 404
			}
			res, body := r.secretly("GET " + path + " HTTP/1.1\r\n" + header + "\r\n")
			text := `{"error":"` + strings.ToLower(http.StatusText(want)) + `"}` + "\n"
			if res.StatusCode != want || body != text {
				t.Errorf("%s with %q: %s, %s, want %d", path, header, res.Status, body, want)
			}
			challenges := fmt.Sprintf("%q", res.Header.Values("WWW-Authenticate"))
			if (challenges == `["Bearer" "Basic realm=\"informerd\""]`) != (want == 401) {
				t.Errorf("%s with %q: the challenges are %s", path, header, challenges)
			}
		}
	}
}

func TestWhoMayReadGetsAnswers(t *testing.T) {
	r := serveStrict(t, &doorman{}, &log{})
	for path, want := range map[string]int{"/metrics": 200, "/violations": 200, "/livez": 200,
		"/readyz": 503, "/nothing": 404, profiles: 403, "/violations?limit=x": 400} {
		res, body := r.secretly("GET " + path + " HTTP/1.1\r\n" + asReader + "\r\n")
		if res.StatusCode != want && (path != "/readyz" || res.StatusCode != 200) {
			t.Errorf("%s: %s, %.100s", path, res.Status, body)
		}
	}
	for method, want := range map[string]int{"HEAD": 200, "POST": 405, "OPTIONS": 405,
		"CONNECT": 405} {
		res, _ := r.secretly(method + " /metrics HTTP/1.1\r\n" + asReader + "\r\n")
		if res.StatusCode != want && method != "CONNECT" {
			t.Errorf("%s: %s", method, res.Status)
		}
		if method == "CONNECT" && res.StatusCode < 400 {
			t.Errorf("%s: %s", method, res.Status)
		}
		res, _ = r.secretly(method + " /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
		if res.StatusCode != 401 && method != "CONNECT" {
			t.Errorf("%s without a token: %s", method, res.Status)
		}
	}
	if res, _ := r.secretly("OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); res.StatusCode !=
		401 {
		t.Errorf("OPTIONS *: %s", res.Status)
	}
}

func TestNamesOfAStrictServer(t *testing.T) {
	r := serveStrict(t, &doorman{}, &log{})
	for host, want := range map[string]int{
		"127.0.0.1": 200, "10.9.8.7:8443": 200, "[::1]:1": 200, "[fe80::1]": 200,
		"localhost": 200, "LOCALHOST:80": 200, "named.example": 200, "Named.Example:443": 200,
		"listed.svc": 200, "LISTED.svc:8443": 200,
		"evil.example": 403, "evil.named.example": 403, "named.example.evil": 403,
		"127.0.0.1.evil.example": 403, "": 403, ":443": 403, "[::1": 403, "127.1": 403,
		"informerd": 403,
	} {
		res, _ := r.secretly("GET /livez HTTP/1.1\r\nHost: " + host +
			"\r\nAuthorization: Bearer reader\r\n\r\n")
		if res.StatusCode != want {
			t.Errorf("host %q: %s, want %d", host, res.Status, want)
		}
	}
	for _, header := range []string{"Origin: https://127.0.0.1\r\n", "X-Forwarded-Host: evil\r\n"} {
		res, _ := r.secretly("GET /livez HTTP/1.1\r\n" + asReader + header + "\r\n")
		if res.StatusCode != 200 {
			t.Errorf("%q: %s", header, res.Status)
		}
	}
}

// Requests that are not what they seem, and those that are too large.
func TestOddRequestsToAStrictServer(t *testing.T) {
	d := &doorman{}
	r := serveStrict(t, d, &log{})
	for request, want := range map[string]int{
		"GET http://evil.example/metrics HTTP/1.1\r\n" + asReader + "\r\n":                  403,
		"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n" + asReader + "\r\n":               400,
		"GET /metrics HTTP/1.1\r\n" + asReader + "Host : evil\r\n\r\n":                      400,
		"GET /%6detrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n":                                401,
		"GET /metrics/../debug/pprof/ HTTP/1.1\r\n" + asReader + "\r\n":                     404,
		"GET /debug%2fpprof%2f HTTP/1.1\r\n" + asReader + "\r\n":                            403,
		"GET /metrics HTTP/1.0\r\nAuthorization: Bearer reader\r\n\r\n":                     403,
		"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n Authorization: Bearer reader\r\n\r\n": 400,
		"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n" +
			"\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n" + asReader + "\r\n": 401,
		"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " +
			strings.Repeat("x", 1<<20) + "\r\n\r\n": 431,
		"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " +
			strings.Repeat("x", 12<<10) + "\r\n\r\n": 401,
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": 505,
	} {
		res, body := r.secretly(request)
		if res.StatusCode != want && (want != 505 || res.StatusCode < 400) {
			t.Errorf("%.90q: %s, want %d: %.100s", request, res.Status, want, body)
		}
	}
	if res, body := r.raw("GET /metrics HTTP/1.1\r\n" + asReader + "\r\n"); res.StatusCode != 400 ||
		strings.Contains(body, "informerd_") {
		t.Errorf("without TLS: %s, %s", res.Status, body)
	}
}

func TestAStrictServerWithoutItsReviewer(t *testing.T) {
	d, logged := &doorman{}, &log{}
	r := serveStrict(t, d, logged)
	d.away.Store(true)
	for range 3 {
		res, body := r.secretly("GET /metrics HTTP/1.1\r\n" + asReader + "\r\n")
		if res.StatusCode != 503 || body != `{"error":"service unavailable"}`+"\n" {
			t.Errorf("%s, %s", res.Status, body)
		}
	}
	if n := strings.Count(logged.String(), "secret reason"); n != 1 {
		t.Errorf("the log has it %d times:\n%s", n, logged)
	}
	d.away.Store(false)
	if res, _ := r.secretly("GET /metrics HTTP/1.1\r\n" + asReader + "\r\n"); res.StatusCode != 200 {
		t.Errorf("afterwards: %s", res.Status)
	}
}

func TestTokensNeedTLS(t *testing.T) {
	s := &Server{Address: "127.0.0.1:0", Access: kube.NewAccess(&doorman{})}
	if _, err := s.Listen(); err == nil || err.Error() != "tokens must not be sent without TLS" {
		t.Error(err)
	}
}

// Pages of other origins are refused by a server without tokens as well.
func TestForeignOrigins(t *testing.T) {
	r := serve(t, &Server{})
	for origin, want := range map[string]int{"http://evil.example": 403, "null": 403,
		"http://localhost": 200, "https://localhost": 403, "http://localhost:1": 403} {
		res, _ := r.raw("GET /livez HTTP/1.1\r\nHost: localhost\r\nOrigin: " + origin + "\r\n\r\n")
		if res.StatusCode != want {
			t.Errorf("%s: %s", origin, res.Status)
		}
	}
}

// What changes something is for users who may do that, and for no page of others that has a
// browser send it.
func TestActions(t *testing.T) {
	config, _, err := selfSigned("named.example")
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	act := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			fail(w, http.StatusRequestEntityTooLarge, "too long")
			return
		}
		done++
	}
	s := &Server{Access: kube.NewAccess(&doorman{}), TLS: config,
		Actions: map[string]http.HandlerFunc{"/allowed": act, "/other": act}}
	r := serve(t, s)
	send := func(method, path, headers, body string) int {
		t.Helper()
		before := done
		res, text := r.secretly(fmt.Sprintf("%s %s HTTP/1.1\r\n%sContent-Length: %d\r\n\r\n%s", method,
			path, headers, len(body), body))
		if (done > before) != (res.StatusCode == 200) {
			t.Errorf("%s %s with %q: %s %s, and it was done %d times", method, path, headers,
				res.Status, text, done-before)
		}
		return res.StatusCode
	}
	const asJSON = "Content-Type: application/json; charset=utf-8\r\n"
	for headers, want := range map[string]int{
		asReader + asJSON: 200,
		asReader + asJSON + "Origin: https://127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n": 200,
		asReader: 415,
		asReader + "Content-Type: text/plain\r\n":                         415,
		asReader + "Content-Type: application/x-www-form-urlencoded\r\n":  415,
		asReader + asJSON + "Sec-Fetch-Site: cross-site\r\n":              403,
		asReader + asJSON + "Sec-Fetch-Site: same-site\r\n":               403,
		asReader + asJSON + "Origin: https://evil.example\r\n":            403,
		asReader + asJSON + "Origin: null\r\n":                            403,
		"Host: evil.example\r\nAuthorization: Bearer reader\r\n" + asJSON: 403,
		"Host: 127.0.0.1\r\nAuthorization: Bearer poor\r\n" + asJSON:      403,
		"Host: 127.0.0.1\r\n" + asJSON:                                    401,
	} {
		if got := send("POST", "/allowed", headers, "{}"); got != want {
			t.Errorf("%q: %d, want %d", headers, got, want)
		}
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		if got := send(method, "/allowed", asReader+asJSON, ""); got != 405 {
			t.Errorf("%s: %d", method, got)
		}
	}
	if got := send("POST", "/other", asReader+asJSON, "{}"); got != 403 {
		t.Errorf("without the right to post there: %d", got)
	}
	if got := send("POST", "/metrics", asReader+asJSON, "{}"); got != 405 {
		t.Errorf("POST /metrics: %d", got)
	}
	if got := send("POST", "/allowed", asReader+asJSON, strings.Repeat(" ", maxBody+1)); got != 413 {
		t.Errorf("a long body: %d", got)
	}
	may := func(token, path string) bool {
		req := &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}
		return s.MayPost(req.WithContext(t.Context()), path)
	}
	if !may("reader", "/allowed") || may("reader", "/other") || may("poor", "/allowed") ||
		may("eve", "/allowed") {
		t.Error("MayPost is not what is done")
	}
}

// Without users nothing can be changed, from wherever it is asked for.
func TestActionsWithoutUsers(t *testing.T) {
	s := &Server{Actions: map[string]http.HandlerFunc{
		"/allowed": func(http.ResponseWriter, *http.Request) { t.Error("it was done") }}}
	r := serve(t, s)
	for _, method := range []string{"GET", "POST", "PUT"} {
		res, body := r.raw(method + " /allowed HTTP/1.1\r\nHost: localhost\r\n" +
			"Authorization: Bearer reader\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
		if res.StatusCode != 403 || !strings.Contains(body, "this needs http.auth: kubernetes") {
			t.Errorf("%s: %s %s", method, res.Status, body)
		}
	}
	if s.MayPost(&http.Request{}, "/allowed") {
		t.Error("somebody may do it")
	}
}

// The page's files go with the page.
func TestRightsOfFiles(t *testing.T) {
	for at, want := range map[string]string{"/": "/", "/main.js": "/", "/vendor/x.js": "/",
		"/metrics": "/metrics", "/readyz": "/statusz", profiles + "heap": profiles + "heap"} {
		if got := rightTo(at); got != want {
			t.Errorf("%s: %s", at, got)
		}
	}
}
