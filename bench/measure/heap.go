package measure

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Heap is what the Go runtime of the calling process says of its heap.
type Heap struct {
	Live   int64  // bytes of objects, reachable or not yet freed
	Allocs uint64 // objects allocated since the process began
}

// ReadHeap reads it without stopping the program.
func ReadHeap() Heap {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {
		Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/tiny/allocs:objects"}}
	metrics.Read(samples)
	return Heap{Live: int64(samples[0].Value.Uint64()), Allocs: samples[1].Value.Uint64() +
		samples[2].Value.Uint64()}
}

// Collect frees what is unreachable, finalizers and pools included, and gives free memory back to
// the kernel.
func Collect() {
	// Pools are emptied, and what finalizers held is freed, by the collection after the first.
	runtime.GC()
	runtime.GC()
	debug.FreeOSMemory()
}
