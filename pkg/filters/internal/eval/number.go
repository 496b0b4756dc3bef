package eval

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// maxNumber is the length of the longest text that is read as a number or a date.
const maxNumber = 128

// int returns a whole number, cut from a fraction; nil for a text that is not one, and
// beyond 64 bits.
func (e *Evaluator) int(x any) any {
	switch v := e.load(x); v.Kind {
	case values.KindNil:
		return nil
	case values.KindInt:
		return v.Int
	case values.KindFloat:
		if v.Float >= -1<<63 && v.Float < 1<<63 { // NaN is neither
			return int(v.Float)
		}
		return nil
	case values.KindText:
		e.charge(4)
		if len(v.Text) > maxNumber {
			return nil
		}
		if n, err := strconv.Atoi(v.Text); err == nil {
			return n
		}
		return nil
	}
	if d, ok := x.(time.Duration); ok {
		return int(d)
	}
	fail("int cannot take this %s", values.TypeName(x))
	return nil
}

// float returns a number; nil for a text that is not one, and for what is not finite.
func (e *Evaluator) float(x any) any {
	switch v := e.load(x); v.Kind {
	case values.KindNil:
		return nil
	case values.KindInt, values.KindFloat:
		return v.AsFloat()
	case values.KindText:
		e.charge(4)
		if len(v.Text) > maxNumber {
			return nil
		}
		if f, err := strconv.ParseFloat(v.Text, 64); err == nil && !math.IsInf(f, 0) &&
			!math.IsNaN(f) {
			return f
		}
		return nil
	}
	fail("float cannot take this %s", values.TypeName(x))
	return nil
}

// dateLayouts are the layouts that date reads, the most frequent one first.
var dateLayouts = [...]string{time.RFC3339, time.DateOnly, time.DateTime, time.TimeOnly,
	time.RFC822, time.RFC850, time.RFC1123}

// date returns a point in time, written in one of the layouts above or in the one of the
// second argument; nil for a text that does not fit.
func (e *Evaluator) date(args ...any) any {
	if slices.ContainsFunc(args, values.IsNil) {
		return nil
	}
	texts := [2]string{}
	for i, arg := range args {
		v := e.load(arg)
		if v.Kind != values.KindText {
			fail("date cannot take this %s", values.TypeName(arg))
		}
		texts[i%2] = v.Text
	}
	if len(texts[0]) > maxNumber || len(texts[1]) > maxNumber {
		return nil
	}
	if len(args) == 2 {
		e.charge(20)
		if t, err := time.Parse(texts[1], texts[0]); err == nil {
			return t
		}
		return nil
	}
	for _, layout := range dateLayouts {
		e.charge(10)
		if t, err := time.Parse(layout, texts[0]); err == nil {
			return t
		}
	}
	return nil
}

// least returns min, or max if sign is -1: of numbers, quantities, durations, dates or
// versions, and of lists of them. The result is nil if one of them is nil, and if there is
// none.
func (e *Evaluator) least(name string, sign int) func(args ...any) any {
	return func(args ...any) any {
		if slices.ContainsFunc(args, values.IsNil) {
			return nil
		}
		l := leastOf{name: name, sign: sign}
		for _, arg := range args {
			if !l.add(e, arg, 0) {
				return nil
			}
		}
		return l.value
	}
}

type leastOf struct {
	name  string
	sign  int
	value any
}

// maxDepth is how deep lists may be nested for min and max.
const maxDepth = 64

// add adds a value or the values of a list; it returns false for nil.
func (l *leastOf) add(e *Evaluator, x any, depth int) bool {
	e.charge(4)
	if values.IsNil(x) {
		return false
	}
	v := e.load(x)
	if v.Kind == values.KindOther && values.TypeName(x) == "list" {
		if depth == maxDepth {
			fail("%s takes lists nested %d deep at most", l.name, maxDepth)
		}
		for _, item := range e.anyItems(x) {
			if !l.add(e, item, depth+1) {
				return false
			}
		}
		return true
	}
	if _, isDate := x.(time.Time); !v.IsNumber() && !isDate && !ordersItself(x) {
		fail("%s cannot take this %s", l.name, values.TypeName(x))
	}
	if l.value == nil {
		l.value = x
		return true
	}
	if c, ok := e.order(l.name, x, l.value); ok && c*l.sign < 0 {
		l.value = x
	}
	return true
}

// ordersItself reports whether a value has an order and is of a kind that JSON does not
// have.
func ordersItself(x any) bool {
	switch x.(type) {
	case values.Quantity, values.Version, time.Duration:
		return true
	}
	return false
}
