package eval

import (
	"cmp"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// truth returns a value where true or false is needed.
func truth(x any) bool {
	v := values.Load(x)
	if v.Kind != values.KindBool && v.Kind != values.KindNil {
		fail("true or false is needed here, got %s", values.TypeName(x))
	}
	return v.Bool
}

// result returns the value of the whole expression.
func (e *Evaluator) result(x any) bool {
	v := values.Load(x)
	if v.Kind != values.KindBool && v.Kind != values.KindNil {
		fail("%s, this returned %s", e.program.Expression.Kind.Must(), values.TypeName(x))
	}
	return v.Bool
}

// equal compares by value; int and float are one type.
func (e *Evaluator) equal(a, b any) bool {
	x, y := e.load(a), e.load(b)
	if values.IsSpecial(a) || values.IsSpecial(b) {
		c, related := e.relate(a, b)
		return c == 0 && related >= equatable
	}
	if x.Kind != values.KindOther || y.Kind != values.KindOther {
		return e.equalScalars(x, y)
	}
	if p, ok := a.(values.Ref); ok {
		if q, ok := b.(values.Ref); ok {
			if p.Kind() != q.Kind() {
				return false
			}
			e.charge(len(p.Raw()) / comparedBytes)
			if p.Raw() == q.Raw() {
				return true
			}
			if len(p.Raw()) < comparedRaw && len(q.Raw()) < comparedRaw {
				return e.sameJSON(*p.Value, *q.Value)
			}
		}
	}
	return e.equalDecoded(e.force(a), e.force(b))
}

// equalScalars is values.EqualScalars, paid for.
func (e *Evaluator) equalScalars(x, y values.Value) bool {
	if x.Kind == values.KindText && y.Kind == values.KindText && len(x.Text) == len(y.Text) {
		e.charge(len(x.Text) / comparedBytes)
	}
	return values.EqualScalars(x, y)
}

// equalDecoded compares lists, maps and times.
func (e *Evaluator) equalDecoded(a, b any) bool {
	e.charge(1)
	switch x := a.(type) {
	case []any, []int:
		return values.TypeName(b) == "list" && e.equalLists(e.anyItems(x), e.anyItems(b))
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
	if values.IsSpecial(a) || values.IsSpecial(b) {
		return e.equal(a, b)
	}
	e.charge(1)
	x, y := e.load(a), e.load(b)
	if x.Kind != values.KindOther || y.Kind != values.KindOther {
		return e.equalScalars(x, y)
	}
	return e.equalDecoded(a, b)
}

// order compares for <, <=, > and >=; ok is false if a side is nil or not a number.
func (e *Evaluator) order(operator string, a, b any) (c int, ok bool) {
	x, y := e.load(a), e.load(b)
	switch {
	case x.Kind == values.KindNil || y.Kind == values.KindNil:
		return 0, false
	case x.Kind == values.KindInt && y.Kind == values.KindInt:
		return cmp.Compare(x.Int, y.Int), true
	case x.IsNumber() && y.IsNumber():
		f, g := x.AsFloat(), y.AsFloat()
		return cmp.Compare(f, g), !math.IsNaN(f) && !math.IsNaN(g)
	case x.Kind == values.KindText && y.Kind == values.KindText:
		e.charge(min(len(x.Text), len(y.Text)) / comparedBytes)
		return strings.Compare(x.Text, y.Text), true
	}
	if s, ok := a.(time.Time); ok {
		if t, ok := b.(time.Time); ok {
			return s.Compare(t), true
		}
	}
	return e.orderSpecial(operator, a, b)
}

// in reports whether a list has an item, or an object a member.
func (e *Evaluator) in(needle, stack any) bool {
	x := e.load(needle)
	if x.Kind == values.KindNil || stack == nil {
		return false
	}
	switch s := e.networkOf(needle, stack).(type) {
	case nil:
		return false
	case values.Network:
		return e.holds(s, needle)
	case values.Ref:
		switch s.Kind() {
		case object.ObjectKind:
			e.charge(1 + len(s.Raw())/scannedBytes)
			return x.Kind == values.KindText && s.Get(x.Text).Exists()
		case object.Array:
			return e.inArray(x, needle, s.Value)
		}
	case map[string]any:
		_, found := s[x.Text]
		return x.Kind == values.KindText && found
	case []any, []int:
		for _, item := range e.anyItems(s) {
			e.charge(1)
			if e.equal(needle, item) {
				return true
			}
		}
		return false
	}
	fail(`"in" needs a list or an object on its right, got %s`, values.TypeName(stack))
	return false
}

func (e *Evaluator) inArray(x values.Value, needle any, array *object.Value) (found bool) {
	e.charge(1 + len(array.Raw())/scannedBytes)
	array.Each(func(item object.Value) bool {
		e.charge(2)
		if x.Kind == values.KindOther {
			found = e.equal(needle, e.keep(item))
		} else {
			found = e.equalScalars(x, e.loadJSON(item))
		}
		return !found
	})
	return found
}

// textOperator returns contains, startsWith or endsWith.
func (e *Evaluator) textOperator(name string, test func(s, part string) bool) func(a, b any) bool {
	return func(a, b any) bool {
		x, y := e.load(a), e.load(b)
		if x.Kind == values.KindNil || y.Kind == values.KindNil {
			return false
		}
		if x.Kind != values.KindText || y.Kind != values.KindText {
			fail("%q needs two strings, got %s and %s", name, values.TypeName(a),
				values.TypeName(b))
		}
		e.charge(1 + len(x.Text)/scannedBytes)
		return test(x.Text, y.Text)
	}
}
