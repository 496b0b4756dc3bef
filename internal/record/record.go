package record

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"github.com/informerd/informerd/pkg/informer/object"
)

// ErrDamaged is the error of records that are not what was written.
var ErrDamaged = errors.New("it is not what was written")

// Record is what an owner has under a key.
type Record struct {
	Value   []byte // CBOR
	Objects []*object.Object
}

// Writer takes the records of an owner that have changed, in their order.
type Writer interface {
	// Reset forgets all records of the owner.
	Reset()
	// Clear forgets all records of a part.
	Clear(part string)
	// Put writes a record in place of the one that the part has of the key. The key is empty only
	// if there are no objects. It keeps neither the value nor the slice of the objects.
	Put(part string, key object.Key, value any, objects []*object.Object)
	// Delete forgets a record.
	Delete(part string, key object.Key)
}

// Set are records of an owner, by part and key. It is a Writer.
type Set map[string]map[object.Key]Record

// Reset implements Writer.
func (s Set) Reset() { clear(s) }

// Clear implements Writer.
func (s Set) Clear(part string) { delete(s, part) }

// Put implements Writer.
func (s Set) Put(part string, key object.Key, value any, objects []*object.Object) {
	var b bytes.Buffer
	Encode(&b, value)
	s.Add(part, key, Record{b.Bytes(), append([]*object.Object(nil), objects...)})
}

// Add adds a record that nobody else changes.
func (s Set) Add(part string, key object.Key, r Record) {
	if s[part] == nil {
		s[part] = map[object.Key]Record{}
	}
	s[part][key] = r
}

// Delete implements Writer.
func (s Set) Delete(part string, key object.Key) { delete(s[part], key) }

// Write writes all records.
func (s Set) Write(to Writer) {
	to.Reset()
	for part, records := range s {
		for key, r := range records {
			if r.Value == nil {
				to.Put(part, key, nil, r.Objects)
			} else {
				to.Put(part, key, Raw(r.Value), r.Objects)
			}
		}
	}
}

// Raw is a value that is not read yet.
type Raw = cbor.RawMessage

// The texts of messages are whatever a guest has made, so they need not be UTF-8.
var (
	encoder = must(cbor.EncOptions{Time: cbor.TimeRFC3339NanoUTC,
		NilContainers: cbor.NilContainerAsEmpty}.UserBufferEncMode())
	decoder = must(cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid,
		MaxArrayElements: 1<<31 - 1}.DecMode())
)

func must[M any](mode M, err error) M {
	if err != nil {
		panic(err)
	}
	return mode
}

// Encode appends a value.
func Encode(to *bytes.Buffer, value any) {
	if raw, is := value.(Raw); is {
		to.Write(raw)
		return
	}
	if err := encoder.MarshalToBuffer(value, to); err != nil {
		panic(err) // no value has anything that has no form
	}
}

// Decode reads all of the value.
func (r Record) Decode(to any) error { return damaged(decoder.Unmarshal(r.Value, to)) }

// DecodeFirst reads the value that bytes begin with, and returns what follows.
func DecodeFirst(b []byte, to any) (rest []byte, err error) {
	rest, err = decoder.UnmarshalFirst(b, to)
	return rest, damaged(err)
}

func damaged(err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return nil
}

// Object returns the object of a number that begins with 1, and nil for 0.
func (r Record) Object(number int) (*object.Object, error) {
	if number < 0 || number > len(r.Objects) {
		return nil, ErrDamaged
	}
	if number == 0 {
		return nil, nil
	}
	return r.Objects[number-1], nil
}
