package backoff

import (
	"net/http"
	"sync/atomic"
	"time"
)

// notedDelays is the longest delay that the requests of a context received. It is safe for
// concurrent use.
type notedDelays struct{ delay atomic.Int64 }

// Delay returns the longest delay, 0 if there was none.
func (n *notedDelays) Delay() time.Duration { return time.Duration(n.delay.Load()) }

func (n *notedDelays) note(d time.Duration) {
	for {
		old := n.delay.Load()
		if int64(d) <= old || n.delay.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// Transport wraps rt: each Retry-After header of a failure is recorded in the request's context,
// see Note, and removed, since client-go would wait by itself. Requests of other contexts are not
// changed.
func Transport(rt http.RoundTripper) http.RoundTripper { return &noting{rt} }

type noting struct{ rt http.RoundTripper }

func (t *noting) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.rt.RoundTrip(req)
	if err != nil || resp.StatusCode < 400 {
		return resp, err
	}
	if n, ok := req.Context().Value(retryAfterKey{}).(*notedDelays); ok {
		if header := resp.Header.Get("Retry-After"); header != "" {
			n.note(ParseRetryAfter(header, time.Now()))
			resp.Header.Del("Retry-After")
		}
	}
	return resp, nil
}

// WrappedRoundTripper lets client-go find the transport below, to close its idle connections.
func (t *noting) WrappedRoundTripper() http.RoundTripper { return t.rt }
