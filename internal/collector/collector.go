// Package collector makes Go's garbage collector run after a store has released memory, and returns
// that memory to the operating system. When objects are compressed, little is allocated, so the
// collector would have no reason to run, sometimes for minutes.
//
// GOGC and GOMEMLIMIT in the environment work as in any Go program (RATIONALE.md).
package collector

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

var state struct {
	sync.Mutex
	freed   int64 // since the last collection started here
	running bool
}

// Freed records that so many bytes have just become garbage, and whether more will soon. If that is
// enough, it starts a goroutine that collects them, returns them to the operating system, and ends.
func Freed(bytes int64, more bool) {
	state.Lock()
	defer state.Unlock()
	state.freed += bytes
	if share := heap() / state.freed; state.running || more && share > freedShare ||
		share > restShare {
		return
	}
	state.running, state.freed = true, 0
	go func() {
		debug.FreeOSMemory()
		state.Lock()
		defer state.Unlock()
		state.running = false
	}()
}

// heap returns how many bytes the heap has, garbage included.
func heap() int64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
