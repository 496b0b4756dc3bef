package eval

import "github.com/informerd/informerd/pkg/filters/internal/values"

// holds reports whether an address, or a whole network, is in the network. Texts are read as
// either.
func (e *Evaluator) holds(n values.Network, needle any) bool {
	if v := e.load(needle); v.Kind == values.KindText {
		if needle = e.parse(values.Addresses, v.Text); needle == nil {
			needle = e.parse(values.Networks, v.Text)
		}
	}
	switch x := needle.(type) {
	case nil:
		return false
	case values.Address:
		return n.Contains(x.WithZone(""))
	case values.Network:
		return n.Bits() <= x.Bits() && n.Contains(x.Addr())
	}
	fail(`"in" needs an ip or a cidr before a cidr, got %s`, values.TypeName(needle))
	return false
}

// networkOf reads a text as a network if it is searched for an address or a network.
func (e *Evaluator) networkOf(needle, stack any) any {
	switch needle.(type) {
	case values.Address, values.Network:
		if v := e.load(stack); v.Kind == values.KindText {
			return e.parse(values.Networks, v.Text)
		}
	}
	return stack
}
