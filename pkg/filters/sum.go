package filters

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
)

// total is what a sum has come to.
type total struct {
	of      any // a value of the type that is added: nil, 0, 0.0, a duration or a quantity
	whole   int
	float   float64
	amount  resource.Quantity
	elapsed time.Duration
	beyond  bool // of a quantity's bounds
}

func (e *Evaluator) beginSum() any {
	e.functions.sums = append(e.functions.sums, total{})
	return nil
}

// add is the body of sum: nil counts nothing.
func (e *Evaluator) add(x any) bool {
	t := &e.functions.sums[len(e.functions.sums)-1]
	switch v := e.load(x); v.kind {
	case kindNil:
		return false
	case kindInt, kindFloat:
		e.addNumber(t, v)
		return false
	}
	switch x := x.(type) {
	case quantity:
		if typeName(t.of) == "duration" {
			break
		}
		e.charge(4)
		if t.of == nil {
			t.amount = x.DeepCopy()
		} else {
			t.toQuantity(e)
			t.amount.Add(*x.Quantity)
		}
		t.of = quantity{}
		return false
	case time.Duration:
		if t.of == nil || typeName(t.of) == "duration" {
			t.elapsed += x
			t.of = time.Duration(0)
			return false
		}
	default:
		fail("sum adds numbers, quantities or durations, got %s", typeName(x))
	}
	t.mixed(x)
	return false
}

func (e *Evaluator) addNumber(t *total, v value) {
	switch t.of.(type) {
	case nil, int:
		if t.of = 0; v.kind == kindInt {
			t.whole += v.i
			return
		}
		t.of, t.float = 0.0, float64(t.whole)+v.f
	case float64:
		t.float += v.float()
	case quantity:
		t.addQuantity(e.quantityOf(v))
	default:
		t.mixed(v.i)
	}
}

// toQuantity makes a quantity of numbers that came before the first one.
func (t *total) toQuantity(e *Evaluator) {
	var before value
	switch t.of.(type) {
	case int:
		before = value{kind: kindInt, i: t.whole}
	case float64:
		before = value{kind: kindFloat, f: t.float}
	default:
		return
	}
	t.addQuantity(e.quantityOf(before))
}

// addQuantity adds what quantityOf returned; nil is a number that is no quantity.
func (t *total) addQuantity(x any) {
	q, ok := x.(quantity)
	if !ok {
		t.beyond = true
		return
	}
	t.amount.Add(*q.Quantity)
}

func (t *total) mixed(x any) {
	fail("sum cannot add %s and %s", typeName(t.of), typeName(x))
}

// sum ends what beginSum began.
func (e *Evaluator) sum(any, any) any {
	last := len(e.functions.sums) - 1
	t := e.functions.sums[last]
	e.functions.sums = e.functions.sums[:last]
	switch t.of.(type) {
	case float64:
		return t.float
	case quantity:
		if t.beyond {
			return nil
		}
		return bounded(t.amount)
	case time.Duration:
		return t.elapsed
	default:
		return t.whole
	}
}
