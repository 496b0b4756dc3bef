package kube

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"k8s.io/client-go/tools/metrics"

	"github.com/informerd/informerd/internal/histogram"
)

// Requests are the requests that client-go has sent to API servers since the process began.
// client-go counts them for the whole process.
type Requests struct {
	// Results are how many were answered, by method and code. Lists and watches are, too.
	Results map[Result]uint64
	// Retries are those of the above that were sent again.
	Retries map[Result]uint64
	// Took is by method. Lists and watches are not in it, as nobody waits for their ends.
	Took map[string]histogram.Snapshot
}

// Result is how a request was answered: with a code of HTTP, or "error" if there was no answer.
type Result struct{ Method, Code string }

// SentRequests returns the requests that were sent since RESTConfig was first called.
func SentRequests() Requests {
	sent.mu.Lock()
	defer sent.mu.Unlock()
	r := Requests{Results: maps.Clone(sent.results), Retries: maps.Clone(sent.retries),
		Took: map[string]histogram.Snapshot{}}
	for method, took := range sent.took {
		r.Took[method] = took.Snapshot()
	}
	return r
}

var requestBounds = histogram.Bounds{5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond, 250 * time.Millisecond,
	500 * time.Millisecond, time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second}

// sent are the requests of the process.
var sent = requests{results: map[Result]uint64{}, retries: map[Result]uint64{},
	took: map[string]*histogram.Histogram{}}

// requests counts what client-go reports. There are few requests, so that a lock is fine.
type requests struct {
	mu               sync.Mutex // guards what follows
	results, retries map[Result]uint64
	took             map[string]*histogram.Histogram
}

// countRequests has client-go report its requests from now on.
var countRequests = sync.OnceFunc(func() {
	metrics.Register(metrics.RegisterOpts{RequestResult: &sent, RequestRetry: &sent,
		RequestLatency: &sent})
})

// Increment implements client-go's ResultMetric.
func (r *requests) Increment(_ context.Context, code, method, _ string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results[resultOf(method, code)]++
}

// IncrementRetry implements client-go's RetryMetric.
func (r *requests) IncrementRetry(_ context.Context, code, method, _ string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retries[resultOf(method, code)]++
}

// Observe implements client-go's LatencyMetric. The URL is left out: it has names of objects.
func (r *requests) Observe(_ context.Context, method string, _ url.URL, took time.Duration) {
	method = methodOf(method)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.took[method] == nil {
		r.took[method] = histogram.New(requestBounds)
	}
	r.took[method].Observe(took)
}

// resultOf bounds what results there may be.
func resultOf(method, code string) Result {
	if len(code) != len("200") || code[0] < '1' || code[0] > '5' {
		code = "error"
	}
	return Result{methodOf(method), code}
}

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
	http.MethodPatch, http.MethodDelete}

// methodOf bounds what methods there may be.
func methodOf(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return "other"
}
