package wire

import (
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"

	"github.com/informerd/informerd/internal/backoff"
)

// readBuffer is what an HTTP/1.1 connection reads at once. With net/http's own 4 KiB an event of 10
// KB takes two reads when the server is ahead and four when it is not; with 32 KiB it takes a third
// of one, and two. That is 15 % of reading an event in a burst, and 4 to 9 % of reading and parsing
// it. More brings nothing, see BenchmarkWatch. Over TLS it changes nothing, as a read ends with a
// record, and HTTP/2 does not look at it; a buffer of the same size below TLS saved up to two reads
// of three, and no time.
const readBuffer = 64 << 10

// httpClientFor returns what rest.HTTPClientFor does, with connections that are the caller's alone
// and read in large pieces, and with a note of when the server wants to be asked again.
// Everything else is client-go's: credentials and their rotation, proxies, and the pings that find
// out that an HTTP/2 connection is dead. A Transport that cfg brings is used as it is.
func httpClientFor(cfg *rest.Config) (*http.Client, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.WrapTransport = transport.Wrappers(backoff.Transport, cfg.WrapTransport)
	if cfg.Transport != nil {
		return rest.HTTPClientFor(cfg)
	}
	if cfg.Proxy == nil {
		// The default, and yet client-go shares no transport that has a proxy function, as it
		// cannot compare functions: so there is one that can be changed. Without one, it would even
		// use http.DefaultTransport for http://, which asks for compression whatever cfg says.
		cfg.Proxy = http.ProxyFromEnvironment
	}
	// The first wrapper gets the transport itself, before any request.
	cfg.WrapTransport = transport.Wrappers(readInLargePieces, cfg.WrapTransport)
	return rest.HTTPClientFor(cfg)
}

func readInLargePieces(rt http.RoundTripper) http.RoundTripper {
	if t := innermost(rt); t != nil {
		t.ReadBufferSize = readBuffer
	}
	return rt
}

// innermost returns the transport that opens the connections, nil if something else does.
func innermost(rt http.RoundTripper) *http.Transport {
	for {
		switch t := rt.(type) {
		case *http.Transport:
			return t
		case utilnet.RoundTripperWrapper:
			rt = t.WrappedRoundTripper()
		default:
			return nil
		}
	}
}
