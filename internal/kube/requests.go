package kube

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"

	"k8s.io/client-go/tools/metrics"
)

// Result is how a request was answered: with a code of HTTP, or "error" if there was no answer.
type Result struct{ Method, Code string }

// SentRequests returns how many requests client-go has sent to API servers since RESTConfig was
// first called. Lists and watches count when they begin.
func SentRequests() map[Result]uint64 {
	sent.mu.Lock()
	defer sent.mu.Unlock()
	return maps.Clone(sent.results)
}

// sent are the requests of the process, for which client-go counts them.
var sent = requests{results: map[Result]uint64{}}

// requests counts what client-go reports. There are few requests, so that a lock is fine.
type requests struct {
	mu      sync.Mutex
	results map[Result]uint64 // guarded by mu
}

// countRequests has client-go report its requests from now on.
var countRequests = sync.OnceFunc(func() {
	metrics.Register(metrics.RegisterOpts{RequestResult: &sent})
})

// Increment implements client-go's ResultMetric. It bounds what results there may be.
func (r *requests) Increment(_ context.Context, code, method, _ string) {
	if len(code) != len("200") || code[0] < '1' || code[0] > '5' {
		code = "error"
	}
	if !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
		http.MethodPatch, http.MethodDelete}, method) {
		method = "other"
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.results[Result{method, code}]++
}
