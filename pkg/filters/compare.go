package filters

import (
	"cmp"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// truth is a value where true or false is needed.
func truth(x any) bool {
	v := load(x)
	if v.kind != kindBool && v.kind != kindNil {
		fail("true or false is needed here, got %s", typeName(x))
	}
	return v.b
}

// result is the value of the whole expression.
func (k Kind) result(x any) bool {
	v := load(x)
	if v.kind != kindBool && v.kind != kindNil {
		fail("%s, this gave %s", k.must(), typeName(x))
	}
	return v.b
}

func isNil(x any) bool { return load(x).kind == kindNil }

// test is the body of a predicate that asks.
func (e *Evaluator) test(x any) bool {
	e.charge(1)
	return truth(x)
}

// kept is the body of filter.
func (e *Evaluator) kept(x any) bool {
	keep := e.test(x)
	if keep {
		e.grow(itemBytes)
	}
	return keep
}

// each is the body of map.
func (e *Evaluator) each(x any) any {
	e.charge(1)
	e.grow(itemBytes)
	return x
}

// equal compares by value; int and float are one type.
func (e *Evaluator) equal(a, b any) bool {
	x, y := load(a), load(b)
	if isSpecial(a) || isSpecial(b) {
		c, related := e.relate(a, b)
		return c == 0 && related >= matched
	}
	if x.kind != kindOther || y.kind != kindOther {
		return equalScalars(x, y)
	}
	if p, ok := a.(ref); ok {
		if q, ok := b.(ref); ok {
			if p.Kind() != q.Kind() {
				return false
			}
			if p.Raw() == q.Raw() {
				return true
			}
			if len(p.Raw()) < walkedBytes && len(q.Raw()) < walkedBytes {
				e.charge(1 + (len(p.Raw())+len(q.Raw()))/8)
				return sameJSON(*p.Value, *q.Value)
			}
		}
	}
	return e.equalDecoded(e.force(a), e.force(b))
}

// walkedBytes is up to what size two JSON values are compared without decoding them. Finding each member of one in the
// other takes quadratic time, which only pays for small ones.
const walkedBytes = 4 << 10

// sameJSON compares two values of any kind; the order of members does not count.
func sameJSON(a, b event.Value) bool {
	if a.Raw() == b.Raw() {
		return true
	}
	if a.Kind() != b.Kind() {
		return a.Kind() <= event.Null && b.Kind() <= event.Null
	}
	same, n := true, 0
	switch a.Kind() {
	case event.Array:
		a.Each(func(item event.Value) bool {
			same = sameJSON(item, b.Index(n))
			n++
			return same
		})
		return same && !b.Index(n).Exists()
	case event.ObjectKind:
		a.EachMember(func(key string, member event.Value) bool {
			other := b.Get(key)
			same = other.Exists() && sameJSON(member, other)
			n++
			return same
		})
		b.EachMember(func(string, event.Value) bool { n--; return true })
		return same && n == 0
	default:
		return equalScalars(loadJSON(a), loadJSON(b))
	}
}

func equalScalars(x, y value) bool {
	switch {
	case x.kind == kindInt && y.kind == kindInt:
		return x.i == y.i
	case x.isNumber() && y.isNumber():
		return x.float() == y.float()
	case x.kind != y.kind:
		return false
	}
	switch x.kind {
	case kindNil:
		return true
	case kindBool:
		return x.b == y.b
	case kindText:
		return x.s == y.s
	}
	return false
}

// equalDecoded compares lists, maps and times.
func (e *Evaluator) equalDecoded(a, b any) bool {
	e.charge(1)
	switch x := a.(type) {
	case []any, []int:
		if typeName(b) != "list" {
			return false
		}
		return e.equalLists(e.anyItems(x), e.anyItems(b))
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key := range x {
			other, ok := y[key]
			if !ok || !e.equalDecodedItem(x[key], other) {
				return false
			}
		}
		return true
	case time.Time:
		y, ok := b.(time.Time)
		return ok && x.Equal(y)
	default:
		return reflect.DeepEqual(a, b)
	}
}

func (e *Evaluator) equalLists(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !e.equalDecodedItem(a[i], b[i]) {
			return false
		}
	}
	return true
}

func (e *Evaluator) equalDecodedItem(a, b any) bool {
	if isSpecial(a) || isSpecial(b) {
		return e.equal(a, b)
	}
	x, y := load(a), load(b)
	if x.kind != kindOther || y.kind != kindOther {
		return equalScalars(x, y)
	}
	return e.equalDecoded(a, b)
}

// order compares for <, <=, > and >=; ok is false if a side is nil or no number.
func (e *Evaluator) order(operator string, a, b any) (c int, ok bool) {
	x, y := load(a), load(b)
	switch {
	case x.kind == kindNil || y.kind == kindNil:
		return 0, false
	case x.kind == kindInt && y.kind == kindInt:
		return cmp.Compare(x.i, y.i), true
	case x.isNumber() && y.isNumber():
		f, g := x.float(), y.float()
		return cmp.Compare(f, g), !math.IsNaN(f) && !math.IsNaN(g)
	case x.kind == kindText && y.kind == kindText:
		return strings.Compare(x.s, y.s), true
	}
	if s, ok := a.(time.Time); ok {
		if t, ok := b.(time.Time); ok {
			return s.Compare(t), true
		}
	}
	return e.orderSpecial(operator, a, b)
}

// in tells whether a list has an item, or an object a member.
func (e *Evaluator) in(needle, stack any) bool {
	x := load(needle)
	if x.kind == kindNil || stack == nil {
		return false
	}
	switch s := e.networkOf(needle, stack).(type) {
	case nil:
		return false
	case network:
		return e.holds(s, needle)
	case ref:
		switch s.Kind() {
		case event.ObjectKind:
			e.charge(1 + len(s.Raw())/64)
			return x.kind == kindText && s.Get(x.s).Exists()
		case event.Array:
			return e.inArray(x, needle, s.Value)
		}
	case map[string]any:
		_, found := s[x.s]
		return x.kind == kindText && found
	case []any, []int:
		for _, item := range e.anyItems(s) {
			e.charge(1)
			if e.equal(needle, item) {
				return true
			}
		}
		return false
	}
	fail(`"in" needs a list or an object on its right, got %s`, typeName(stack))
	return false
}

func (e *Evaluator) inArray(x value, needle any, array *event.Value) (found bool) {
	e.charge(1 + len(array.Raw())/64)
	array.Each(func(item event.Value) bool {
		if x.kind == kindOther {
			found = e.equal(needle, e.keep(item))
		} else {
			found = equalScalars(x, loadJSON(item))
		}
		return !found
	})
	return found
}

// textOperator makes contains, startsWith and endsWith.
func (e *Evaluator) textOperator(name string, test func(s, part string) bool) func(a, b any) bool {
	return func(a, b any) bool {
		x, y := load(a), load(b)
		if x.kind == kindNil || y.kind == kindNil {
			return false
		}
		if x.kind != kindText || y.kind != kindText {
			fail("%q needs two strings, got %s and %s", name, typeName(a), typeName(b))
		}
		e.charge(1 + len(x.s)/64)
		return test(x.s, y.s)
	}
}
