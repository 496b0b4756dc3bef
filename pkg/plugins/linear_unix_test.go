//go:build linux || darwin || freebsd

package plugins

import (
	"runtime"
	"testing"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
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

// Who closes a guest under a call takes no memory away that the call works on: it is given back
// behind the call.
func TestMemoryStaysUntilTheCallHasEnded(t *testing.T) {
	l, err := newLinear(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	memory := l.Reallocate(wasmbin.PageSize)
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
