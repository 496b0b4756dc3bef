// Package collector sets Go's garbage collector up for a process that holds much text and little else. Two things differ
// from Go's defaults:
//
//   - Garbage may be half as large as what is in use, not as large: [Set]. Texts have no pointers, so that to mark a store
//     of them takes little time, and to do it twice as often costs less than what the memory is worth (RATIONALE.md has what
//     was measured).
//   - What a store has given back is collected, and returned to the operating system: [Freed]. When objects are compressed,
//     nothing much is allocated, so the collector would have no reason to run, sometimes for minutes.
//
// The environment has the last word: with GOGC set, Set changes nothing; GOMEMLIMIT is a soft limit as in each Go program.
package collector

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// percent is GOGC, if the environment does not say otherwise.
const percent = 50

// Set sets the process's collector up.
func Set() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

const (
	// freedShare is which share of the heap must have become garbage for a collection, while there is more to come; and
	// restShare when that was all. The rest is worth more than its bytes: it is one object here and one there, each of
	// which keeps others' places from being returned.
	freedShare = 4
	restShare  = 32
)

var state struct {
	sync.Mutex
	freed   int64 // since the last collection was begun here
	running bool
}

// Freed says that so many bytes have become garbage just now, and whether there will be more soon. If that is much, they are
// collected and returned to the operating system, on a goroutine that ends with it.
func Freed(bytes int64, more bool) {
	state.Lock()
	defer state.Unlock()
	state.freed += bytes
	if share := heap() / state.freed; state.running || more && share > freedShare || share > restShare {
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
