package filters

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
