package eval

import "github.com/informerd/informerd/pkg/informer/object"

// walkedBytes is up to what size two JSON values are compared without decoding them. Where their
// members are in different orders that takes quadratic time, which only pays for small ones.
const walkedBytes = 4 << 10

// walked is a member of an object, or an item of a list, that is compared with another value's.
type walked struct {
	key   string
	value object.Value
}

// sameJSON compares two values of any kind without decoding them; the order of members does not
// count. Each level of them is paid for by its size, since it is gone over for itself.
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
	start := len(e.walked)
	defer func() { e.walked = e.walked[:start] }()
	if a.Kind() == object.Array {
		return e.sameItems(a, b, start)
	}
	return e.sameMembers(a, b, start)
}

func (e *Evaluator) sameItems(a, b object.Value, start int) bool {
	b.Each(func(item object.Value) bool {
		e.walked = append(e.walked, walked{value: item})
		return true
	})
	n, end := 0, len(e.walked)
	e.charge((end - start) / 2)
	same := true
	a.Each(func(item object.Value) bool {
		same = start+n < end && e.sameJSON(item, e.walked[start+n].value)
		n++
		return same
	})
	return same && start+n == end
}

func (e *Evaluator) sameMembers(a, b object.Value, start int) bool {
	b.EachMember(func(key string, member object.Value) bool {
		e.walked = append(e.walked, walked{key, member})
		return true
	})
	n, end := 0, len(e.walked)
	e.charge(end - start)
	same := true
	a.EachMember(func(key string, member object.Value) bool {
		other := e.memberNear(start, n, key)
		same = other >= 0 && e.sameJSON(member, e.walked[other].value)
		n++
		return same
	})
	return same && start+n == end
}

// memberNear looks for a key among those of b, first at the place where it is in a.
func (e *Evaluator) memberNear(start, n int, key string) int {
	members := e.walked[start:]
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
