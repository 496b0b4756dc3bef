package daemon

import (
	"fmt"
	"net/http"

	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/pkg/plugins"
)

// withoutEffects takes from a handler what it could change outside of informerd: its requests are
// refused, and what it stores is forgotten in the end.
func withoutEffects(spec *plugins.Spec) {
	if grant := spec.Grants.HTTP; grant != nil {
		refusing := *grant
		refusing.Transport = refused{}
		spec.Grants.HTTP = &refusing
	}
}

// refused sends no request. To a handler that is what a request is that it has no right to: unlike
// a server that is away, it is no reason to try again.
type refused struct{}

// RoundTrip implements http.RoundTripper.
func (refused) RoundTrip(r *http.Request) (*http.Response, error) {
	return nil, fmt.Errorf("dry run: %s %s is not sent: %w", r.Method, r.URL.Host,
		outbound.ErrDenied)
}
