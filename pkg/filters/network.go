package filters

import "net/netip"

// address and network are of IP. An IPv4 one that is written in IPv6 (::ffff:10.0.0.1) is IPv4.
type (
	address struct{ *netip.Addr }
	network struct{ *netip.Prefix }
)

func parseAddress(text string) any {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return nil
	}
	a = a.Unmap()
	return address{&a}
}

// parseNetwork takes 10.1.2.3/8 for 10.0.0.0/8.
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
	return network{&p}
}

func (address) typeName() string { return "ip" }

func (a address) text() string { return a.String() }

func (address) field(string) any { return nil }

func (network) typeName() string { return "cidr" }

func (n network) text() string { return n.String() }

func (network) field(string) any { return nil }
