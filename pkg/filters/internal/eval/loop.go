package eval

import (
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// loop is what sum, findLast or findLastIndex has so far.
type loop struct {
	of      any // a value of the type that is added: nil, 0, 0.0, a duration or a quantity
	whole   int
	float   float64
	amount  resource.Quantity
	elapsed time.Duration
	beyond  bool // out of a quantity's bounds

	items int // looked at
	found bool
	index int
	item  any
}

func (e *Evaluator) beginLoop() any {
	e.functions.loops = append(e.functions.loops, loop{})
	return nil
}

// loop returns the innermost one.
func (e *Evaluator) loop() *loop { return &e.functions.loops[len(e.functions.loops)-1] }

// endLoop ends what beginLoop began.
func (e *Evaluator) endLoop() loop {
	l := *e.loop()
	*e.loop() = loop{}
	e.functions.loops = e.functions.loops[:len(e.functions.loops)-1]
	return l
}

// add takes the values of the body of sum: nil counts nothing.
func (e *Evaluator) add(x any) bool {
	t := e.loop()
	switch v := e.load(x); v.Kind {
	case values.KindNil:
		return false
	case values.KindInt, values.KindFloat:
		e.addNumber(t, v)
		return false
	}
	switch x := x.(type) {
	case values.Quantity:
		if values.TypeName(t.of) == "duration" {
			break
		}
		e.charge(4)
		t.toQuantity(e)
		t.amount.Add(*x.Quantity)
		t.of = values.Quantity{}
		return false
	case time.Duration:
		if t.of == nil || values.TypeName(t.of) == "duration" {
			sum, within := sumOfDurations(t.elapsed, x).(time.Duration)
			t.elapsed, t.beyond = sum, t.beyond || !within
			t.of = time.Duration(0)
			return false
		}
	default:
		fail("sum adds numbers, quantities or durations, got %s", values.TypeName(x))
	}
	t.mixed(x)
	return false
}

func (e *Evaluator) addNumber(t *loop, v values.Value) {
	switch t.of.(type) {
	case nil, int:
		if t.of = 0; v.Kind == values.KindInt {
			t.whole = intArithmetic("+", t.whole, v.Int).(int)
			return
		}
		t.of, t.float = 0.0, float64(t.whole)+v.Float
	case float64:
		t.float += v.AsFloat()
	case values.Quantity:
		t.addQuantity(e.quantityOf(v))
	default:
		t.mixed(v.Int)
	}
}

// toQuantity converts the numbers that came before the first quantity.
func (t *loop) toQuantity(e *Evaluator) {
	var before values.Value
	switch t.of.(type) {
	case int:
		before = values.Value{Kind: values.KindInt, Int: t.whole}
	case float64:
		before = values.Value{Kind: values.KindFloat, Float: t.float}
	default:
		return
	}
	t.addQuantity(e.quantityOf(before))
}

// addQuantity adds what quantityOf returned; nil stands for a number out of bounds.
func (t *loop) addQuantity(x any) {
	q, ok := x.(values.Quantity)
	if !ok {
		t.beyond = true
		return
	}
	t.amount.Add(*q.Quantity)
}

func (t *loop) mixed(x any) {
	fail("sum cannot add %s and %s", values.TypeName(t.of), values.TypeName(x))
}

func (e *Evaluator) sum(any, any) any {
	t := e.endLoop()
	switch t.of.(type) {
	case float64:
		return t.float
	case values.Quantity:
		if t.beyond {
			return nil
		}
		return values.Bounded(t.amount)
	case time.Duration:
		if t.beyond {
			return nil
		}
		return t.elapsed
	default:
		return t.whole
	}
}

// found takes the values of the body of findLast and findLastIndex.
func (e *Evaluator) found(matches, item any) bool {
	l := e.loop()
	if truth(matches) {
		l.found, l.index, l.item = true, l.items, item
	}
	l.items++
	return false
}

func (e *Evaluator) findLast(any, any) any { return e.endLoop().item }

func (e *Evaluator) findLastIndex(any, any) any {
	if l := e.endLoop(); l.found {
		return l.index
	}
	return nil
}
