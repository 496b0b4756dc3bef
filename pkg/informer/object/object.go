package object

import (
	"github.com/informerd/informerd/pkg/informer/object/internal/align"
	"strconv"
)

// Object is one Kubernetes object: its JSON text and a header read on arrival. A Parser makes it.
// It is immutable, so it can be shared instead of copied.
//
// An Object is plain, packed or dense, and answers the same in each form:
//
//   - A plain object holds its text.
//   - A packed object holds how its text differs from another one, at a tenth of the memory. It
//     builds its text, or a part of it, each time it is read.
//   - A dense object holds its text compressed, at a half to a sixth of the memory. It decompresses
//     all of it each time it is read, except for the header without the labels.
//
// Stored returns the form to keep. Call Plain before reading several fields of an object.
type Object struct {
	// text is the JSON of a plain object and, after it, the fields of the header that have escapes
	// there. See builder for a packed object, and Condenser for a dense one.
	text string
	base *align.Base // of a packed object, or the dictionary of a dense one, else nil
	// stored is the packed or dense form of a plain object, nil if there is none.
	stored *Object
	// ownBase is the base that was made of a plain object, nil if none was.
	ownBase  *align.Base
	typeMeta *typeMeta
	header   header
	size     uint32 // of the JSON
	// literals and ops are where those of a packed object begin in its text. literals is also where
	// the compressed JSON of a dense object begins.
	literals, ops uint32
	// depth is how deep the JSON of a packed object nests at most, apart from copies of its base.
	// It is 0 if the members are not in the usual order: apiVersion, kind, metadata, spec, status.
	depth    uint8
	isDense  bool
	coldness coldness
}

// typeMeta is shared by the objects of one parser.
type typeMeta struct{ apiVersion, kind string }

// field is a part of an Object's text. Offsets instead of strings save half of what an object takes
// besides its text.
type field struct{ from, len uint32 }

// header has the fields that every stage needs.
type header struct {
	namespace, name, uid, resourceVersion, deletionTimestamp field
	generation                                               int64
	// labels is the value of metadata.labels in the JSON; spec and status are the places of these
	// values. They are zero if there is none.
	labels       field
	spec, status uint32
}

// identity returns the fields that are texts.
func (h *header) identity() [5]*field {
	return [5]*field{&h.namespace, &h.name, &h.uid, &h.resourceVersion, &h.deletionTimestamp}
}

// identitySize returns the length of these texts in a packed or dense object.
func (h *header) identitySize() (n uint32) {
	for _, f := range h.identity() {
		n += f.len
	}
	return n
}

// str returns the text of a field.
func (o *Object) str(f field) string { return o.text[f.from : f.from+f.len] }

// JSON returns the object's text. It has no managedFields, unless the parser keeps them, and always
// has apiVersion and kind.
func (o *Object) JSON() string {
	if o.isPlain() {
		return o.text[:o.size]
	}
	return view(o.AppendJSON(nil))
}

// slice returns a part of the JSON, without copying it if that is possible.
func (o *Object) slice(from, to uint32) string {
	switch {
	case o.isPlain():
		return o.text[from:to]
	case o.isDense:
		return o.JSON()[from:to]
	default:
		return o.unpack(int(from), int(to))
	}
}

func (o *Object) isPlain() bool { return o.base == nil && !o.isDense }

// Plain returns the object in its plain form: itself, or one with its own memory.
func (o *Object) Plain() *Object {
	if o.isPlain() {
		return o
	}
	identity := o.text[:o.header.identitySize()]
	text := o.AppendJSON(make([]byte, 0, int(o.size)+len(identity)))
	p := o.plainHeader(view(append(text, identity...)))
	return &p
}

// Stored returns the object in the form that takes the least memory: packed or dense if there is
// such a form, or itself.
func (o *Object) Stored() *Object {
	if o.stored != nil {
		return o.stored
	}
	return o
}

// Size returns the length of the JSON in bytes.
func (o *Object) Size() int { return int(o.size) }

// Memory returns about how many bytes the object takes in its form, without what it shares.
func (o *Object) Memory() int { return len(o.text) + objectSize }

// Hold records that one more store keeps the object in its stored form. It returns how many bytes
// that takes: Memory, and the text that the object refers to if no other object of a store does.
// Release is its opposite.
func (o *Object) Hold() int { return o.hold(1) }

// Release records that a store no longer keeps the object. It returns how many bytes are free once
// the store has removed it.
func (o *Object) Release() int { return o.hold(-1) }

// hold changes the number of holders by n, which is 1 or -1.
func (o *Object) hold(n int32) int {
	b, memory := o.base, o.Memory()
	if b == nil && o.ownBase != nil {
		// the object's text is a part of the base's
		b, memory = o.ownBase, memory-len(o.ownBase.Text)
	}
	if b != nil && b.Held.Add(n) == max(n, 0) {
		memory += len(b.Text) + b.Overhead()
	}
	return memory
}

// objectSize is the size of an Object, in the size class that Go has for it.
const objectSize = 128

// MarshalJSON returns a copy of the JSON, so that an Object can be part of a larger JSON document.
func (o *Object) MarshalJSON() ([]byte, error) { return []byte(o.JSON()), nil }

// Key returns the namespace and name, which identify the object within its resource.
func (o *Object) Key() Key { return Key{Namespace: o.Namespace(), Name: o.Name()} }

// APIVersion returns the group and version, as in "apps/v1", or "v1" for the core group.
func (o *Object) APIVersion() string { return o.typeMeta.apiVersion }

// Kind returns the kind, as in "Deployment".
func (o *Object) Kind() string { return o.typeMeta.kind }

// Namespace returns the namespace, "" for cluster-scoped objects.
func (o *Object) Namespace() string { return o.str(o.header.namespace) }

// Name returns the name, which is never empty.
func (o *Object) Name() string { return o.str(o.header.name) }

// UID returns the UID. It differs for an object that was deleted and one of the same name created
// after it.
func (o *Object) UID() string { return o.str(o.header.uid) }

// ResourceVersion returns the API server's version of this state.
func (o *Object) ResourceVersion() string { return o.str(o.header.resourceVersion) }

// ParseVersion returns a resourceVersion as a number, by which the states of a resource are in
// order; 0 if it is none.
func ParseVersion(version string) uint64 {
	n, err := strconv.ParseUint(version, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Generation returns the number of changes of the desired state, 0 if the resource does not count
// them.
func (o *Object) Generation() int64 { return o.header.generation }

// DeletionTimestamp returns the time (RFC 3339) of a graceful deletion, "" if none has begun.
func (o *Object) DeletionTimestamp() string { return o.str(o.header.deletionTimestamp) }

// labels returns the text of metadata.labels, "" if there are none.
func (o *Object) labels() string {
	l := o.header.labels
	if l.len == 0 {
		return ""
	}
	return o.slice(l.from, l.from+l.len)
}

// Label returns the value of a label and whether the object has it.
func (o *Object) Label(key string) (string, bool) {
	v := lookupKey(o.labels(), key)
	if v.Kind() != String {
		return "", false
	}
	return v.Text(), true
}

// Labels returns all labels in a new map, nil if there are none.
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

// Value returns the whole object as a Value.
func (o *Object) Value() Value { return Value{raw: o.JSON(), kind: ObjectKind} }
