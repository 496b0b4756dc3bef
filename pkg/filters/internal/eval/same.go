package eval

import "github.com/informerd/informerd/pkg/informer/object"

// comparedRaw is the size below which two JSON values are compared without decoding them. If
// their members are in different orders that takes quadratic time, which pays only for small
// values.
const comparedRaw = 4 << 10

// comparedValue is a member of an object, or an item of a list, that is being compared.
type comparedValue struct {
	key   string
	value object.Value
}

// sameJSON compares two values of any kind without decoding them; the order of members does
// not matter. Each level is paid for by its size, since it is walked separately.
func (e *Evaluator) sameJSON(a, b object.Value) bool {
	if a.Kind() != b.Kind() {
		return a.Kind() <= object.Null && b.Kind() <= object.Null
	}
	e.charge(1)
	if a.Kind() != object.Array && a.Kind() != object.ObjectKind {
		return e.equalScalars(e.loadJSON(a), e.loadJSON(b))
	}
	e.charge((len(a.Raw()) + len(b.Raw())) / itemizedBytes)
	if a.Raw() == b.Raw() {
		return true
	}
	start := len(e.compared)
	defer func() { e.compared = e.compared[:start] }()
	if a.Kind() == object.Array {
		return e.sameItems(a, b, start)
	}
	return e.sameMembers(a, b, start)
}

func (e *Evaluator) sameItems(a, b object.Value, start int) bool {
	b.Each(func(item object.Value) bool {
		e.compared = append(e.compared, comparedValue{value: item})
		return true
	})
	n, end := 0, len(e.compared)
	e.charge((end - start) / 2)
	same := true
	a.Each(func(item object.Value) bool {
		same = start+n < end && e.sameJSON(item, e.compared[start+n].value)
		n++
		return same
	})
	return same && start+n == end
}

func (e *Evaluator) sameMembers(a, b object.Value, start int) bool {
	b.EachMember(func(key string, member object.Value) bool {
		e.compared = append(e.compared, comparedValue{key, member})
		return true
	})
	n, end := 0, len(e.compared)
	e.charge(end - start)
	same := true
	a.EachMember(func(key string, member object.Value) bool {
		other := e.memberOf(start, n, key)
		same = other >= 0 && e.sameJSON(member, e.compared[other].value)
		n++
		return same
	})
	return same && start+n == end
}

// memberOf returns the place of a key among the members of b, searching first at the place
// that it has in a.
func (e *Evaluator) memberOf(start, n int, key string) int {
	members := e.compared[start:]
	if n < len(members) && members[n].key == key {
		return start + n
	}
	e.charge(len(members) / 16)
	for i := range members {
		if members[i].key == key {
			return start + i
		}
	}
	return -1
}
