package outbound

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"testing"
)

// at is a connection to a server that seems to have another address.
type at struct {
	net.Conn
	address net.TCPAddr
}

func (c at) RemoteAddr() net.Addr { return &c.address }

// What informerd reached as an API server, or what one said of itself, is refused to handlers and
// to names of outputs, in every form of the address and at its port alone.
func TestAPIServersAreRefused(t *testing.T) {
	t.Cleanup(apiServers.Clear)
	url := server(t, func(http.ResponseWriter, *http.Request) {})
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string,
	) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		return at{c, net.TCPAddr{IP: net.IPv4(10, 7, 0, 1), Port: 6443}}, err
	}}
	defer transport.CloseIdleConnections()
	traced := 0   // by the caller, once with each request
	for range 2 { // a connection that is used again, too
		apiServers.Clear()
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn: func(httptrace.GotConnInfo) { traced++ }})
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := (&http.Client{Transport: APIServer(transport)}).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
	}
	if traced != 2 {
		t.Errorf("the caller's traces were told %d times, want 2", traced)
	}
	for _, said := range []string{"172.18.0.2:6443", "10.9.9.9", "[fd00::7%eth0]:6443",
		"127.0.0.1:6443", "api.example.com:443", "", ":443", "10.9.9.8:port"} {
		AddAPIServer(said)
	}

	c := client(t, Config{Allow: []string{"https://10.7.0.1:6443/"}, Private: true})
	for text, want := range map[string]bool{
		"10.7.0.1:6443": true, "[::ffff:10.7.0.1]:6443": true, "[64:ff9b::a07:1]:6443": true,
		"[2002:a07:1::]:6443": true, "10.7.0.1:443": false, "10.7.0.2:6443": false,
		"172.18.0.2:6443": true, "172.18.0.2:443": false, "10.9.9.9:443": true,
		"10.9.9.8:443": false, "[fd00::7]:6443": true, "[fd00::7%1]:6443": true,
	} {
		address := netip.MustParseAddrPort(text)
		if err := c.reach(address, address.Addr().Unmap(), "https"); (err != nil) != want {
			t.Errorf("a handler, %s: got %v, want refused %v", text, err, want)
		}
		if err := reachOutput(address, netip.Addr{}); (err != nil) != want {
			t.Errorf("an output, %s by name: got %v, want refused %v", text, err, want)
		}
		if err := reachOutput(address, address.Addr().Unmap()); err != nil {
			t.Errorf("an output that names %s: got %v", text, err)
		}
	}
	if isAPIServer(netip.MustParseAddrPort("127.0.0.1:6443")) {
		t.Error("a loopback address is remembered")
	}
}
