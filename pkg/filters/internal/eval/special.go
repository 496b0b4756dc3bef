package eval

import (
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// parse reads a text; it is nil for a text that cannot be read.
func (e *Evaluator) parse(p values.Reader, text string) any {
	e.charge(1)
	memo := e.functions.memos[p]
	if x, ok := memo[text]; ok {
		return x
	}
	w := &values.Readers[p]
	if len(text) > w.Max {
		return nil
	}
	e.charge(w.Cost + len(text)*w.Cost/16)
	text = strings.Clone(text) // it is only lent
	x := w.Parse(text)
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
func (e *Evaluator) parseFunction(p values.Reader) func(x any) any {
	name := values.Readers[p].Name
	return func(x any) any {
		v := e.load(x)
		switch {
		case v.Kind == values.KindNil:
			return nil
		case v.Kind == values.KindText:
			return e.parse(p, v.Text)
		case v.IsNumber() && p == values.Quantities:
			return e.quantityOf(v)
		case values.TypeName(x) == name:
			return x
		}
		fail("%s cannot take %s", name, values.TypeName(x))
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
	case values.IsSpecial(a):
		b = e.likeness(b, a)
	case values.IsSpecial(b):
		a = e.likeness(a, b)
	}
	if values.IsNil(a) || values.IsNil(b) {
		return 0, absent
	}
	switch x := a.(type) {
	case time.Duration:
		if y, ok := b.(time.Duration); ok {
			return compareInts(x, y), ordered
		}
	case values.Quantity:
		if y, ok := b.(values.Quantity); ok {
			return x.Compare(y), ordered
		}
	case values.Version:
		if y, ok := b.(values.Version); ok {
			return x.Compare(y.Version), ordered
		}
	case values.Address:
		if y, ok := b.(values.Address); ok {
			return x.Compare(*y.Addr), matched
		}
	case values.Network:
		if y, ok := b.(values.Network); ok {
			return x.Compare(*y.Prefix), matched
		}
	case values.Image:
		if y, ok := b.(values.Image); ok {
			return strings.Compare(x.Whole, y.Whole), matched
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
	p, ok := values.ReaderOf(values.TypeName(beside))
	switch {
	case v.Kind == values.KindText && ok:
		return e.parse(p, v.Text)
	case v.IsNumber() && p == values.Quantities && ok:
		return e.quantityOf(v)
	}
	return x
}

// orderSpecial compares what is special for <, <=, > and >=.
func (e *Evaluator) orderSpecial(operator string, a, b any) (c int, ok bool) {
	c, related := e.relate(a, b)
	if related == unlike || related == matched {
		fail("%q cannot order %s and %s", operator, values.TypeName(a), values.TypeName(b))
	}
	return c, related == ordered
}

// What readers made of texts is kept: the images, versions and limits of many objects are the same
// few.
const (
	keptTexts = 256 // of each parser
	keptText  = 256 // bytes of one
)
