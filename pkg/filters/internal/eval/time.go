package eval

import (
	"math"
	"time"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// age returns the time since x, negative if x is in the future.
func (e *Evaluator) age(x any) any {
	since, ok := x.(time.Time)
	if !ok {
		v := e.load(x)
		if v.Kind == values.KindNil {
			return nil
		}
		if v.Kind != values.KindText {
			fail("age cannot take %s", values.TypeName(x))
		}
		e.charge(2)
		if len(v.Text) > 64 {
			return nil
		}
		var err error
		if since, err = time.Parse(time.RFC3339, v.Text); err != nil {
			return nil
		}
	}
	return e.eventTime().Sub(since)
}

// timeArithmetic calculates with dates and durations. A text next to a duration is read as
// one. A duration beyond 64 bits of nanoseconds is nil.
func (e *Evaluator) timeArithmetic(operator string, a, b any) any {
	e.charge(2)
	if operator == "+" || operator == "-" {
		if _, ok := a.(time.Duration); ok {
			b = e.asTypeOf(b, a)
		} else if _, ok := b.(time.Duration); ok {
			a = e.asTypeOf(a, b)
		}
		if a == nil || b == nil {
			return nil
		}
	}
	from, isDate := a.(time.Time)
	to, byDate := b.(time.Time)
	x, isSpan := a.(time.Duration)
	y, bySpan := b.(time.Duration)
	switch v, w := e.load(a), e.load(b); {
	case operator == "-" && isDate && byDate:
		return from.Sub(to)
	case operator == "+" && isDate && bySpan:
		return from.Add(y)
	case operator == "-" && isDate && bySpan:
		return from.Add(-y)
	case operator == "+" && isSpan && byDate:
		return to.Add(x)
	case operator == "+" && isSpan && bySpan:
		return sumOfDurations(x, y)
	case operator == "-" && isSpan && bySpan:
		if difference := x - y; difference < x == (y > 0) {
			return difference
		}
		return nil
	case operator == "*" && isSpan && w.IsNumber():
		return timesDuration(w, x)
	case operator == "*" && bySpan && v.IsNumber():
		return timesDuration(v, y)
	}
	fail("%q cannot take %s and %s", operator, values.TypeName(a), values.TypeName(b))
	return nil
}

func sumOfDurations(a, b time.Duration) any {
	sum := a + b
	if sum > a != (b > 0) {
		return nil
	}
	return sum
}

func timesDuration(by values.Value, d time.Duration) any {
	if by.Kind == values.KindInt {
		n := time.Duration(by.Int)
		if product := n * d; n == 0 || product/n == d && (n != -1 || d != math.MinInt64) {
			return product
		}
		return nil
	}
	product := by.Float * float64(d)
	if !(product >= math.MinInt64 && product < math.MaxInt64) {
		return nil
	}
	return time.Duration(product)
}

// eventTime returns the time of the evaluation, the same one for the whole expression.
func (e *Evaluator) eventTime() time.Time {
	if e.functions.now.IsZero() {
		if e.Clock != nil {
			e.functions.now = e.Clock()
		} else {
			e.functions.now = time.Now()
		}
	}
	return e.functions.now
}
