package endpoints

import (
	"fmt"
	"sync"

	"github.com/informerd/informerd/internal/wording"
	"github.com/informerd/informerd/pkg/informer"
)

// Health records whether a listener gets its events. It is safe for concurrent use; the zero value
// is that of a listener that has not been started.
type Health struct {
	mu     sync.Mutex
	failed error // why the listener is not bound or does not run
	bound  []*informer.Registration

	isLoading bool  // its handler is being loaded, and has not failed so far
	crippled  error // why its handler cannot be loaded or started
	mistaken  error // what its expressions read that its objects do not have
}

// Loading notes that the listener's handler is being loaded.
func (h *Health) Loading() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.isLoading = true
}

// Handler notes why the listener's handler cannot be loaded or started; nil if it can.
func (h *Health) Handler(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.isLoading, h.crippled = false, err
}

// Mistaken notes that the listener's expressions do not fit its objects; nil if they do. It reports
// whether that is news.
func (h *Health) Mistaken(err error) (changed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	changed = (err == nil) != (h.mistaken == nil) || err != nil && err.Error() != h.mistaken.Error()
	h.mistaken = err
	return changed
}

// Fail notes why the listener is not bound.
func (h *Health) Fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed = err
}

// Bind notes the informers from which the listener gets events and in which it looks objects up.
func (h *Health) Bind(regs []*informer.Registration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failed, h.bound = nil, regs
}

// Failed returns why the listener is not bound, and why its handler cannot be loaded or started;
// nil if it is, and can.
func (h *Health) Failed() (bound, handler error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failed, h.crippled
}

// Bound returns the informers that Bind has noted.
func (h *Health) Bound() []*informer.Registration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bound
}

// State returns the listener's state for /readyz and /healthz.
func (h *Health) State() (s State) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.failed != nil:
		s.Failing = append(s.Failing, h.failed.Error())
	case h.bound == nil:
		s.Starting = append(s.Starting, "its resource has not been found yet")
	}
	switch {
	case h.crippled != nil:
		s.Failing = append(s.Failing, h.crippled.Error())
	case h.isLoading:
		s.Starting = append(s.Starting, "its handler is being loaded")
	}
	if h.mistaken != nil {
		s.Failing = append(s.Failing, h.mistaken.Error())
	}
	for _, reg := range h.bound {
		switch inf := reg.Status(); {
		case inf.Err != nil:
			s.Failing = append(s.Failing, inf.Err.Error())
		case !inf.Synced:
			s.Starting = append(s.Starting, fmt.Sprintf("the first list of %s%s is not complete",
				inf.Resource, wording.In(inf.Scope.Namespace)))
		}
	}
	return s
}
