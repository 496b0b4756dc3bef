package informerd

import (
	"strconv"

	"github.com/informerd/informerd/plugins/sdk/go/internal/host"
)

// Object is the state of an object, read through the host: that of an event or, from CacheReader,
// one in an informer's cache. It is valid until OnEvent returns.
type Object struct {
	which uint32 // newObject, oldObject, or cachedObject plus the number of a cache's iterator
	size  uint32 // of its text; unknown for an object from a cache
}

const (
	newObject = iota
	oldObject
	cachedObject

	sizeUnknown = ^uint32(0)
)

// readCached is host.CacheField if the guest calls Cache; other guests must not import it.
var readCached func(iter, handle uint32, buf []byte) int64

// Exists reports whether there is an object; only updates have an old one.
func (o Object) Exists() bool { return o.size > 0 }

// Size returns the length of the object's JSON text.
func (o Object) Size() int {
	if o.size != sizeUnknown {
		return int(o.size)
	}
	return int(uint32(max(readCached(o.which-cachedObject, host.WholeObject, nil), 0)))
}

// JSON returns a copy of the whole text, nil if there is no object. Prefer reading single fields.
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

// Get returns a field's value.
func (o Object) Get(p *FieldPath) Value {
	kind, text := o.read(p)
	return Value{kind, p.text(text)}
}

// String returns a field that is a string, otherwise "". A short string equal to the last one read
// with this path is not allocated again.
func (o Object) String(p *FieldPath) string {
	kind, text := o.read(p)
	if kind != String {
		return ""
	}
	return p.text(text)
}

// Int returns a field that is an integer, otherwise 0.
func (o Object) Int(p *FieldPath) int64 {
	kind, text := o.read(p)
	if kind != Number {
		return 0
	}
	n, err := strconv.ParseInt(string(text), 10, 64) // does not allocate
	if err != nil {
		return 0
	}
	return n
}

// Bool reports whether a field is true.
func (o Object) Bool(p *FieldPath) bool {
	kind, text := o.read(p)
	return kind == Boolean && len(text) == len("true")
}

// Has reports whether the field is present, null included.
func (o Object) Has(p *FieldPath) bool {
	kind, _ := o.read(p)
	return kind != Missing
}

// Close releases an object of a cache before the event ends; a handler can have at most 16 open at
// once. It has no effect on an event's object.
func (o Object) Close() {
	if o.which >= cachedObject {
		host.CacheClose(o.which - cachedObject)
	}
}

// read returns a field's text, which is valid until the next one is read.
func (o Object) read(p *FieldPath) (Kind, []byte) {
	handle := p.use()
	if o.size == 0 {
		return Missing, nil
	}
	if o.which == newObject && p.prefetchAt > 0 {
		if kind, text, ok := p.readPrefetched(); ok {
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

// field makes the host write a field to the buffer, if it fits.
func (o Object) field(handle uint32) int64 {
	if o.which >= cachedObject {
		return readCached(o.which-cachedObject, handle, buffer)
	}
	return host.EventField(o.which, handle, buffer)
}

// buffer receives what the host writes. It grows to the longest text.
var buffer = make([]byte, 4096)

// readAll reads a text that get writes whole or not at all. It returns the text, and its length or
// a status.
func readAll(get func([]byte) int32) (text []byte, status int32) {
	for {
		n := get(buffer)
		if int(n) <= len(buffer) {
			return buffer[:max(n, 0)], n
		}
		buffer = make([]byte, n)
	}
}
