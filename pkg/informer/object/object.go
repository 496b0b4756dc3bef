package object

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// Object is one Kubernetes object: its JSON text and a header scanned on arrival. Make one with a
// Parser. It is immutable, and nobody copies it to be safe.
//
// An Object is plain, packed or dense. A plain one holds its text. A packed one holds how its text
// differs from another one's, at a tenth of the memory; it answers the same, but builds its text,
// or a part of it, each time it is asked for some. A dense one holds its text compressed, at a half
// to a sixth of the memory, and decompresses all of it each time, but for what is in the header:
// key, UID and the like, not the labels. Stored returns the form to keep, Plain the one to read
// more than one thing from; AppendJSON writes any.
type Object struct {
	// text is, in a plain object, the JSON, and behind it those of the header's fields that do not
	// stand in it as they are; in a packed one, what packed.go says; in a dense one, what dense.go
	// says.
	text string
	base *align.Base // of a packed object, or the dictionary of a dense one, else nil
	// stored is the packed or dense form of a plain object, nil if there is none.
	stored *Object
	// own is the base that a plain object is itself, nil if none was made of it.
	ownBase  *align.Base
	typeMeta *typeMeta
	header   header
	size     uint32 // of the JSON
	// Where a packed object's literals and operations begin in its text, and a dense one's
	// compressed JSON, in place of the literals.
	literals, ops uint32
	// levels is how deep a packed object's JSON nests at most, but for what is as in its base, if
	// it has apiVersion and kind, then metadata, then spec, and then at most status; else 0.
	depth    uint8
	dense    bool
	coldness coldness
}

// typeMeta is shared by the objects of one reader.
type typeMeta struct{ apiVersion, kind string }

// field is a part of an Object's text. Offsets instead of strings save half of what an object takes
// besides its text.
type field struct{ from, len uint32 }

// header holds what every stage needs of an object.
type header struct {
	namespace, name, uid, resourceVersion, deletionTimestamp field
	generation                                               int64
	// In the JSON: the value of metadata.labels, and where those of spec and status begin. Zero if
	// there is none.
	labels       field
	spec, status uint32
}

func (o *Object) str(f field) string { return o.text[f.from : f.from+f.len] }

// JSON gives the object's text. It has no managedFields, and always apiVersion and kind.
func (o *Object) JSON() string {
	if o.isPlain() {
		return o.text[:o.size]
	}
	return view(o.AppendJSON(nil))
}

// part gives a part of the JSON, without copying it if it stands in one piece.
func (o *Object) slice(from, to uint32) string {
	switch {
	case o.isPlain():
		return o.text[from:to]
	case o.dense:
		return o.JSON()[from:to]
	default:
		return o.unpack(int(from), int(to))
	}
}

func (o *Object) isPlain() bool { return o.base == nil && !o.dense }

// Plain gives the object in its plain form: itself, or one with memory of its own.
func (o *Object) Plain() *Object {
	if o.isPlain() {
		return o
	}
	identity := o.text[:o.header.identitySize()]
	text := o.AppendJSON(make([]byte, 0, int(o.size)+len(identity)))
	p := o.plainHeader(view(append(text, identity...)))
	return &p
}

// Stored gives the object in the form that takes the least memory of its own: packed if that was
// possible, or itself.
func (o *Object) Stored() *Object {
	if o.stored != nil {
		return o.stored
	}
	return o
}

// Size is the length of the JSON in bytes.
func (o *Object) Size() int { return int(o.size) }

// Memory is about how many bytes the object keeps from being freed, in the form it has, without
// what it shares.
func (o *Object) Memory() int { return len(o.text) + objectSize }

// Hold counts one more store that keeps the object in its stored form, and returns how many bytes
// that takes: those of Memory and, if the object refers to a text that no other object there refers
// to, of that. Release takes it back.
func (o *Object) Hold() int { return o.hold(1) }

// Release is the opposite of Hold: it returns how many bytes are free, once the store has let go of
// the object.
func (o *Object) Release() int { return o.hold(-1) }

func (o *Object) hold(n int32) int {
	b, memory := o.base, o.Memory()
	if b == nil && o.ownBase != nil {
		b, memory = o.ownBase, memory-len(o.ownBase.Text) // of which the object's text is a part
	}
	if b != nil && b.Held.Add(n) == max(n, 0) {
		memory += len(b.Text) + b.Overhead()
	}
	return memory
}

// objectSize is that of the struct, in the size class Go has for it.
const objectSize = 128

// MarshalJSON gives a copy of the text, so that an Object can stand in a larger JSON document.
func (o *Object) MarshalJSON() ([]byte, error) { return []byte(o.JSON()), nil }

// Key names the object within its resource.
func (o *Object) Key() Key { return Key{Namespace: o.Namespace(), Name: o.Name()} }

// APIVersion is the object's group and version, as in "apps/v1", or "v1" for the core group.
func (o *Object) APIVersion() string { return o.typeMeta.apiVersion }

// Kind is the object's kind, as in "Deployment".
func (o *Object) Kind() string { return o.typeMeta.kind }

// Namespace is empty for cluster-scoped objects.
func (o *Object) Namespace() string { return o.str(o.header.namespace) }

// Name is never empty.
func (o *Object) Name() string { return o.str(o.header.name) }

// UID tells two objects of one name apart: one deleted and one created after it.
func (o *Object) UID() string { return o.str(o.header.uid) }

// ResourceVersion is the API server's version of this state.
func (o *Object) ResourceVersion() string { return o.str(o.header.resourceVersion) }

// Generation counts changes of the desired state; 0 if the resource keeps none.
func (o *Object) Generation() int64 { return o.header.generation }

// DeletionTimestamp is set (RFC 3339) once a graceful deletion has begun, and empty before.
func (o *Object) DeletionTimestamp() string { return o.str(o.header.deletionTimestamp) }

// labels is the text of metadata.labels, "" if there are none.
func (o *Object) labels() string {
	l := o.header.labels
	if l.len == 0 {
		return ""
	}
	return o.slice(l.from, l.from+l.len)
}

// Label gives the value of one label and whether the object has it.
func (o *Object) Label(key string) (string, bool) {
	v := lookupKey(o.labels(), key)
	if v.Kind() != String {
		return "", false
	}
	return v.Text(), true
}

// Labels decodes all labels into a new map, nil if there are none.
func (o *Object) Labels() map[string]string {
	text := o.labels()
	if text == "" {
		return nil
	}
	labels := map[string]string{}
	eachMember(text, func(key string, v Value) bool {
		if v.Kind() == String {
			labels[key] = v.Text()
		}
		return true
	})
	return labels
}

// Value is the whole object as a Value.
func (o *Object) Value() Value { return Value{raw: o.JSON(), kind: ObjectKind} }
