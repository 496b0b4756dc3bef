package filters

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/informerd/informerd/pkg/informer/object"
)

// ref is a part of an object that has not been decoded. Every function here takes it where it takes
// a decoded value. It is a struct of one pointer so that it fits into an interface without
// allocation, and so that expr, which follows plain pointers, leaves it alone.
type ref struct{ *object.Value }

// refer gives a ref, or nil for what is missing or null.
func refer(v *object.Value) any {
	if v.Kind() <= object.Null {
		return nil
	}
	return ref{v}
}

// kind is the type of a loaded value.
type kind uint8

const (
	kindNil kind = iota
	kindBool
	kindInt
	kindFloat
	kindText
	kindOther // a list, an object, a time, a duration
)

// value is a scalar taken out of its interface or JSON text.
type value struct {
	kind kind
	b    bool
	i    int
	f    float64
	s    string
}

// load reads scalars without decoding anything else. It does not allocate, except for strings with
// escapes.
func load(x any) value {
	switch x := x.(type) {
	case nil:
		return value{}
	case ref:
		return loadJSON(*x.Value)
	case string:
		return value{kind: kindText, s: x}
	case bool:
		return value{kind: kindBool, b: x}
	case int:
		return value{kind: kindInt, i: x}
	case float64:
		return value{kind: kindFloat, f: x}
	case json.Number:
		return value{kind: kindFloat, f: beyondFloat(string(x))}
	default:
		return value{kind: kindOther}
	}
}

func loadJSON(v object.Value) value {
	switch v.Kind() {
	case object.String:
		return value{kind: kindText, s: v.Text()}
	case object.Bool:
		return value{kind: kindBool, b: v.Bool()}
	case object.Number:
		if isInteger(v.Raw()) {
			if n, ok := v.Int(); ok && n >= math.MinInt && n <= math.MaxInt {
				return value{kind: kindInt, i: int(n)}
			}
		}
		return value{kind: kindFloat, f: beyondFloat(v.Raw())}
	case object.Array, object.ObjectKind:
		return value{kind: kindOther}
	default:
		return value{}
	}
}

// isInteger spares others the error that strconv makes of them.
func isInteger(text string) bool {
	return len(text) <= 20 && strings.IndexByte(text, '.') < 0 &&
		strings.IndexByte(text, 'e') < 0 && strings.IndexByte(text, 'E') < 0
}

// beyondFloat reads a number; one that float64 cannot hold (1e400) is infinite.
func beyondFloat(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

func (v value) isNumber() bool { return v.kind == kindInt || v.kind == kindFloat }

func (v value) float() float64 {
	if v.kind == kindInt {
		return float64(v.i)
	}
	return v.f
}

// typeName says what a value is without saying it.
func typeName(x any) string {
	switch load(x).kind {
	case kindNil:
		return "nil"
	case kindBool:
		return "bool"
	case kindInt:
		return "int"
	case kindFloat:
		return "float"
	case kindText:
		return "string"
	}
	switch x := x.(type) {
	case ref:
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
	case special:
		return x.typeName()
	default:
		return "object"
	}
}

func isNil(x any) bool {
	if r, ok := x.(ref); ok {
		return r.Kind() <= object.Null
	}
	return x == nil
}

func isTime(x any) bool {
	switch x.(type) {
	case time.Time, time.Duration:
		return true
	}
	return false
}
