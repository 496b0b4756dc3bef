package plugins

import (
	"fmt"
	"net/http"
	"time"

	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/pkg/plugins/abi"
)

// maxBody is the most that a grant may allow for a body. The host keeps one of each for each
// worker.
const maxBody = 16 << 20

// HTTPGrant lets the guest make HTTP requests. Whatever it allows, a request does not reach
// loopback, link-local, multicast and unspecified addresses and those of cloud providers' metadata
// services, unless Allow names the very address.
type HTTPGrant struct {
	// Allow are URL prefixes, such as https://hooks.example.com/informerd/. A prefix allows what
	// has the same scheme, host and port and a path below its own: /a and /a/ allow /a/b, neither
	// allows /ab, and /a/ does not allow /a.
	Allow []string
	// Methods are those that are allowed; default GET and POST.
	Methods []string
	// MaxRequest and MaxResponse are the bytes that the bodies of a request and of its answer may
	// have; default 64 KiB, at most 16 MiB.
	MaxRequest, MaxResponse int64
	// Timeout of one request; default 5 s. A request also ends in time for the deadline of the
	// event: raise Limits.Deadline where a server needs longer than that.
	Timeout time.Duration
	// PerEvent is how many requests the guest may make for one event; default 4.
	PerEvent int
	// Private lets requests over plain http reach private addresses, as of services in a cluster,
	// by names that resolve to them. The address that the process has for the API server of its own
	// cluster is never reached.
	Private bool
	// Headers go with every request, to each of Allow, and take the place of the guest's own. The
	// guest does not see them.
	Headers map[string]string
	// Transport answers in place of the network, for authors' tools and tests; nil is the network.
	// What the grant allows is checked all the same, and the addresses that names lead to are not
	// looked up.
	Transport http.RoundTripper
}

func (g *HTTPGrant) setDefaults() {
	if len(g.Methods) == 0 {
		g.Methods = []string{"GET", "POST"}
	}
	setDefault(&g.MaxRequest, 64<<10)
	setDefault(&g.MaxResponse, 64<<10)
	setDefault(&g.Timeout, 5*time.Second)
	setDefault(&g.PerEvent, 4)
}

func (g *HTTPGrant) check() error {
	switch {
	case g.MaxRequest < 0 || g.MaxRequest > maxBody:
		return fmt.Errorf("max request is %d bytes, it must be between 1 and %d", g.MaxRequest,
			maxBody)
	case g.MaxResponse < 0 || g.MaxResponse > maxBody:
		return fmt.Errorf("max response is %d bytes, it must be between 1 and %d", g.MaxResponse,
			maxBody)
	case g.Timeout < 0:
		return fmt.Errorf("timeout is %v, it must be positive", g.Timeout)
	case g.PerEvent < 0:
		return fmt.Errorf("requests per event is %d, it must be positive", g.PerEvent)
	}
	_, err := outbound.New(g.client())
	return err
}

// client returns the configuration of the client that the grant allows.
func (g *HTTPGrant) client() outbound.Config {
	return outbound.Config{Allow: g.Allow, Methods: g.Methods, Headers: g.Headers,
		MaxHeaders: abi.MaxHTTPHeaders, MaxRequest: g.MaxRequest, MaxResponse: g.MaxResponse,
		Private: g.Private, Transport: g.Transport}
}
