package jsonscan

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unsafe"
)

// Header is the part of every object that the informer core needs.
type Header struct {
	APIVersion, Kind                      string
	Namespace, Name, UID, ResourceVersion string
	Generation                            int64
	DeletionTimestamp                     string
	// Labels is the labels' JSON object, empty without labels.
	Labels []byte
	// Raw is the object without managedFields, in separate memory.
	Raw []byte
}

// Fields are the two values a filter reads.
type Fields struct {
	Phase, Image string
}

var errNotObject = errors.New("not a JSON object")

// span is the half-open range of a JSON value in the input; the zero span means none.
type span struct{ from, to int }

// layout is the positions of the header's values in the input. Contenders that can report positions
// fill it in and leave the copying to build, so that only the scanning differs between them.
type layout struct {
	apiVersion, kind                      span
	namespace, name, uid, resourceVersion span
	generation, deletionTimestamp, labels span
	managedFields                         span
}

// top returns where to record the position of an object's member, nil if it is not needed.
func (l *layout) top(key string) *span {
	switch key {
	case "apiVersion":
		return &l.apiVersion
	case "kind":
		return &l.kind
	}
	return nil
}

// meta returns the same for a member of the object's metadata.
func (l *layout) meta(key string) *span {
	switch key {
	case "namespace":
		return &l.namespace
	case "name":
		return &l.name
	case "uid":
		return &l.uid
	case "resourceVersion":
		return &l.resourceVersion
	case "generation":
		return &l.generation
	case "deletionTimestamp":
		return &l.deletionTimestamp
	case "labels":
		return &l.labels
	case "managedFields":
		return &l.managedFields
	}
	return nil
}

// build copies the object without its managedFields. The header's strings are parts of the copy.
func (l *layout) build(raw []byte) (Header, error) {
	cut := memberAround(raw, l.managedFields)
	own := make([]byte, len(raw)-(cut.to-cut.from))
	copy(own, raw[:cut.from])
	copy(own[cut.from:], raw[cut.to:])

	b := builder{own: own, cut: cut}
	h := Header{
		APIVersion:        b.text(l.apiVersion),
		Kind:              b.text(l.kind),
		Namespace:         b.text(l.namespace),
		Name:              b.text(l.name),
		UID:               b.text(l.uid),
		ResourceVersion:   b.text(l.resourceVersion),
		Generation:        b.integer(l.generation),
		DeletionTimestamp: b.text(l.deletionTimestamp),
		Labels:            b.value(l.labels),
		Raw:               own,
	}
	return h, b.err
}

// memberAround extends the span of a member's value to its key and one of the commas around it.
// Searching back to the nearest comma or brace is correct because the key itself, managedFields,
// contains neither, escaped or not.
func memberAround(raw []byte, value span) span {
	if value.to == 0 {
		return span{}
	}
	member := value
	for raw[member.from] != ',' && raw[member.from] != '{' {
		member.from--
	}
	if raw[member.from] == ',' {
		return member
	}
	// It is the first member: keep the brace and take the comma after it, if there is one.
	member.from++
	for i := member.to; i < len(raw) && raw[i] <= ','; i++ {
		if raw[i] == ',' {
			member.to = i + 1
			break
		}
	}
	return member
}

// builder reads values from the copy by their span in the input.
type builder struct {
	own []byte
	cut span
	err error
}

func (b *builder) value(s span) []byte {
	if s.to == 0 {
		return nil
	}
	if s.from >= b.cut.to {
		shift := b.cut.to - b.cut.from
		s.from -= shift
		s.to -= shift
	}
	return b.own[s.from:s.to]
}

func (b *builder) text(s span) string {
	v := alias(b.value(s))
	if v == "" || v == "null" {
		return ""
	}
	if v[0] == '"' && strings.IndexByte(v, '\\') < 0 {
		return v[1 : len(v)-1]
	}
	var text string
	if err := json.Unmarshal([]byte(v), &text); err != nil {
		b.err = err
	}
	return text
}

func (b *builder) integer(s span) int64 {
	v := alias(b.value(s))
	if v == "" || v == "null" {
		return 0
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		b.err = err
	}
	return n
}

// alias returns the bytes as a string without copying them; they must not change while it is used.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// within returns the span of part in whole, of which it must be a substring in memory. It computes
// positions for libraries that return values as substrings of the input.
func within(whole, part string) span {
	from := int(uintptr(unsafe.Pointer(unsafe.StringData(part))) - uintptr(
		unsafe.Pointer(unsafe.StringData(whole))))
	return span{from, from + len(part)}
}
