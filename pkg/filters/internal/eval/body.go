package eval

// body returns the function that takes the values of the body of a predicate's function, which has
// so many nodes. The nodes are paid for item by item, whether they are evaluated or not: operations
// alone do not pay for work that depends on nothing but the number of items.
func (e *Evaluator) body(function string, nodes int) any {
	switch function {
	case "map":
		return func(x any) any {
			e.charge(nodes)
			e.grow(itemBytes)
			return x
		}
	case "filter":
		return func(x any) bool {
			e.charge(nodes)
			keep := truth(x)
			if keep {
				e.grow(itemBytes)
			}
			return keep
		}
	case "sum":
		return func(x any) bool {
			e.charge(nodes)
			return e.add(x)
		}
	case "findLast", "findLastIndex":
		return func(matches, item any) bool {
			e.charge(nodes)
			return e.found(matches, item)
		}
	default: // they must be true or false
		return func(x any) bool {
			e.charge(nodes)
			return truth(x)
		}
	}
}
