package record_test

import (
	"bytes"
	"errors"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/record/recordtest"
	"github.com/informerd/informerd/pkg/informer/object"
)

// value is one of each sort of thing that values are made of.
type value struct {
	_       struct{} `cbor:",toarray"`
	Number  uint64
	Integer int64
	Text    string
	Is      bool
	At      time.Time
	Bytes   []byte
	More    []value
}

func drawValue(t *rapid.T, depth int) (v value) {
	v.Number, v.Integer = rapid.Uint64().Draw(t, "number"), rapid.Int64().Draw(t, "integer")
	v.Bytes = rapid.SliceOfN(rapid.Byte(), 1, 20).Draw(t, "bytes")
	v.Text, v.Is = string(v.Bytes), rapid.Bool().Draw(t, "is") // it need not be UTF-8
	if rapid.Bool().Draw(t, "has a time") {
		v.At = time.Unix(rapid.Int64Range(0, 1<<32).Draw(t, "seconds"),
			rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds")).UTC()
	}
	for range rapid.IntRange(0, depth).Draw(t, "more") {
		v.More = append(v.More, drawValue(t, depth-1))
	}
	return v
}

func encoded(v any) []byte {
	var b bytes.Buffer
	record.Encode(&b, v)
	return b.Bytes()
}

// What was written is read as it was, and neither a part of it nor more than it is read.
func TestValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, 2)
		b := encoded(&v)
		var got value
		if err := (record.Record{Value: b}).Decode(&got); err != nil {
			t.Fatal(err)
		}
		if again := encoded(&got); !bytes.Equal(again, b) || got.Text != v.Text || got.At != v.At {
			t.Fatalf("%+v\nbecomes %+v", v, got)
		}
		part := b[:rapid.IntRange(0, len(b)-1).Draw(t, "length")]
		for what, b := range map[string][]byte{"a part": part, "one byte more": append(b, 0)} {
			if err := (record.Record{Value: b}).Decode(&got); !errors.Is(err, record.ErrDamaged) {
				t.Fatalf("%s: %v", what, err)
			}
		}
	})
}

// A set has what cuts make together, and Write writes all of it.
func TestSet(t *testing.T) {
	keys := []object.Key{{Name: "a"}, {Namespace: "ns", Name: "a"}, {Name: "b"}}
	rapid.Check(t, func(t *rapid.T) {
		set, cut := record.Set{}, recordtest.Cut{}
		for i := range rapid.IntRange(0, 30).Draw(t, "changes") {
			part := rapid.SampledFrom([]string{"x", "y"}).Draw(t, "part")
			key := rapid.SampledFrom(keys).Draw(t, "key")
			change := rapid.IntRange(0, 6).Draw(t, "change")
			for _, to := range []record.Writer{set, &cut} {
				switch change {
				case 0:
					to.Delete(part, key)
				case 1:
					to.Clear(part)
				case 2:
					to.Reset()
				default:
					to.Put(part, key, i, nil)
				}
			}
		}
		same(t, recordtest.Apply(cut), set)
		same(t, recordtest.Apply(recordtest.Cut{{Part: "z", Record: &record.Record{}}},
			recordtest.Of(set.Write)), set)
	})
}

// same compares records.
func same(t *rapid.T, got, want record.Set) {
	t.Helper()
	for _, part := range []string{"x", "y", "z"} {
		if !maps.EqualFunc(got[part], want[part], func(a, b record.Record) bool {
			return bytes.Equal(a.Value, b.Value)
		}) {
			t.Fatalf("%v\nwant %v", got, want)
		}
	}
}
func TestObjectsOfARecord(t *testing.T) {
	o := &object.Object{}
	r := record.Record{Objects: []*object.Object{o}}
	for number, want := range map[int]*object.Object{0: nil, 1: o} {
		if got, err := r.Object(number); got != want || err != nil {
			t.Errorf("object %d: %v, %v", number, got, err)
		}
	}
	for _, number := range []int{-1, 2} {
		if _, err := r.Object(number); !errors.Is(err, record.ErrDamaged) {
			t.Errorf("object %d: %v", number, err)
		}
	}
}
