package eval

import (
	"math"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// quantityOf returns a number as a quantity.
func (e *Evaluator) quantityOf(v values.Value) any {
	e.charge(4)
	if v.Kind == values.KindInt {
		return values.Quantity{Quantity: resource.NewQuantity(int64(v.Int), resource.DecimalSI)}
	}
	if math.IsNaN(v.Float) || math.Abs(v.Float) > values.Largest {
		return nil
	}
	// quantities have as many places
	return values.ParseQuantity(strconv.FormatFloat(v.Float, 'f', 9, 64))
}

// quantityArithmetic adds, subtracts and multiplies; ok is false if it does not know the
// operation.
func (e *Evaluator) quantityArithmetic(operator string, a, b any) (result any, ok bool) {
	x, isX := a.(values.Quantity)
	y, isY := b.(values.Quantity)
	if !isX && !isY {
		return nil, false
	}
	e.charge(10)
	switch operator {
	case "+", "-":
		a, b = e.asTypeOf(a, values.Quantity{}), e.asTypeOf(b, values.Quantity{})
		if a == nil || b == nil {
			return nil, true // a number out of bounds, or not a valid text
		}
		x, isX = a.(values.Quantity)
		y, isY = b.(values.Quantity)
		if !isX || !isY {
			return nil, false
		}
		sum, other := x.Quantity.DeepCopy(), *y.Quantity
		if operator == "+" {
			sum.Add(other)
		} else {
			sum.Sub(other)
		}
		return values.Bounded(sum), true
	case "*":
		if v := e.load(b); isX && v.IsNumber() {
			return e.multiply(x, v), true
		}
		if v := e.load(a); isY && v.IsNumber() {
			return e.multiply(y, v), true
		}
	}
	return nil, false
}

func (e *Evaluator) multiply(q values.Quantity, by values.Value) any {
	e.charge(10)
	product := q.Quantity.DeepCopy()
	if by.Kind == values.KindInt {
		product.Mul(int64(by.Int))
		return values.Bounded(product)
	}
	factor, ok := e.quantityOf(by).(values.Quantity)
	if !ok {
		return nil
	}
	f, dec := *factor.Quantity, product.AsDec()
	dec.Mul(dec, f.AsDec())
	product.RoundUp(resource.Nano)
	return values.Bounded(product)
}
