package outbound

import (
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"os"
	"sync"
)

// apiServers are the addresses of API servers that this process has heard of, each an
// [netip.AddrPort] without a zone, in IPv4 where it can be.
var apiServers sync.Map

// AddAPIServer has an API server's address refused from now on, with its port: on one machine there
// may be other servers. Without a port ("10.0.0.1") it is that of https. Names are left out, and
// loopback addresses, which a configuration has to name anyway.
func AddAPIServer(address string) {
	found, err := netip.ParseAddrPort(address)
	if err != nil {
		host, _ := netip.ParseAddr(address)
		found = netip.AddrPortFrom(host, 443)
	}
	if a := found.Addr().WithZone("").Unmap(); a.IsValid() && !a.IsLoopback() {
		apiServers.Store(netip.AddrPortFrom(a, found.Port()), nil)
	}
}

// APIServer returns a transport that has the addresses at which its requests reach an API server
// refused, as AddAPIServer does.
func APIServer(rt http.RoundTripper) http.RoundTripper { return &toAPIServer{rt} }

type toAPIServer struct{ rt http.RoundTripper }

func (t *toAPIServer) RoundTrip(req *http.Request) (*http.Response, error) {
	// A trace of its own: the library adds to it that of the request's context.
	trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		AddAPIServer(info.Conn.RemoteAddr().String())
	}}
	return t.rt.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
}

// WrappedRoundTripper lets client-go find the transport below, to close its idle connections.
func (t *toAPIServer) WrappedRoundTripper() http.RoundTripper { return t.rt }

// isAPIServer reports whether an address leads, in any form, to an API server: one that this
// process has heard of, or at any port that of the cluster it runs in.
func isAPIServer(address netip.AddrPort) bool {
	a := address.Addr().WithZone("").Unmap()
	own, _ := netip.ParseAddr(os.Getenv("KUBERNETES_SERVICE_HOST"))
	for _, a := range append(embedded(a), a) {
		if _, is := apiServers.Load(netip.AddrPortFrom(a, address.Port())); is || a == own.Unmap() {
			return true
		}
	}
	return false
}
