package informerd

import (
	"strconv"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Object is the state of an object, read through the host: of an event or, from CacheReader, out of
// an informer's cache. It is valid until OnEvent returns.
type Object struct {
	which uint32 // newObject, oldObject, or cachedObject plus the number of a cache's iterator
	size  uint32 // of its text; not known of one from a cache
}

const (
	newObject = iota
	oldObject
	cachedObject

	sizeUnknown = ^uint32(0)
)

// readCached is host.CacheField if the guest calls Cache, which other guests must not import.
var readCached func(iter, handle uint32, buf []byte) int64

// Exists is false for the old object of an event that has none.
func (o Object) Exists() bool { return o.size > 0 }

// Size is the length of the object's JSON text.
func (o Object) Size() int {
	if o.size != sizeUnknown {
		return int(o.size)
	}
	return int(uint32(max(readCached(o.which-cachedObject, host.WholeObject, nil), 0)))
}

// JSON copies the whole text; nil if there is no object. Prefer reading single fields.
func (o Object) JSON() []byte {
	size := o.Size()
	if size == 0 {
		return nil
	}
	text := make([]byte, size)
	if o.which >= cachedObject {
		readCached(o.which-cachedObject, host.WholeObject, text)
		return text
	}
	n := host.EventObject(o.which, 0, text)
	return text[:max(n, 0)]
}

// Get reads a field.
func (o Object) Get(p *FieldPath) Value {
	kind, text := o.read(p)
	return Value{kind, p.text(text)}
}

// String reads a string, "" if the field is none. A short string that is the same as the one last
// read of this path is not allocated again.
func (o Object) String(p *FieldPath) string {
	kind, text := o.read(p)
	if kind != String {
		return ""
	}
	return p.text(text)
}

// Int reads an integer, 0 if the field is none.
func (o Object) Int(p *FieldPath) int64 {
	kind, text := o.read(p)
	if kind != Number {
		return 0
	}
	n, err := strconv.ParseInt(string(text), 10, 64) // which does not allocate
	if err != nil {
		return 0
	}
	return n
}

// Bool reads a boolean, false if the field is none.
func (o Object) Bool(p *FieldPath) bool {
	kind, text := o.read(p)
	return kind == Boolean && len(text) == len("true")
}

// Has tells whether the field is there, be it null.
func (o Object) Has(p *FieldPath) bool {
	kind, _ := o.read(p)
	return kind != Missing
}

// Close gives an object of a cache back before the event ends: a handler has at most 16 of them at
// once.
func (o Object) Close() {
	if o.which >= cachedObject {
		host.CacheClose(o.which - cachedObject)
	}
}

// read finds a field's text, which stays until the next one is read.
func (o Object) read(p *FieldPath) (Kind, []byte) {
	handle := p.use()
	if o.size == 0 {
		return Missing, nil
	}
	if o.which == newObject && p.ahead > 0 {
		if kind, text, ok := p.readAhead(); ok {
			return kind, text
		}
	}
	packed := o.field(handle)
	if packed < 0 {
		return Missing, nil
	}
	length := int(uint32(packed))
	if length > len(buffer) {
		buffer = make([]byte, length)
		o.field(handle)
	}
	return Kind(packed >> 32), buffer[:length]
}

// field has the host write a field to the buffer, if it fits.
func (o Object) field(handle uint32) int64 {
	if o.which >= cachedObject {
		return readCached(o.which-cachedObject, handle, buffer)
	}
	return host.EventField(o.which, handle, buffer)
}

// buffer is where the host writes what is asked for. It grows to the longest text.
var buffer = make([]byte, 4096)

// readAll reads a text that get writes whole or not at all, and gives its length or a status.
func readAll(get func([]byte) int32) (text []byte, status int32) {
	for {
		n := get(buffer)
		if int(n) <= len(buffer) {
			return buffer[:max(n, 0)], n
		}
		buffer = make([]byte, n)
	}
}
