package measure

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Heap is the Go runtime's report on the heap of the calling process.
type Heap struct {
	Live   int64  // bytes of objects, reachable or not yet freed
	Allocs uint64 // objects allocated since the process started
}

// ReadHeap reads the figures without stopping the program.
func ReadHeap() Heap {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {
		Name: "/gc/heap/allocs:objects"}, {Name: "/gc/heap/tiny/allocs:objects"}}
	metrics.Read(samples)
	return Heap{Live: int64(samples[0].Value.Uint64()), Allocs: samples[1].Value.Uint64() +
		samples[2].Value.Uint64()}
}

// Collect frees what is unreachable, finalizers and pools included, and returns free memory to the
// kernel.
func Collect() {
	// The second collection empties pools, and frees what finalizers held.
	runtime.GC()
	runtime.GC()
	debug.FreeOSMemory()
}
