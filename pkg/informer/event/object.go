package event

import (
	"encoding/json"
	"strconv"
)

// Object is one Kubernetes object: its JSON text and a header scanned on arrival. Make one with Parser.Parse.
// It is immutable, and nobody copies it to be safe.
type Object struct {
	raw    string
	header header
}

// header holds what every stage needs of an object. The strings are parts of Object.raw wherever the text has no
// escape in them, so that they cost no memory of their own.
type header struct {
	apiVersion, kind  string
	namespace, name   string
	uid               string
	resourceVersion   string
	deletionTimestamp string
	labels            string // the text of metadata.labels, "" if there are none
	generation        int64
	spec, status      uint32 // where their values begin in Object.raw, 0 if there is none
}

// JSON gives the object's text. It has no managedFields, and always apiVersion and kind.
func (o *Object) JSON() string { return o.raw }

// Size is the length of the text in bytes.
func (o *Object) Size() int { return len(o.raw) }

// MarshalJSON gives a copy of the text, so that an Object can stand in a larger JSON document.
func (o *Object) MarshalJSON() ([]byte, error) { return []byte(o.raw), nil }

// Key names the object within its resource.
func (o *Object) Key() Key { return Key{Namespace: o.header.namespace, Name: o.header.name} }

// APIVersion is the object's group and version, as in "apps/v1", or "v1" for the core group.
func (o *Object) APIVersion() string { return o.header.apiVersion }

// Kind is the object's kind, as in "Deployment".
func (o *Object) Kind() string { return o.header.kind }

// Namespace is empty for cluster-scoped objects.
func (o *Object) Namespace() string { return o.header.namespace }

// Name is never empty.
func (o *Object) Name() string { return o.header.name }

// UID tells two objects of one name apart: one deleted and one created after it.
func (o *Object) UID() string { return o.header.uid }

// ResourceVersion is the API server's version of this state.
func (o *Object) ResourceVersion() string { return o.header.resourceVersion }

// Generation counts changes of the desired state; 0 if the resource keeps none.
func (o *Object) Generation() int64 { return o.header.generation }

// DeletionTimestamp is set (RFC 3339) once a graceful deletion has begun, and empty before.
func (o *Object) DeletionTimestamp() string { return o.header.deletionTimestamp }

// Label gives the value of one label and whether the object has it.
func (o *Object) Label(key string) (string, bool) {
	v := lookupKey(o.header.labels, key)
	if v.Kind() != String {
		return "", false
	}
	return v.Text(), true
}

// Labels decodes all labels into a new map, nil if there are none.
func (o *Object) Labels() map[string]string {
	if o.header.labels == "" {
		return nil
	}
	labels := map[string]string{}
	eachMember(o.header.labels, func(key string, v Value) bool {
		if v.Kind() == String {
			labels[key] = v.Text()
		}
		return true
	})
	return labels
}

// Value is the whole object as a Value.
func (o *Object) Value() Value { return Value{raw: o.raw, kind: ObjectKind} }

// Kind is the JSON type of a Value. Its numbers are the tags of the handler ABI (informerd/v1).
type Kind uint8

// The kinds of a Value.
const (
	Missing Kind = iota // there is no such field
	Null
	Bool
	Number
	String
	Array
	ObjectKind
)

var kindNames = [...]string{"missing", "null", "bool", "number", "string", "array", "object"}

// String names the kind as JSON does.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// Value is a part of an object's text. The zero Value is Missing. It shares the object's memory and keeps it alive.
type Value struct {
	raw  string
	kind Kind
}

// Kind is the JSON type, Missing if there is no such field.
func (v Value) Kind() Kind { return v.kind }

// Exists is true if the field is there, be it null.
func (v Value) Exists() bool { return v.kind != Missing }

// Raw is the value's JSON text, strings with their quotes and escapes, "" if missing.
func (v Value) Raw() string { return v.raw }

// Text gives a string decoded (without copying if it has no escapes), any other value as its JSON text.
func (v Value) Text() string {
	if v.kind == String {
		return decodeString(v.raw[1:max(1, len(v.raw)-1)])
	}
	return v.raw
}

// Bool is true only for the value true.
func (v Value) Bool() bool { return v.raw == "true" }

// Int gives a number that is an integer within int64, else false.
func (v Value) Int() (int64, bool) {
	if v.kind != Number {
		return 0, false
	}
	n, err := strconv.ParseInt(v.raw, 10, 64)
	return n, err == nil
}

// Float gives a number as float64, false if the value is none or does not fit.
func (v Value) Float() (float64, bool) {
	if v.kind != Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.raw, 64)
	return f, err == nil
}

// Any decodes the value into nil, bool, int (if integral and within int), float64, string, []any or map[string]any.
// Missing and null are nil. The result is the caller's.
func (v Value) Any() any {
	switch v.kind {
	case Bool:
		return v.Bool()
	case Number:
		if n, ok := v.Int(); ok {
			return int(n)
		}
		if f, ok := v.Float(); ok {
			return f
		}
		// A number beyond float64 (1e400) keeps its text, as json.Number does.
		return json.Number(v.raw)
	case String:
		return v.Text()
	case Array:
		items := []any{}
		v.Each(func(item Value) bool {
			items = append(items, item.Any())
			return true
		})
		return items
	case ObjectKind:
		members := map[string]any{}
		eachMember(v.raw, func(key string, member Value) bool {
			if _, twice := members[key]; !twice { // the first wins, as with Path
				members[key] = member.Any()
			}
			return true
		})
		return members
	default:
		return nil
	}
}

// Each calls f for the items of an array, in order, until f returns false. It does nothing for other kinds.
func (v Value) Each(f func(item Value) bool) {
	if v.kind == Array {
		eachItem(v.raw, f)
	}
}

// EachMember calls f for the members of an object, in the order of the text, until f returns false. It does nothing
// for other kinds.
func (v Value) EachMember(f func(key string, member Value) bool) {
	if v.kind == ObjectKind {
		eachMember(v.raw, f)
	}
}

// Get gives the member of an object by its key, Missing if there is none or v is no object.
func (v Value) Get(key string) Value {
	if v.kind != ObjectKind {
		return Value{}
	}
	return lookupKey(v.raw, key)
}

// Index gives the i-th item of an array, from 0, Missing if there is none or v is no array.
func (v Value) Index(i int) Value {
	if v.kind != Array || i < 0 {
		return Value{}
	}
	return lookupIndex(v.raw, i)
}

// TrustedValue makes a Value of text that is known to be valid JSON. Text that is not gives wrong answers, but never a
// read outside of it.
func TrustedValue(text string) Value { return valueAt(text, 0) }
