package endpoints

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/outbound"
)

// guard is what every request passes before and around its handler.
type guard struct {
	paths map[string]served
	log   *slog.Logger
	// running has an element for each request under way. There are never more of them than
	// connections.
	running chan struct{}
	// anybody: requests may come from other machines, and by any name.
	anybody bool
	known   string // the paths, for the answer to an unknown one
	strict  *strict
}

func (s *Server) guard(log *slog.Logger) *guard {
	g := &guard{log: log, running: make(chan struct{}, maxConnections), anybody: s.Probes,
		paths: map[string]served{}}
	for _, p := range s.served(log) {
		g.paths[p.path] = p
	}
	if s.Access != nil && !s.Probes {
		g.strict = &strict{server: s, log: log}
	}
	last := len(s.Paths()) - 1
	g.known = strings.Join(s.Paths()[:last], ", ") + " and " + s.Paths()[last]
	return g
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.running <- struct{}{}
	defer func() { <-g.running }()
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	to, found := g.paths[r.URL.Path]
	if r.ContentLength != 0 && !to.action {
		// Otherwise net/http reads the body first, to find the next request behind it.
		w.Header().Set("Connection", "close")
	}
	switch {
	case g.strict != nil && !g.strict.admits(w, r, to):
	case g.strict == nil && !g.anybody && !outbound.Loopback(hostOf(r.Host)):
		fail(w, http.StatusForbidden,
			fmt.Sprintf("the Host header %q is neither a loopback address nor localhost", r.Host))
	case !g.anybody && isForeign(r):
		refuse(w, http.StatusForbidden)
	case to.action:
		g.act(to.handle, w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		fail(w, http.StatusMethodNotAllowed, fmt.Sprintf("there is no %s here, only GET and HEAD",
			r.Method))
	case !found:
		fail(w, http.StatusNotFound, "not found: there are "+g.known)
	default:
		g.protect(to.handle, w, r)
	}
}

// crossOrigin refuses what pages of others have a browser send.
var crossOrigin http.CrossOriginProtection

// act answers a request that changes something. Only a user who may do that gets here with strict,
// and nobody does without.
func (g *guard) act(handle http.HandlerFunc, w http.ResponseWriter, r *http.Request) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case g.strict == nil:
		fail(w, http.StatusForbidden, "this needs http.auth: kubernetes")
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		fail(w, http.StatusMethodNotAllowed, fmt.Sprintf("there is no %s here, only POST", r.Method))
	case crossOrigin.Check(r) != nil:
		refuse(w, http.StatusForbidden)
	case err != nil || kind != "application/json":
		fail(w, http.StatusUnsupportedMediaType, "the request must be application/json")
	default:
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		g.protect(handle, w, r)
	}
}

// protect turns a panic into an answer, or into the end of the connection if the answer has begun.
func (g *guard) protect(handle http.HandlerFunc, w http.ResponseWriter, r *http.Request) {
	answer := &response{ResponseWriter: w}
	defer func() {
		reason := recover()
		if reason == nil {
			return
		}
		if reason != http.ErrAbortHandler { // deliberate, and logged where it was raised
			g.log.Error("an HTTP request panicked", "path", r.URL.Path, "panic",
				fmt.Sprintf("%+q", fmt.Sprint(reason)), "stack", string(debug.Stack()))
		}
		if answer.begun || reason == http.ErrAbortHandler {
			panic(http.ErrAbortHandler)
		}
		fail(w, http.StatusInternalServerError, "internal error: informerd's log has the place")
	}()
	handle(answer, r)
}

// wait waits until no request is under way, and reports whether that is so within grace. No request
// may begin any more.
func (g *guard) wait(grace time.Duration) bool {
	timeout := time.NewTimer(grace)
	defer timeout.Stop()
	for range cap(g.running) {
		select {
		case g.running <- struct{}{}:
		case <-timeout.C:
			return false
		}
	}
	return true
}

// response records whether it is too late for another status.
type response struct {
	http.ResponseWriter
	begun bool
}

func (r *response) WriteHeader(status int) {
	r.begun = true
	r.ResponseWriter.WriteHeader(status)
}

func (r *response) Write(p []byte) (int, error) {
	r.begun = true
	return r.ResponseWriter.Write(p)
}

// fail answers with an error.
func fail(w http.ResponseWriter, status int, text string) {
	body, err := json.Marshal(struct {
		Error string `json:"error"`
	}{text})
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}
