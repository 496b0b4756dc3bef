package kube

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/backoff"
)

// A server that says when to come again is in the error at once. Discovery would wait by itself
// otherwise, an hour here.
func TestAServerThatWantsToBeLeftAlone(t *testing.T) {
	for header, want := range map[string]time.Duration{"7": 7 * time.Second,
		"3600": backoff.MaxRetryAfter, "soon": 0, "": 0} {
		var asked atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked.Add(1)
			if header != "" {
				w.Header().Set("Retry-After", header)
			}
			w.WriteHeader(http.StatusServiceUnavailable)
		}))
		r, err := NewResolver(&rest.Config{Host: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Resolve(t.Context(), "pods")
		var unreachable *UnreachableError
		if !errors.As(err, &unreachable) || unreachable.RetryAfter != want {
			t.Errorf("%q: %+v", header, err)
		}
		if n := asked.Load(); n > 2 {
			t.Errorf("%q: asked %d times", header, n)
		}
		server.Close()
	}
}
