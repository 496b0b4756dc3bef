package object

import (
	"encoding/binary"
	"weak"

	"github.com/informerd/informerd/pkg/informer/object/internal/align"
)

// The encoded form: records of objects, and before them those of the texts that they share and that
// were not written yet. Numbers are varints.
//
//	1  number, length, text                           a shared text, a base or a dictionary
//	2  length, text                                   an object
//	3  number of the base                             an object that is the base
//	4  number of the base, size, length of literals, literals, length of operations, operations
//	                                                  a packed object
//	5  1 + number of the dictionary or 0, size, length, compressed text
//	                                                  a dense object
//
// A number may be defined again: by another Encoder, whose records follow those of the first one.
const (
	sharedRecord = iota + 1
	textRecord
	baseRecord
	packedRecord
	denseRecord
)

// maxExpanded is the size up to which an object is written packed or dense, so that a Decoder never
// makes much of little input.
const maxExpanded = 16 << 20

// Encoder writes objects so that a [Decoder] reads them with the JSON and the header that they
// have, and in their stored form. A text that packed or dense objects share is written once. So all
// that an Encoder has appended has to be read by one Decoder, in order. After the output of one
// Encoder it may read that of another one.
//
// An Encoder keeps no object from being freed. It serves one goroutine. The zero value is ready.
type Encoder struct {
	numbers map[weak.Pointer[align.Base]]uint64
	next    uint64
	sweepAt int // size of numbers at which those of freed texts are removed
}

// minEncoderSweep is the smallest value of Encoder.sweepAt.
const minEncoderSweep = 1024

// Append appends an object to b.
func (e *Encoder) Append(b []byte, o *Object) []byte {
	switch o = o.Stored(); {
	case o.isDense && o.size <= maxExpanded:
		number := uint64(0)
		if o.base != nil {
			b, number = e.share(b, o.base)
			number++
		}
		b = append(b, denseRecord)
		b = binary.AppendUvarint(b, number)
		b = binary.AppendUvarint(b, uint64(o.size))
		return appendText(b, o.text[o.literals:])
	case o.base != nil && !o.isDense && o.size <= maxExpanded:
		b, number := e.share(b, o.base)
		b = append(b, packedRecord)
		b = binary.AppendUvarint(b, number)
		b = binary.AppendUvarint(b, uint64(o.size))
		b = appendText(b, o.text[o.literals:o.ops])
		return appendText(b, o.text[o.ops:])
	case o.ownBase != nil:
		b, number := e.share(b, o.ownBase)
		b = append(b, baseRecord)
		return binary.AppendUvarint(b, number)
	}
	b = append(b, textRecord)
	b = binary.AppendUvarint(b, uint64(o.size))
	return o.AppendJSON(b)
}

// share returns the number of a shared text. It appends the text if it has none yet.
func (e *Encoder) share(b []byte, base *align.Base) ([]byte, uint64) {
	key := weak.Make(base)
	if number, ok := e.numbers[key]; ok {
		return b, number
	}
	if e.numbers == nil {
		e.numbers, e.sweepAt = map[weak.Pointer[align.Base]]uint64{}, minEncoderSweep
	}
	if len(e.numbers) >= e.sweepAt {
		for key := range e.numbers {
			if key.Value() == nil {
				delete(e.numbers, key)
			}
		}
		e.sweepAt = max(minEncoderSweep, 2*len(e.numbers))
	}
	number := e.next
	e.next++
	e.numbers[key] = number
	b = append(b, sharedRecord)
	b = binary.AppendUvarint(b, number)
	return appendText(b, base.Text), number
}

// appendText appends a text and, before it, its length.
func appendText(b []byte, text string) []byte {
	b = binary.AppendUvarint(b, uint64(len(text)))
	return append(b, text...)
}
