package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
)

// local is the one name that always means loopback addresses, so that it names them.
const local = "localhost"

// ParseURL reads the URL of an output. Its errors do not hold the URL, in which there may be a
// secret.
func ParseURL(text string) (*url.URL, error) {
	root := ""
	if u, err := url.Parse(text); err == nil && strings.HasSuffix(u.Hostname(), ".") {
		u.Host = strings.Replace(u.Host, u.Hostname(), strings.TrimSuffix(u.Hostname(), "."), 1)
		root, text = ".", u.String()
	}
	t, err := parseServer(text)
	switch {
	case err != nil:
		return nil, err
	case strings.Contains(text, "#"):
		return nil, errors.New("it has a fragment, which is never sent: remove it from the # on")
	case t.host != local:
		if err := t.checkName(); err != nil {
			return nil, err
		}
	}
	if root != "" { // the name of a domain that is not searched for in others
		t.host += root
		t.url.Host = t.address()
	}
	return t.url, nil
}

// Dialer connects to where an output's configuration leads. Unlike a grant's Client it reaches
// private addresses, as of services in a cluster.
type Dialer struct {
	// Resolver is nil, unless names are to be looked up in another way than the system's.
	Resolver *net.Resolver
}

// DialContext connects, and checks the address that it really connects to.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, _ := net.SplitHostPort(address)
	return dial(ctx, d.Resolver, network, address, func(found netip.AddrPort, named netip.Addr) error {
		if strings.TrimSuffix(host, ".") == local && found.Addr().Unmap().IsLoopback() {
			return nil
		}
		return reachOutput(found, named)
	})
}

// reachOutput returns what is wrong with connecting an output to an address, which its
// configuration names or not.
func reachOutput(found netip.AddrPort, named netip.Addr) error {
	address := found.Addr()
	if address.Unmap() == named {
		return nil
	}
	if isAPIServer(found) {
		return denied("%s is the cluster's API server, which the output does not name", address)
	}
	if why := refusal(address); why != "" {
		return denied("%s is %s, which the output does not name", address, why)
	}
	return nil
}

// Transport returns a transport for an output. It follows nothing, takes no proxy from the
// environment and decompresses nothing; its owner sets what else it needs, and closes its idle
// connections in the end.
func (d *Dialer) Transport() *http.Transport {
	return &http.Transport{
		DialContext:            d.DialContext,
		TLSHandshakeTimeout:    connectTimeout,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxAnswerHead,
		IdleConnTimeout:        idleTimeout,
	}
}

// dial connects to the first address of a host that the check allows. The check gets the address
// and the one that the host is, which is not valid if it is a name.
func dial(ctx context.Context, resolver *net.Resolver, network, address string,
	check func(found netip.AddrPort, named netip.Addr) error) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	named, _ := netip.ParseAddr(host)
	named = named.Unmap()
	d := net.Dialer{
		Timeout:  connectTimeout,
		Resolver: resolver,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			found, err := netip.ParseAddrPort(address)
			if err != nil {
				return denied("the address is none")
			}
			return check(found, named)
		},
	}
	return d.DialContext(ctx, network, address)
}
