package object

import (
	"encoding/json"
	"strconv"

	"github.com/informerd/informerd/pkg/informer/object/internal/jsontext"
)

// Kind is the JSON type of a Value. Its numbers are the tags of the handler ABI (informerd/v1).
type Kind uint8

// The kinds of a Value.
const (
	Missing Kind = iota // no such field
	Null
	Bool
	Number
	String
	Array
	ObjectKind
)

var kindNames = [...]string{"missing", "null", "bool", "number", "string", "array", "object"}

// String returns the name that JSON has for the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// Value is a part of an object's text. The zero Value is Missing. It shares the object's memory and
// keeps it alive.
type Value struct {
	raw  string
	kind Kind
}

// Kind returns the JSON type, Missing if there is no such field.
func (v Value) Kind() Kind { return v.kind }

// Exists reports whether there is such a field, which may be null.
func (v Value) Exists() bool { return v.kind != Missing }

// Raw returns the JSON text, of a string with quotes and escapes, "" if the value is missing.
func (v Value) Raw() string { return v.raw }

// Text returns a string decoded, without copying it if it has no escapes, and any other value as
// its JSON text.
func (v Value) Text() string {
	if v.kind == String {
		return jsontext.Unescape(v.raw[1:max(1, len(v.raw)-1)])
	}
	return v.raw
}

// Bool reports whether the value is true.
func (v Value) Bool() bool { return v.raw == "true" }

// Int returns a number that is an integer within int64, and whether the value is one.
func (v Value) Int() (int64, bool) {
	if v.kind != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.raw, 10, 64)
	return n, err == nil
}

// float returns a number as float64, and whether the value is a number that fits.
func (v Value) float() (float64, bool) {
	if v.kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	return f, err == nil
}

// Any returns the decoded value: nil, bool, int (if it is integral and within int), float64,
// string, []any or map[string]any. Missing and null are nil. The result is the caller's.
func (v Value) Any() any {
	if v.kind == Missing {
		return nil
	}
	decoded, _ := decodeAny(v.raw, 0)
	return decoded
}

// decodeAny returns the decoded value at i and its end. It reads each byte once, however deep
// values are nested.
func decodeAny(s string, i int) (any, int) {
	i = jsontext.SkipSpace(s, i)
	if i >= len(s) {
		return nil, i
	}
	switch s[i] {
	case '[':
		items := []any{}
		for i = jsontext.NextToken(s, i+1); i < len(s) &&
			s[i] != ']'; i = jsontext.NextToken(s, i) {
			var item any
			item, i = decodeAny(s, i)
			items = append(items, item)
		}
		return items, min(i+1, len(s))
	case '{':
		members := map[string]any{}
		for i = jsontext.NextToken(s, i+1); i < len(s) &&
			s[i] == '"'; i = jsontext.NextToken(s, i) {
			end := jsontext.StringEnd(s, i)
			key := jsontext.Unescape(s[i+1 : max(i+1, end-1)])
			var member any
			member, i = decodeAny(s, jsontext.NextToken(s, end))
			if _, duplicate := members[key]; !duplicate { // the first counts, as for Path
				members[key] = member
			}
		}
		return members, min(i+1, len(s))
	}
	end := jsontext.ValueEnd(s, i)
	return (Value{raw: s[i:end], kind: kindOf(s[i])}).scalar(), end
}

// scalar returns a decoded value that is neither an object nor an array.
func (v Value) scalar() any {
	switch v.kind {
	case Bool:
		return v.Bool()
	case Number:
		if n, ok := v.Int(); ok {
			return int(n)
		}
		if f, ok := v.float(); ok {
			return f
		}
		// A number beyond float64 (1e400) keeps its text, as json.Number does.
		return json.Number(v.raw)
	case String:
		return v.Text()
	}
	return nil
}

// Each calls f for the items of an array, in order, until f returns false. It does nothing for
// other kinds.
func (v Value) Each(f func(item Value) bool) {
	if v.kind == Array {
		eachItem(v.raw, f)
	}
}

// EachMember calls f for the members of an object, in the order of the text, until f returns false.
// It does nothing for other kinds.
func (v Value) EachMember(f func(key string, member Value) bool) {
	if v.kind == ObjectKind {
		eachMember(v.raw, f)
	}
}

// Get returns the member of an object with a name, Missing if there is none or v is not an object.
func (v Value) Get(key string) Value {
	if v.kind != ObjectKind {
		return Value{}
	}
	return lookupKey(v.raw, key)
}

// Index returns the i-th item of an array, from 0, Missing if there is none or v is not an array.
func (v Value) Index(i int) Value {
	if v.kind != Array || i < 0 {
		return Value{}
	}
	return lookupIndex(v.raw, i)
}

// TrustedValue returns a Value of text that is known to be valid JSON. Text that is not gets wrong
// answers, but never a read outside of it.
func TrustedValue(text string) Value { return valueAt(text, 0) }

// valueAt returns the value at i, or after the white space there.
func valueAt(s string, i int) Value {
	i = jsontext.SkipSpace(s, i)
	if i >= len(s) {
		return Value{}
	}
	return Value{raw: s[i:jsontext.ValueEnd(s, i)], kind: kindOf(s[i])}
}

// kindOf returns the kind of a value that begins with c.
func kindOf(c byte) Kind {
	switch c {
	case '{':
		return ObjectKind
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		return Number
	}
}

// lookupKey returns the member of the object s with a name.
func lookupKey(s, key string) Value {
	if i := jsontext.FindMember(s, 0, key); i >= 0 {
		return valueAt(s, i)
	}
	return Value{}
}

// lookupIndex returns the n-th item of the array s.
func lookupIndex(s string, n int) Value {
	if i := jsontext.FindItem(s, 0, n); i >= 0 {
		return valueAt(s, i)
	}
	return Value{}
}

// eachMember is Value.EachMember of the object s.
func eachMember(s string, f func(key string, member Value) bool) {
	i := jsontext.SkipSpace(s, 0)
	if i >= len(s) || s[i] != '{' {
		return
	}
	for i = jsontext.NextToken(s, i+1); i < len(s) && s[i] == '"'; i = jsontext.NextToken(s, i) {
		end := jsontext.StringEnd(s, i)
		key := jsontext.Unescape(s[i+1 : max(i+1, end-1)])
		v := valueAt(s, jsontext.NextToken(s, end))
		i = jsontext.NextToken(s, end) + len(v.raw)
		if !f(key, v) {
			return
		}
	}
}

// eachItem is Value.Each of the array s.
func eachItem(s string, f func(item Value) bool) {
	i := jsontext.SkipSpace(s, 0)
	if i >= len(s) || s[i] != '[' {
		return
	}
	for i = jsontext.NextToken(s, i+1); i < len(s) && s[i] != ']'; i = jsontext.NextToken(s, i) {
		v := valueAt(s, i)
		i += len(v.raw)
		if !f(v) {
			return
		}
	}
}
