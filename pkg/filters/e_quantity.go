package filters

import (
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// quantityOf makes a number a quantity.
func (e *Evaluator) quantityOf(v value) any {
	e.charge(4)
	if v.kind == kindInt {
		return quantity{resource.NewQuantity(int64(v.i), resource.DecimalSI)}
	}
	if math.IsNaN(v.f) || math.Abs(v.f) > largest {
		return nil
	}
	return parseQuantity(strconv.FormatFloat(v.f, 'f', 9, 64)) // as many places as quantities have
}

// quantityArithmetic adds, subtracts and multiplies; ok is false if it does not know the operation.
func (e *Evaluator) quantityArithmetic(operator string, a, b any) (result any, ok bool) {
	x, isX := a.(quantity)
	y, isY := b.(quantity)
	if !isX && !isY {
		return nil, false
	}
	e.charge(10)
	switch operator {
	case "+", "-":
		a, b = e.likeness(a, quantity{}), e.likeness(b, quantity{})
		if a == nil || b == nil {
			return nil, true // a number out of bounds, or a text that is no quantity
		}
		x, isX = a.(quantity)
		y, isY = b.(quantity)
		if !isX || !isY {
			return nil, false
		}
		sum, other := x.Quantity.DeepCopy(), *y.Quantity
		if operator == "+" {
			sum.Add(other)
		} else {
			sum.Sub(other)
		}
		return bounded(sum), true
	case "*":
		if v := e.load(b); isX && v.isNumber() {
			return e.multiply(x, v), true
		}
		if v := e.load(a); isY && v.isNumber() {
			return e.multiply(y, v), true
		}
	}
	return nil, false
}

func (e *Evaluator) multiply(q quantity, by value) any {
	e.charge(10)
	product := q.Quantity.DeepCopy()
	if by.kind == kindInt {
		product.Mul(int64(by.i))
		return bounded(product)
	}
	factor, ok := e.quantityOf(by).(quantity)
	if !ok {
		return nil
	}
	f, dec := *factor.Quantity, product.AsDec()
	dec.Mul(dec, f.AsDec())
	product.RoundUp(resource.Nano)
	return bounded(product)
}
