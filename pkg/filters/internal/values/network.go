package values

import "net/netip"

// Address and Network are of IP. An IPv4 address in IPv6 (::ffff:10.0.0.1) is that IPv4 address.
type (
	Address struct{ *netip.Addr }
	Network struct{ *netip.Prefix }
)

func parseAddress(text string) any {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return nil
	}
	a = a.Unmap()
	return Address{&a}
}

// parseNetwork reads 10.1.2.3/8 as 10.0.0.0/8.
func parseNetwork(text string) any {
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return nil
	}
	if a := p.Addr(); a.Is4In6() {
		if p.Bits() < 96 {
			return nil // more than IPv4
		}
		p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
	}
	p = p.Masked()
	return Network{&p}
}

func (Address) typeName() string { return "ip" }

func (a Address) Text() string { return a.String() }

func (Network) typeName() string { return "cidr" }

func (n Network) Text() string { return n.String() }
