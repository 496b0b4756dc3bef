package filters

import (
	"strings"
	"time"
)

// parse reads a text; it is nil for a text that cannot be read.
func (e *Evaluator) parse(p reader, text string) any {
	e.charge(1)
	memo := e.functions.memos[p]
	if x, ok := memo[text]; ok {
		return x
	}
	w := &readers[p]
	if len(text) > w.max {
		return nil
	}
	e.charge(w.cost + len(text)*w.cost/16)
	text = strings.Clone(text) // it is only lent
	x := w.parse(text)
	if len(text) > keptText {
		return x
	}
	if memo == nil {
		memo = map[string]any{}
		e.functions.memos[p] = memo
	}
	if len(memo) >= keptTexts {
		clear(memo)
	}
	memo[text] = x
	return x
}

// parseFunction makes quantity, duration and so on. One that is given its own result gives it back.
func (e *Evaluator) parseFunction(p reader) func(x any) any {
	name := readers[p].name
	return func(x any) any {
		v := e.load(x)
		switch {
		case v.kind == kindNil:
			return nil
		case v.kind == kindText:
			return e.parse(p, v.s)
		case v.isNumber() && p == parseQuantities:
			return e.quantityOf(v)
		case typeName(x) == name:
			return x
		}
		fail("%s cannot take %s", name, typeName(x))
		return nil
	}
}

// relation says what a comparison of two values has found.
type relation uint8

const (
	unlike  relation = iota // values of different types
	absent                  // one is nil, or a text that is none of the other's type
	matched                 // equal or not
	ordered                 // less, equal or greater
)

// relate compares two values of which at least one is special. A text beside one is read as one of
// its type, and a number beside a quantity is one.
func (e *Evaluator) relate(a, b any) (int, relation) {
	switch {
	case isSpecial(a):
		b = e.likeness(b, a)
	case isSpecial(b):
		a = e.likeness(a, b)
	}
	if isNil(a) || isNil(b) {
		return 0, absent
	}
	switch x := a.(type) {
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return compareInts(x, y), ordered
		}
	case quantity:
		if y, ok := b.(quantity); ok {
			return x.compare(y), ordered
		}
	case version:
		if y, ok := b.(version); ok {
			return x.Compare(y.Version), ordered
		}
	case address:
		if y, ok := b.(address); ok {
			return x.Compare(*y.Addr), matched
		}
	case network:
		if y, ok := b.(network); ok {
			return x.Compare(*y.Prefix), matched
		}
	case image:
		if y, ok := b.(image); ok {
			return strings.Compare(x.whole, y.whole), matched
		}
	}
	return 0, unlike
}

func compareInts[T ~int64](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// likeness makes of a text or number what stands beside it; it gives back what it cannot make into
// that.
func (e *Evaluator) likeness(x, beside any) any {
	v := e.load(x)
	p, ok := readerOf(typeName(beside))
	switch {
	case v.kind == kindText && ok:
		return e.parse(p, v.s)
	case v.isNumber() && p == parseQuantities && ok:
		return e.quantityOf(v)
	}
	return x
}

// orderSpecial compares what is special for <, <=, > and >=.
func (e *Evaluator) orderSpecial(operator string, a, b any) (c int, ok bool) {
	c, related := e.relate(a, b)
	if related == unlike || related == matched {
		fail("%q cannot order %s and %s", operator, typeName(a), typeName(b))
	}
	return c, related == ordered
}

// What readers made of texts is kept: the images, versions and limits of many objects are the same
// few.
const (
	keptTexts = 256 // of each parser
	keptText  = 256 // bytes of one
)
