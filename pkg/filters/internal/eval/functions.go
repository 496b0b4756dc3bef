package eval

import (
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/vm/runtime"

	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/filters/internal/values"
	"github.com/informerd/informerd/pkg/informer/object"
)

// arithmetic returns an operator; with nil on either side its result is nil.
func (e *Evaluator) arithmetic(operator string) func(a, b any) any {
	return func(a, b any) any {
		x, y := e.load(a), e.load(b)
		switch {
		case x.Kind == values.KindNil || y.Kind == values.KindNil:
			return nil
		case x.Kind == values.KindInt && y.Kind == values.KindInt:
			return intArithmetic(operator, x.Int, y.Int)
		case x.IsNumber() && y.IsNumber() && operator != "%":
			return floatArithmetic(operator, x.AsFloat(), y.AsFloat())
		case x.Kind == values.KindText && y.Kind == values.KindText && operator == "+":
			return e.join(x.Text, y.Text)
		}
		if result, ok := e.quantityArithmetic(operator, a, b); ok {
			return result
		}
		return e.timeArithmetic(operator, a, b)
	}
}

// intArithmetic fails where the result is beyond 64 bits.
func intArithmetic(operator string, a, b int) any {
	switch operator {
	case "+":
		if sum := a + b; sum > a == (b > 0) {
			return sum
		}
	case "-":
		if difference := a - b; difference < a == (b > 0) {
			return difference
		}
	case "*":
		if a == 0 || b == 0 {
			return 0
		}
		if product := a * b; product/b == a && (b != -1 || a != math.MinInt) {
			return product
		}
	case "%":
		if b == 0 {
			fail("division by zero")
		}
		return a % b
	default:
		return floatArithmetic(operator, float64(a), float64(b))
	}
	fail("the result of %s is beyond 64 bits", operator)
	return nil
}

func floatArithmetic(operator string, a, b float64) any {
	switch operator {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	default: // ** and ^
		return math.Pow(a, b)
	}
}

// join bounds what doubling can make of a text.
func (e *Evaluator) join(a, b string) any {
	if len(a)+len(b) > lang.MaxText {
		overBudget("the expression made a text of more than %d bytes", lang.MaxText)
	}
	e.charge(1 + (len(a)+len(b))/64)
	e.grow(len(a) + len(b))
	return a + b
}

func (e *Evaluator) negate(x any) any {
	switch v := e.load(x); v.Kind {
	case values.KindNil:
		return nil
	case values.KindInt:
		return intArithmetic("-", 0, v.Int)
	case values.KindFloat:
		return -v.Float
	}
	fail(`"-" cannot take %s`, values.TypeName(x))
	return nil
}

func (e *Evaluator) positive(x any) any {
	if v := e.load(x); v.Kind != values.KindNil && !v.IsNumber() {
		fail(`"+" cannot take %s`, values.TypeName(x))
	}
	return x
}

// makeRange returns the list a..b.
func (e *Evaluator) makeRange(a, b any) any {
	x, y := e.load(a), e.load(b)
	if x.Kind == values.KindNil || y.Kind == values.KindNil {
		return nil
	}
	if x.Kind != values.KindInt || y.Kind != values.KindInt {
		fail(`".." needs two ints, got %s and %s`, values.TypeName(a), values.TypeName(b))
	}
	if x.Int > y.Int {
		return emptyList
	}
	// Unsigned, since the difference of two ints may not fit one.
	n := uint64(y.Int) - uint64(x.Int)
	if n >= lang.MaxRange {
		overBudget("the range has more than %d items", lang.MaxRange)
	}
	e.charge(int(n) + 1)
	e.grow(itemBytes * int(n+1))
	return runtime.MakeRange(x.Int, y.Int)
}

// length returns len, 0 for nil.
func (e *Evaluator) length(x any) any {
	switch v := e.load(x); v.Kind {
	case values.KindNil:
		return 0
	case values.KindText:
		e.charge(1 + len(v.Text)/64)
		return utf8.RuneCountInString(v.Text)
	}
	switch x := x.(type) {
	case values.Ref:
		if x.Kind() == object.Array || x.Kind() == object.ObjectKind {
			return e.count(x.Value)
		}
	case []any:
		return len(x)
	case []int:
		return len(x)
	case map[string]any:
		return len(x)
	}
	fail("len cannot take %s", values.TypeName(x))
	return nil
}

func (e *Evaluator) first(x any) any {
	if r, ok := x.(values.Ref); ok && r.Kind() == object.Array {
		return e.keep(r.Index(0))
	}
	return e.get(e.items(x), 0)
}

func (e *Evaluator) last(x any) any { return e.get(e.items(x), -1) }

// keys returns the keys of an object in the order of its text, those of a map of the
// expression sorted.
func (e *Evaluator) keys(x any) any {
	return e.members(x, "keys", func(key string, _ any) any { return key })
}

func (e *Evaluator) values(x any) any {
	return e.members(x, "values", func(_ string, member any) any { return member })
}

func (e *Evaluator) members(x any, name string, pick func(key string, member any) any) any {
	out := []any{}
	switch x := x.(type) {
	case nil:
		return nil
	case map[string]any:
		e.charge(len(x))
		e.grow(itemBytes * len(x))
		for _, key := range slices.Sorted(maps.Keys(x)) {
			out = append(out, pick(key, x[key]))
		}
		return out
	case values.Ref:
		if x.Kind() == object.ObjectKind {
			e.charge(1 + len(x.Raw())/itemizedBytes)
			x.EachMember(func(key string, member object.Value) bool {
				e.grow(itemBytes)
				out = append(out, pick(key, e.keep(member)))
				return true
			})
			return out
		}
	}
	fail("%s cannot take %s", name, values.TypeName(x))
	return nil
}

// plainFunction returns a function of expr that is safe of nil. The function's own errors
// may quote values and are not passed on.
func (e *Evaluator) plainFunction(name string) func(args ...any) any {
	f := builtin.Builtins[builtin.Index[name]]
	return func(args ...any) any {
		if slices.ContainsFunc(args, values.IsNil) {
			return nil
		}
		for i, arg := range args {
			if args[i] = e.force(arg); e.load(arg).IsNumber() {
				args[i] = numberOf64(e.load(arg)) // a number beyond float64 is infinite
			}
			if s, ok := args[i].(string); ok {
				e.charge(len(s) / decodedBytes)
				e.grow(len(s)) // for the result
			} else if values.Load(args[i]).Kind == values.KindOther && !values.IsTime(args[i]) {
				fail("%s cannot take %s", name, values.TypeName(arg))
			}
		}
		e.charge(2)
		if name == "abs" && args[0] == math.MinInt {
			return intArithmetic("-", 0, math.MinInt)
		}
		if name == "trim" && len(args) == 2 {
			e.payTrim(args)
		}
		out, ok := apply(f, args)
		if !ok {
			failArguments(name, args)
		}
		return out
	}
}

func numberOf64(v values.Value) any {
	if v.Kind == values.KindInt {
		return v.Int
	}
	return v.Float
}

// payTrim pays for searching the second text for each character of the first one.
func (e *Evaluator) payTrim(args []any) {
	a, _ := args[0].(string)
	b, _ := args[1].(string)
	if len(b) > decodedBytes {
		e.charge(min(len(a), lang.MaxSteps) * (min(len(b), lang.MaxSteps) / decodedBytes))
	}
}

func failArguments(name string, args []any) {
	types := ""
	for i, arg := range args {
		if i > 0 {
			types += " and "
		}
		types += values.TypeName(arg)
	}
	fail("%s cannot take this %s", name, types)
}

// apply calls a function of expr; ok is false if it does not take the arguments.
func apply(f *builtin.Function, args []any) (out any, ok bool) {
	defer func() {
		if recover() != nil {
			out, ok = nil, false
		}
	}()
	if f.Fast != nil {
		return f.Fast(args[0]), true
	}
	out, err := f.Func(args...)
	return out, err == nil
}
