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

// holds tells whether an address, or all of a network, is in the network. Texts are read as either.
func (e *Evaluator) holds(n network, needle any) bool {
	if v := e.load(needle); v.kind == kindText {
		if needle = e.parse(parseAddresses, v.s); needle == nil {
			needle = e.parse(parseNetworks, v.s)
		}
	}
	switch x := needle.(type) {
	case nil:
		return false
	case address:
		return n.Contains(x.WithZone(""))
	case network:
		return n.Bits() <= x.Bits() && n.Contains(x.Addr())
	}
	fail(`"in" needs an ip or a cidr before a cidr, got %s`, typeName(needle))
	return false
}

// networkOf reads a text as a network if an address or a network is looked for in it.
func (e *Evaluator) networkOf(needle, stack any) any {
	switch needle.(type) {
	case address, network:
		if v := e.load(stack); v.kind == kindText {
			return e.parse(parseNetworks, v.s)
		}
	}
	return stack
}
