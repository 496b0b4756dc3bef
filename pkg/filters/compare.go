package filters

import (
	"cmp"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/object"
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
func (e *Evaluator) result(x any) bool {
	v := load(x)
	if v.kind != kindBool && v.kind != kindNil {
		fail("%s, this returned %s", e.program.Expression.Kind.must(), typeName(x))
	}
	return v.b
}

// equal compares by value; int and float are one type.
func (e *Evaluator) equal(a, b any) bool {
	x, y := e.load(a), e.load(b)
	if isSpecial(a) || isSpecial(b) {
		c, related := e.relate(a, b)
		return c == 0 && related >= matched
	}
	if x.kind != kindOther || y.kind != kindOther {
		return e.equalScalars(x, y)
	}
	if p, ok := a.(ref); ok {
		if q, ok := b.(ref); ok {
			if p.Kind() != q.Kind() {
				return false
			}
			e.charge(len(p.Raw()) / comparedBytes)
			if p.Raw() == q.Raw() {
				return true
			}
			if len(p.Raw()) < walkedBytes && len(q.Raw()) < walkedBytes {
				return e.sameJSON(*p.Value, *q.Value)
			}
		}
	}
	return e.equalDecoded(e.force(a), e.force(b))
}

// equalScalars is the function of that name, paid for.
func (e *Evaluator) equalScalars(x, y value) bool {
	if x.kind == kindText && y.kind == kindText && len(x.s) == len(y.s) {
		e.charge(len(x.s) / comparedBytes)
	}
	return equalScalars(x, y)
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
	e.charge(1)
	x, y := e.load(a), e.load(b)
	if x.kind != kindOther || y.kind != kindOther {
		return e.equalScalars(x, y)
	}
	return e.equalDecoded(a, b)
}

// order compares for <, <=, > and >=; ok is false if a side is nil or no number.
func (e *Evaluator) order(operator string, a, b any) (c int, ok bool) {
	x, y := e.load(a), e.load(b)
	switch {
	case x.kind == kindNil || y.kind == kindNil:
		return 0, false
	case x.kind == kindInt && y.kind == kindInt:
		return cmp.Compare(x.i, y.i), true
	case x.isNumber() && y.isNumber():
		f, g := x.float(), y.float()
		return cmp.Compare(f, g), !math.IsNaN(f) && !math.IsNaN(g)
	case x.kind == kindText && y.kind == kindText:
		e.charge(min(len(x.s), len(y.s)) / comparedBytes)
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
	x := e.load(needle)
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
		case object.ObjectKind:
			e.charge(1 + len(s.Raw())/scannedBytes)
			return x.kind == kindText && s.Get(x.s).Exists()
		case object.Array:
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

func (e *Evaluator) inArray(x value, needle any, array *object.Value) (found bool) {
	e.charge(1 + len(array.Raw())/scannedBytes)
	array.Each(func(item object.Value) bool {
		e.charge(2)
		if x.kind == kindOther {
			found = e.equal(needle, e.keep(item))
		} else {
			found = e.equalScalars(x, e.loadJSON(item))
		}
		return !found
	})
	return found
}

// textOperator makes contains, startsWith and endsWith.
func (e *Evaluator) textOperator(name string, test func(s, part string) bool) func(a, b any) bool {
	return func(a, b any) bool {
		x, y := e.load(a), e.load(b)
		if x.kind == kindNil || y.kind == kindNil {
			return false
		}
		if x.kind != kindText || y.kind != kindText {
			fail("%q needs two strings, got %s and %s", name, typeName(a), typeName(b))
		}
		e.charge(1 + len(x.s)/scannedBytes)
		return test(x.s, y.s)
	}
}
