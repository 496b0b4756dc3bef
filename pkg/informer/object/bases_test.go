package object

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/informerd/informerd/pkg/informer/object/internal/reader"
)

// replica returns a state of a pod of a workload. It resembles only other pods of the workload.
func replica(workload, replica, version int) string {
	r := rand.New(rand.NewPCG(uint64(workload), 0))
	var env strings.Builder
	for i := range 100 {
		fmt.Fprintf(&env, `{"name":"VARIABLE_%d","value":"%016x"},`, i, r.Uint64())
	}
	return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":"w%d-%d","namespace":"n","uid":"%[1]d-%[2]d","resourceVersion":"%[3]d","labels":{"app":"w%[1]d"},`+
		`"managedFields":[{"manager":"kubelet","fieldsV1":{"f:status":{"f:phase":{},"f:version":{}}}}]},"spec":{"containers":[{"name":"c","env":[%[4]s{}]}]},"status":{"phase":"Running","version":%[3]d}}`,
		workload, replica, version, env.String())
}

// known is a store of objects by key.
type known map[Key]*Object

func (k known) parser() *Parser { return &Parser{Last: func(key Key) *Object { return k[key] }} }

func (k known) read(t testing.TB, p *Parser, text string) *Object {
	t.Helper()
	o, _, err := p.ParseItem([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if o.Plain().JSON() != mustParse(t, &Parser{Plain: true}, text).JSON() {
		t.Fatalf("%s\nbecame %s", text, o.JSON())
	}
	k[o.Key()] = o
	return o
}

// However many workloads there are, an update leaves an object as small as it was: it is read
// against its own last state, and there is no limit to how many are known.
func TestObjectsStayPackedWithManyWorkloads(t *testing.T) {
	workloads := 5000
	if testing.Short() {
		workloads = 2500
	}
	store := known{}
	p := store.parser()
	for w := range workloads {
		for i := range 3 {
			store.read(t, p, replica(w, i, 1))
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	packed, updates := 0, workloads
	for v := range updates {
		if o := store.read(t, p, replica(r.IntN(workloads), r.IntN(3), v)); o.base != nil {
			packed++
		}
	}
	if packed < updates*99/100 {
		t.Errorf("%d of %d updates were packed", packed, updates)
	}
}

// A new replica is packed by the base of its workload as long as another one refers to that. An
// origin is forgotten with its base.
func TestAnOriginIsKnownAsLongAsItsBase(t *testing.T) {
	store := known{}
	p := store.parser()
	for w := range 3000 {
		store.read(t, p, replica(w, 0, 1))
	}
	for w := range 100 {
		if o := store.read(t, p, replica(w, 1, 1)); o.base == nil {
			t.Fatalf("workload %d: a new replica is plain", w)
		}
	}
	clear(store)
	for w := range 5000 {
		if w%500 == 0 {
			runtime.GC() // finds out which bases are gone
		}
		store.read(t, p, replica(10_000+w, 0, 1))
		clear(store)
	}
	if n := len(p.reader.Bases.ByOrigin); n > 3500 {
		t.Errorf("%d origins are known", n)
	}
}

// A large object that keeps changing does not take their bases from others.
func TestANoisyObjectLeavesOthersTheirBases(t *testing.T) {
	store := known{}
	p := store.parser()
	const others = 50
	for w := range others {
		store.read(t, p, replica(w, 0, 1))
		store.read(t, p, replica(w, 1, 1))
	}
	r := rand.New(rand.NewPCG(1, 1))
	for _, size := range []int{1000, 10_000, 60_000} {
		for v := range 100 {
			var b strings.Builder
			for range size / 16 {
				fmt.Fprintf(&b, "%016x", r.Uint64())
			}
			store.read(t, p, fmt.Sprintf(
				`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"noisy","namespace":"n","resourceVersion":"%d"},"data":{"%d":%q}}`, v, v, b.String()))
			if o := store.read(t, p, replica(v%others, 0, v)); o.base == nil {
				t.Errorf("with an object of %d bytes, a replica is plain", size)
			}
			if o := store.read(t, p, replica(v%others, 2+v, v)); o.base == nil {
				t.Errorf("with an object of %d bytes, a new replica is plain", size)
			}
		}
	}
}

// An object that has shrunk releases the text it had, and one that has grown releases nothing it
// needs.
func TestAShrunkObjectReleasesItsBase(t *testing.T) {
	text := func(members int) string {
		var b strings.Builder
		for i := range members {
			fmt.Fprintf(&b, `,"key-%05d":"value %05d, and some more text to make it long"`, i, i)
		}
		return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n"},"data":{"a":"b"` + b.String() + `}}`
	}
	for _, experienced := range []bool{false, true} {
		store := known{}
		p := store.parser()
		if !experienced {
			p.Last = nil
		}
		for size := 10_000; size > 0; size = size * 2 / 3 {
			o := store.read(t, p, text(size))
			if o.base != nil && len(o.base.Text) > reader.MaxBaseRatio*o.Size() {
				t.Errorf("an object of %d bytes refers to one of %d bytes", o.Size(),
					len(o.base.Text))
			}
			if got, most := o.Hold(), o.Size()*(reader.MaxBaseRatio+1)+2*objectSize; got > most {
				t.Errorf("an object of %d bytes takes %d", o.Size(), got)
			}
			o.Release()
		}
	}
}

// What a store takes is the sum of its objects, with the text of each base once, in any order of
// additions and removals.
func TestABaseIsCountedOnce(t *testing.T) {
	store := known{}
	p := store.parser()
	r := rand.New(rand.NewPCG(1, 1))
	held, sum := known{}, 0
	for v := range 2000 {
		o := store.read(t, p, replica(r.IntN(3), r.IntN(5), v))
		if r.IntN(3) == 0 {
			o = mustParse(t, &Parser{}, replica(7, r.IntN(5), v))
		}
		if old := held[o.Key()]; old != nil {
			sum -= old.Release()
			delete(held, o.Key())
		}
		if r.IntN(4) > 0 {
			sum += o.Hold()
			held[o.Key()] = o
		}
		want, bases := 0, map[*byte]bool{}
		for _, o := range held {
			want += o.Memory()
			var text string
			if o.base != nil {
				text = o.base.Text
			} else {
				want -= len(o.JSON())
				text = o.JSON()
			}
			if start := unsafe.StringData(text); !bases[start] {
				bases[start] = true
				want += len(text)
				if b := o.base; b != nil {
					want += b.Overhead()
				} else {
					want += o.ownBase.Overhead()
				}
			}
		}
		if sum != want {
			t.Fatalf("%d bytes are counted, %d are there", sum, want)
		}
	}
	if size := unsafe.Sizeof(Object{}); size > objectSize {
		t.Errorf("an Object takes %d bytes", size)
	}
}
