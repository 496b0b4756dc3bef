package eval

// eachKind is what is done with the value of a predicate's body for an item.
type eachKind uint8

const (
	eachTested eachKind = iota // it must be true or false
	eachMapped
	eachKept
	eachAdded
	eachFound
)

// body returns the function that takes the values of a predicate's body, which has so many
// nodes. The nodes are paid for item by item, whether they are evaluated or not: operations
// alone do not pay for work that depends on nothing but the number of items.
func (e *Evaluator) body(each eachKind, nodes int) any {
	switch each {
	case eachMapped:
		return func(x any) any {
			e.charge(nodes)
			e.grow(itemBytes)
			return x
		}
	case eachKept:
		return func(x any) bool {
			e.charge(nodes)
			keep := truth(x)
			if keep {
				e.grow(itemBytes)
			}
			return keep
		}
	case eachAdded:
		return func(x any) bool {
			e.charge(nodes)
			return e.add(x)
		}
	case eachFound:
		return func(matches, item any) bool {
			e.charge(nodes)
			return e.found(matches, item)
		}
	default:
		return func(x any) bool {
			e.charge(nodes)
			return truth(x)
		}
	}
}
