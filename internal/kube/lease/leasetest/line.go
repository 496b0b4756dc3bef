package leasetest

import (
	"context"
	"io"
	"net/http"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/kube/lease"
)

// Line is what one replica asks the server by. Make one with NewLine.
type Line struct {
	server *Server

	mu       sync.Mutex
	mended   chan struct{} // nil if it is not cut
	requests []string
	fault    func(n int, r *http.Request) Fault
}

// Fault is what happens to a request. The zero value is that it is answered.
type Fault struct {
	Answer *http.Response // of something other than the server, which does not get the request
	Lost   error          // the server gets it, and its answer gets lost
}

// NewLine returns a line to the server.
func (s *Server) NewLine() *Line { return &Line{server: s} }

// Client returns a client of the line.
func (l *Line) Client() *lease.Client {
	cfg := &rest.Config{Host: "http://server", Transport: l, QPS: -1}
	cfg.ContentType = "application/json"
	c, err := lease.NewClient(cfg)
	if err != nil {
		panic(err)
	}
	return c
}

// Cut has no request answered any more, and Mend ends that.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.mended = make(chan struct{})
}

// Mend ends a Cut. Requests that were under way are answered now.
func (l *Line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.mended)
	l.mended = nil
}

// Break sets what happens to requests. n counts those since the call, from 1.
func (l *Line) Break(fault func(n int, r *http.Request) Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests, l.fault = nil, fault
}

// Requests returns the methods of the requests since Break.
func (l *Line) Requests() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.requests...)
}

// RoundTrip implements http.RoundTripper.
func (l *Line) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := l.await(r.Context()); err != nil {
		return nil, err
	}
	l.mu.Lock()
	l.requests = append(l.requests, r.Method)
	var fault Fault
	if l.fault != nil {
		fault = l.fault(len(l.requests), r)
	}
	l.mu.Unlock()
	if fault.Answer != nil {
		return fault.Answer, nil
	}
	a := l.server.serve(r)
	if fault.Lost != nil {
		return nil, fault.Lost
	}
	a.Request, a.Body = r, &body{a.Body, l, r.Context()}
	return a, nil
}

// await waits until the line is not cut.
func (l *Line) await(ctx context.Context) error {
	for {
		l.mu.Lock()
		mended := l.mended
		l.mu.Unlock()
		if mended == nil {
			return ctx.Err()
		}
		select {
		case <-mended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// body is the body of an answer, that comes by the line.
type body struct {
	io.ReadCloser
	line *Line
	ctx  context.Context
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if cut := b.line.await(b.ctx); cut != nil {
		return 0, cut
	}
	return n, err
}
