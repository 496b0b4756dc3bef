package jsonscan

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/informerd/informerd/bench/objects"
)

var sizes = []struct {
	name  string
	bytes int
}{{"2KB", objects.Small}, {"10KB", objects.Medium}, {"50KB", objects.Large}}

func TestHeadersAgree(t *testing.T) {
	eachContender(t, func(t *testing.T, c contender) {
		if c.header == nil {
			t.Skip("does not do this job")
		}
		eachPod(func(seed uint64, raw []byte) {
			want, err := baseline.header(raw)
			if err != nil {
				t.Fatal(err)
			}
			input := bytes.Clone(raw)
			got, err := c.header(input)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			// The input's buffer is reused for the next object, so no result may point into it.
			clear(input)
			if len(got.Raw) != cap(got.Raw) {
				t.Fatalf("seed %d: the copy has %d bytes in %d", seed, len(got.Raw), cap(got.Raw))
			}
			if !sameJSON(got.Raw, want.Raw) || !sameJSON(got.Labels, want.Labels) {
				t.Fatalf("seed %d: got\n%s\nwant\n%s", seed, got.Raw, want.Raw)
			}
			got.Raw, want.Raw, got.Labels, want.Labels = nil, nil, nil, nil
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: got %+v, want %+v", seed, got, want)
			}
		})
	})
}

func TestFieldsAgree(t *testing.T) {
	eachContender(t, func(t *testing.T, c contender) {
		if c.fields == nil {
			t.Skip("does not do this job")
		}
		eachPod(func(seed uint64, raw []byte) {
			want, err := baseline.fields(raw)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := c.fields(raw); err != nil || got != want {
				t.Fatalf("seed %d: got %+v, %v, want %+v", seed, got, err, want)
			}
		})
	})
}

func TestFieldsThatAreAbsent(t *testing.T) {
	shapes := []string{
		`{}`,
		`{"spec":{"containers":[]},"status":{"phase":"p"}}`,
		`{"spec":{"containers":[{"name":"c"},{"image":"not the first"}]},"status":{}}`,
		`{"spec":{"x":{"containers":[{"image":"deeper"}]}},"status":{"y":{"phase":"deeper"}}}`,
	}
	eachContender(t, func(t *testing.T, c contender) {
		if c.fields == nil {
			t.Skip("does not do this job")
		}
		for _, shape := range shapes {
			want, err := baseline.fields([]byte(shape))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := c.fields([]byte(shape)); err != nil || got != want {
				t.Errorf("%s: got %+v, %v, want %+v", shape, got, err, want)
			}
		}
	})
}

func TestManagedFieldsAnywhere(t *testing.T) {
	shapes := []string{
		`{"apiVersion":"v1","kind":"K","metadata":{"managedFields":[1],"name":"x"}}`,
		`{"apiVersion":"v1","kind":"K","metadata":{"name":"x","managedFields":[1]}}`,
		`{"metadata":{"name":"x","managedFields":[1],"uid":"u"},"kind":"K","apiVersion":"v1"}`,
		`{"metadata":{"managedFields":[1],"name":"x"},"kind":"K","apiVersion":"v1"}`,
		"{ \"metadata\" : { \"managedFields\" : [ 1 ] , \"name\" : \"x\" } ,\n \"kind\" : \"K\",\"apiVersion\":\"v1\" }",
		`{"metadata":{"name":"x"},"kind":"K","apiVersion":"v1"}`,
		`{"apiVersion":"v1","kind":"K","metadata":{"name":"\u00fc\"","labels":{"a":"b"}}}`,
	}
	eachContender(t, func(t *testing.T, c contender) {
		if c.header == nil {
			t.Skip("does not do this job")
		}
		for _, shape := range shapes {
			want, err := baseline.header([]byte(shape))
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.header([]byte(shape))
			if err != nil || !sameJSON(got.Raw, want.Raw) || got.Name != want.Name ||
				got.Kind != want.Kind {
				t.Errorf("%s\ngot  %+v %s, %v\nwant %+v %s", shape, got, got.Raw, err, want,
					want.Raw)
			}
		}
	})
}

func BenchmarkHeader(b *testing.B) {
	// The minimum: making the copy, without finding anything.
	for _, size := range sizes {
		b.Run("copyonly/"+size.name, func(b *testing.B) {
			raw := objects.Pod(5, size.bytes)
			want, err := baseline.header(raw)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				exact(raw[:len(want.Raw)])
			}
		})
	}
	for _, c := range contenders {
		if c.header != nil {
			benchmark(b, c, func(raw []byte) []byte { return raw }, func(raw []byte) error {
				_, err := c.header(raw)
				return err
			})
		}
	}
}

func BenchmarkField(b *testing.B) {
	for _, c := range contenders {
		if c.fields != nil {
			benchmark(b, c, stored, func(raw []byte) error {
				_, err := c.fields(raw)
				return err
			})
		}
	}
}

func benchmark(b *testing.B, c contender, prepare func([]byte) []byte, job func([]byte) error) {
	for _, size := range sizes {
		b.Run(c.name+"/"+size.name, func(b *testing.B) {
			if !c.works() {
				b.Skip("not supported on this machine")
			}
			// Several pods in turn, so that no branch predictor learns one.
			pods := make([][]byte, 16)
			total := 0
			for i := range pods {
				pods[i] = prepare(objects.Pod(uint64(i), size.bytes))
				total += len(pods[i])
			}
			b.SetBytes(int64(total / len(pods)))
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if err := job(pods[i%len(pods)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}

// stored returns the object as the cache keeps it: without managedFields, with the original order
// of members.
func stored(raw []byte) []byte {
	h, err := gjsonWalkHeader(raw)
	if err != nil {
		panic(err)
	}
	return h.Raw
}

func (c contender) works() bool { return c.supported == nil || c.supported() }

func eachContender(t *testing.T, test func(t *testing.T, c contender)) {
	for _, c := range contenders {
		t.Run(c.name, func(t *testing.T) {
			if !c.works() {
				t.Skip("not supported on this machine")
			}
			test(t, c)
		})
	}
}

func eachPod(visit func(seed uint64, raw []byte)) {
	seeds := uint64(2 * objects.Workloads)
	if testing.Short() {
		seeds /= 10
	}
	for _, size := range sizes {
		for seed := range seeds {
			visit(seed, objects.Pod(seed, size.bytes))
		}
	}
}

// sameJSON compares by meaning, because a contender that rewrites the object may order and escape
// it differently.
func sameJSON(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	return v, err
}
