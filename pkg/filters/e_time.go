package filters

import (
	"math"
	"time"
)

// age is the time that has passed since x, less than nothing if x is in the future.
func (e *Evaluator) age(x any) any {
	since, ok := x.(time.Time)
	if !ok {
		v := e.load(x)
		if v.kind == kindNil {
			return nil
		}
		if v.kind != kindText {
			fail("age cannot take %s", typeName(x))
		}
		e.charge(2)
		if len(v.s) > 64 {
			return nil
		}
		var err error
		if since, err = time.Parse(time.RFC3339, v.s); err != nil {
			return nil
		}
	}
	return e.eventTime().Sub(since)
}

// timeArithmetic is that of dates and durations. A text with a duration is read as one; a duration
// that 64 bits of nanoseconds cannot hold is nil.
func (e *Evaluator) timeArithmetic(operator string, a, b any) any {
	e.charge(2)
	if operator == "+" || operator == "-" {
		if _, ok := a.(time.Duration); ok {
			b = e.likeness(b, a)
		} else if _, ok := b.(time.Duration); ok {
			a = e.likeness(a, b)
		}
		if a == nil || b == nil {
			return nil
		}
	}
	switch x := a.(type) {
	case time.Time:
		switch y := b.(type) {
		case time.Time:
			if operator == "-" {
				return x.Sub(y)
			}
		case time.Duration:
			switch operator {
			case "+":
				return x.Add(y)
			case "-":
				return x.Add(-y)
			}
		}
	case time.Duration:
		switch y := b.(type) {
		case time.Time:
			if operator == "+" {
				return y.Add(x)
			}
		case time.Duration:
			switch operator {
			case "+":
				return sumOfDurations(x, y)
			case "-":
				return sumOfDurations(x, -y)
			}
		}
		if v := e.load(b); operator == "*" && v.isNumber() {
			return timesDuration(v, x)
		}
	}
	if y, ok := b.(time.Duration); ok && operator == "*" {
		if v := e.load(a); v.isNumber() {
			return timesDuration(v, y)
		}
	}
	fail("%q cannot take %s and %s", operator, typeName(a), typeName(b))
	return nil
}

func sumOfDurations(a, b time.Duration) any {
	sum := a + b
	if (sum > a) != (b > 0) && b != 0 {
		return nil
	}
	return sum
}

func timesDuration(by value, d time.Duration) any {
	if product := by.float() * float64(d); !(product >= math.MinInt64 && product < math.MaxInt64) {
		return nil
	}
	if by.kind == kindInt {
		return time.Duration(by.i) * d
	}
	return time.Duration(by.f * float64(d))
}

// eventTime is the time at which the event is looked at, the same one for the whole expression.
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
