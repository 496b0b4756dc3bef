package daemon

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// freedShare is the share of the heap that must have become garbage for a collection, while
	// more is expected; restShare applies once that was all. The last garbage is worth more than
	// its bytes: it is scattered, and keeps the memory around it from being returned.
	freedShare = 4
	restShare  = 32
)

var collections struct {
	sync.Mutex
	freed   int64 // since the last collection started here
	running bool
}

// CollectFreed records that a store has released so many bytes, and whether more will be soon. If
// that is enough, it starts a goroutine that collects them, returns them to the operating system,
// and ends. When objects are compressed, little is allocated, and Go would not collect for minutes:
// with 5,000 ConfigMaps 75 MB stayed resident, and 23 with this. GOGC=50 and 25 did not change that
// reliably, and made an event take 5% more CPU. GOGC and GOMEMLIMIT work as in any Go program.
func CollectFreed(bytes int64, more bool) {
	collections.Lock()
	defer collections.Unlock()
	collections.freed += bytes
	if share := heapBytes() / collections.freed; collections.running || more && share > freedShare ||
		share > restShare {
		return
	}
	collections.running, collections.freed = true, 0
	go func() {
		debug.FreeOSMemory()
		collections.Lock()
		defer collections.Unlock()
		collections.running = false
	}()
}

// heap returns how many bytes the heap has, garbage included.
func heapBytes() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
