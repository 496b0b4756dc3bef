package eval

// Each is what is done with the body's value of one item of a list.
type Each uint8

const (
	EachTested Each = iota // it must be true or false
	EachMapped
	EachKept
	EachAdded
	EachFound
)

// body returns the function that takes the values of a predicate's body, which has so many nodes.
// They are paid for item by item, be they evaluated or not: the operations alone do not pay for
// what takes the same time whatever they work on.
func (e *Evaluator) body(each Each, nodes int) any {
	switch each {
	case EachMapped:
		return func(x any) any {
			e.charge(nodes)
			e.grow(itemBytes)
			return x
		}
	case EachKept:
		return func(x any) bool {
			e.charge(nodes)
			keep := truth(x)
			if keep {
				e.grow(itemBytes)
			}
			return keep
		}
	case EachAdded:
		return func(x any) bool {
			e.charge(nodes)
			return e.add(x)
		}
	case EachFound:
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
