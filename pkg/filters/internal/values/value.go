package values

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/object"
)

// Ref is a part of an object that was not decoded. All functions take one where they take a
// decoded value. It is a struct of one pointer so that it fits into an interface without
// allocation, and so that expr, which follows plain pointers, leaves it alone.
type Ref struct{ *object.Value }

// Refer returns a Ref, or nil for what is missing or null.
func Refer(v *object.Value) any {
	if v.Kind() <= object.Null {
		return nil
	}
	return Ref{v}
}

// kind is the type of a loaded value.
type kind uint8

const (
	KindNil kind = iota
	KindBool
	KindInt
	KindFloat
	KindText
	KindOther // a list, an object, a time, a duration
)

// Value is a scalar taken out of its interface or JSON text.
type Value struct {
	Kind  kind
	Bool  bool
	Int   int
	Float float64
	Text  string
}

// Load reads a scalar without decoding anything else. It allocates only for strings with
// escapes.
func Load(x any) Value {
	switch x := x.(type) {
	case nil:
		return Value{}
	case Ref:
		return LoadJSON(*x.Value)
	case string:
		return Value{Kind: KindText, Text: x}
	case bool:
		return Value{Kind: KindBool, Bool: x}
	case int:
		return Value{Kind: KindInt, Int: x}
	case float64:
		return Value{Kind: KindFloat, Float: x}
	case json.Number:
		return Value{Kind: KindFloat, Float: beyondFloat(string(x))}
	default:
		return Value{Kind: KindOther}
	}
}

func LoadJSON(v object.Value) Value {
	switch v.Kind() {
	case object.String:
		return Value{Kind: KindText, Text: v.Text()}
	case object.Bool:
		return Value{Kind: KindBool, Bool: v.Bool()}
	case object.Number:
		if isInteger(v.Raw()) {
			if n, ok := v.Int(); ok && n >= math.MinInt && n <= math.MaxInt {
				return Value{Kind: KindInt, Int: int(n)}
			}
		}
		return Value{Kind: KindFloat, Float: beyondFloat(v.Raw())}
	case object.Array, object.ObjectKind:
		return Value{Kind: KindOther}
	default:
		return Value{}
	}
}

// isInteger reports whether a number may be an integer, which saves others the error of
// strconv.
func isInteger(text string) bool {
	return len(text) <= 20 && strings.IndexByte(text, '.') < 0 &&
		strings.IndexByte(text, 'e') < 0 && strings.IndexByte(text, 'E') < 0
}

// beyondFloat reads a number. One that float64 cannot hold (1e400) is infinite.
func beyondFloat(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

func (v Value) IsNumber() bool { return v.Kind == KindInt || v.Kind == KindFloat }

func (v Value) AsFloat() float64 {
	if v.Kind == KindInt {
		return float64(v.Int)
	}
	return v.Float
}

// kindNames are the words of users for the types of scalars.
var kindNames = [...]string{KindNil: "nil", KindBool: "bool", KindInt: "int", KindFloat: "float",
	KindText: "string", KindOther: ""}

// TypeName returns the type of a value in the words of users.
func TypeName(x any) string {
	if name := kindNames[Load(x).Kind]; name != "" {
		return name
	}
	switch x := x.(type) {
	case Ref:
		if x.Kind() == object.Array {
			return "list"
		}
		return "object"
	case []any, []int:
		return "list"
	case time.Time:
		return "date"
	case time.Duration:
		return "duration"
	case Special:
		return x.typeName()
	default:
		return "object"
	}
}

// IsNil reports whether a value is nil, missing or null.
func IsNil(x any) bool {
	if r, ok := x.(Ref); ok {
		return r.Kind() <= object.Null
	}
	return x == nil
}

// IsTime reports whether a value is a date or a duration.
func IsTime(x any) bool {
	switch x.(type) {
	case time.Time, time.Duration:
		return true
	}
	return false
}

// EqualScalars reports whether two values are equal, of which one at least is neither a list nor a
// map; int and float are one type.
func EqualScalars(x, y Value) bool {
	switch {
	case x.Kind == KindInt && y.Kind == KindInt:
		return x.Int == y.Int
	case x.IsNumber() && y.IsNumber():
		return x.AsFloat() == y.AsFloat()
	case x.Kind != y.Kind:
		return false
	}
	switch x.Kind {
	case KindNil:
		return true
	case KindBool:
		return x.Bool == y.Bool
	case KindText:
		return x.Text == y.Text
	}
	return false
}
