// Package recordtest has cuts for the tests of those who write records.
package recordtest

import (
	"bytes"
	"slices"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Cut are the records of one cut, nil if it has none. It is a record.Writer.
type Cut []Change

// Change is a change of a cut.
type Change struct {
	Part   string
	Key    object.Key
	Record *record.Record // nil if there is none any more
	Reset  bool           // everything is forgotten
	Clear  bool           // the part is forgotten
}

// Of returns the records that somebody writes.
func Of(write func(record.Writer)) (c Cut) {
	write(&c)
	return c
}

// Apply returns what cuts add up to.
func Apply(cuts ...Cut) record.Set {
	s := record.Set{}
	for _, c := range cuts {
		for _, change := range c {
			switch {
			case change.Reset:
				s.Reset()
			case change.Clear:
				s.Clear(change.Part)
			case change.Record == nil:
				s.Delete(change.Part, change.Key)
			default:
				s.Add(change.Part, change.Key, *change.Record)
			}
		}
	}
	return s
}

// Reset implements record.Writer.
func (c *Cut) Reset() { *c = append(*c, Change{Reset: true}) }

// Clear implements record.Writer.
func (c *Cut) Clear(part string) { *c = append(*c, Change{Part: part, Clear: true}) }

// Delete implements record.Writer.
func (c *Cut) Delete(part string, key object.Key) { *c = append(*c, Change{Part: part, Key: key}) }

// Put implements record.Writer.
func (c *Cut) Put(part string, key object.Key, value any, objects []*object.Object) {
	var b bytes.Buffer
	record.Encode(&b, value)
	*c = append(*c, Change{Part: part, Key: key,
		Record: &record.Record{Value: b.Bytes(), Objects: slices.Clone(objects)}})
}
