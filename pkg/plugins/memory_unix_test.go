//go:build linux || darwin || freebsd

package plugins

import (
	"errors"
	"runtime"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmtest"
)

// A memory that grows stays where it is, with what is in it, and takes nothing of Go's heap.
func TestMemoryGrowsInPlaceAndOutsideOfTheHeap(t *testing.T) {
	const most, step = 64 << 20, 1 << 20
	l, err := newLinear(most)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Free()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	first := l.Reallocate(step)
	first[0] = 7
	for size := uint64(2 * step); size <= most; size += step {
		grown := l.Reallocate(size)
		if uint64(len(grown)) != size || &grown[0] != &first[0] || grown[0] != 7 {
			t.Fatalf("%d of %d bytes, which begin with %d", len(grown), size, grown[0])
		}
		grown[size-1] = 1
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > most/10 {
		t.Errorf("a memory of %d bytes has taken %d of the heap", most, grown)
	}
	if l.Reallocate(most+1) != nil {
		t.Error("it grows beyond what was reserved")
	}
}

// A guest's memory is such a one, and is given back when the guest is closed, be it by a crash.
func TestMemoryOfAGuestIsGivenBack(t *testing.T) {
	host, _ := testHost(t)
	for name, code := range map[string][]byte{"closed": konst(0), "crashed": unreachable} {
		i := instance(t, host, testSpec(onEvent(guestModule(), wasmtest.Grow(3), drop, code)))
		linear := i.guest.linear
		small, _ := i.guest.memory.Read(0, 1)
		_, err := i.Handle(t.Context(), podAdd(t))
		switch crashed := (*CrashError)(nil); {
		case errors.As(err, &crashed):
		case err != nil:
			t.Fatal(err)
		default:
			large, ok := i.guest.memory.Read(0, 4*pageSize)
			if !ok || &large[0] != &small[0] {
				t.Errorf("%s: the memory has moved as it grew", name)
			}
			if linear.freed {
				t.Errorf("%s: the memory is gone before the guest", name)
			}
			if err := i.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if !linear.freed || linear.enter() {
			t.Errorf("%s: the memory is still there", name)
		}
	}
}

// Who closes a guest under a call takes no memory away that the call works on: it is given back
// behind the call.
func TestMemoryStaysUntilTheCallHasEnded(t *testing.T) {
	l, err := newLinear(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	memory := l.Reallocate(pageSize)
	if !l.enter() {
		t.Fatal("a new memory cannot be used")
	}
	l.Free()
	memory[0] = 1 // would be a fault
	if l.freed || l.enter() {
		t.Errorf("freed %t, or another call may begin", l.freed)
	}
	if l.leave(); !l.freed {
		t.Error("the memory is still there")
	}
	l.Free() // does no harm
}
