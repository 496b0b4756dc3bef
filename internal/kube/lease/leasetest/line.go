package leasetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
	ahead    time.Duration
}

// Fault is what happens to a request. The zero value is that it is answered.
type Fault struct {
	Answer *http.Response // of something other than the server, which does not get the request
	Lost   error          // the server gets it, and its answer gets lost
	// Late is after how long the server gets it, also if nobody waits for the answer any more.
	Late time.Duration
	// Slow is how long the server's answer is under way.
	Slow time.Duration
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

// SetClock sets by how much the clock of this replica is ahead: the times of Leases that it writes
// are wrong by that.
func (l *Line) SetClock(ahead time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ahead = ahead
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
	ahead := l.ahead
	l.mu.Unlock()
	if fault.Answer != nil {
		return fault.Answer, nil
	}
	sent, err := copyOf(r, ahead)
	if err != nil {
		return nil, err
	}
	a, err := l.serve(sent, fault.Late, fault.Slow)
	if err != nil {
		return nil, err
	}
	if fault.Lost != nil {
		return nil, fault.Lost
	}
	a.Request, a.Body = r, &body{a.Body, l, r.Context()}
	return a, nil
}

// copyOf returns a request with all that it sends, as a replica does whose clock is ahead.
func copyOf(r *http.Request, ahead time.Duration) (*http.Request, error) {
	if r.Body == nil {
		return r, nil
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var o struct{ Spec fields }
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, err
	}
	for _, field := range []string{"acquireTime", "renewTime"} {
		if at, err := time.Parse(time.RFC3339Nano, fmt.Sprint(o.Spec[field])); err == nil {
			text = bytes.Replace(text, fmt.Appendf(nil, "%q:%q", field, o.Spec[field]),
				fmt.Appendf(nil, "%q:%q", field, at.Add(ahead).Format(metav1.RFC3339Micro)), 1)
		}
	}
	sent := r.Clone(r.Context())
	sent.Body = io.NopCloser(bytes.NewReader(text))
	return sent, nil
}

// serve has the server answer a request after some time, and returns the answer after some more.
func (l *Line) serve(r *http.Request, late, slow time.Duration) (*http.Response, error) {
	if late+slow == 0 {
		return l.server.serve(r), nil
	}
	answered := make(chan *http.Response, 1)
	time.AfterFunc(late, func() {
		a := l.server.serve(r)
		time.AfterFunc(slow, func() { answered <- a })
	})
	select {
	case a := <-answered:
		return a, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
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
