package eval

import (
	"cmp"
	"reflect"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/filters/internal/values"
)

// parse reads a text; the result is nil if it is not valid.
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
	text = strings.Clone(text) // it is borrowed
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

// parseFunction returns quantity, duration and so on. Each returns a value of its own result
// type unchanged.
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

// relation is the result of a comparison of two values.
type relation uint8

const (
	incomparable relation = iota // values of different types
	missing                      // one is nil, or a text that is not valid as the other's type
	equatable                    // equal or not
	ordered                      // less, equal or greater
)

// relate compares two values of which at least one is special. A text is read as the other
// one's type, and a number next to a quantity is a quantity.
func (e *Evaluator) relate(a, b any) (int, relation) {
	switch {
	case values.IsSpecial(a):
		b = e.asTypeOf(b, a)
	case values.IsSpecial(b):
		a = e.asTypeOf(a, b)
	}
	if values.IsNil(a) || values.IsNil(b) {
		return 0, missing
	}
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return 0, incomparable
	}
	switch x := a.(type) {
	case time.Duration:
		return cmp.Compare(x, b.(time.Duration)), ordered
	case values.Quantity:
		return x.Compare(b.(values.Quantity)), ordered
	case values.Version:
		return x.Compare(b.(values.Version)), ordered
	case values.Address:
		return x.Compare(*b.(values.Address).Addr), equatable
	case values.Network:
		return x.Compare(*b.(values.Network).Prefix), equatable
	case values.Image:
		return strings.Compare(x.Whole, b.(values.Image).Whole), equatable
	}
	return 0, incomparable
}

// asTypeOf returns a text or a number as a value of the other's type. What it cannot convert
// it returns unchanged.
func (e *Evaluator) asTypeOf(x, other any) any {
	v := e.load(x)
	p, ok := values.ReaderOf(values.TypeName(other))
	switch {
	case v.Kind == values.KindText && ok:
		return e.parse(p, v.Text)
	case v.IsNumber() && p == values.Quantities && ok:
		return e.quantityOf(v)
	}
	return x
}

// orderSpecial compares special values for <, <=, > and >=.
func (e *Evaluator) orderSpecial(operator string, a, b any) (c int, ok bool) {
	c, related := e.relate(a, b)
	if related == incomparable || related == equatable {
		fail("%q cannot order %s and %s", operator, values.TypeName(a), values.TypeName(b))
	}
	return c, related == ordered
}

// The values of texts are kept: the images, versions and limits of many objects are the same few.
const (
	keptTexts = 256 // of each reader
	keptText  = 256 // bytes of one
)
