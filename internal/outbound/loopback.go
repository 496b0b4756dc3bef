package outbound

import (
	"net/netip"
	"strings"
)

// Loopback reports whether a host, without a port, is this machine and nobody else, as far as that
// can be said without asking anybody.
//
// What is promised:
//   - Of names, only localhost is: others may resolve to any address.
//   - An address is, if it is a loopback address of IPv4 or IPv6.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
