// Package collector has memory that a store has released collected, and returned to the operating
// system. When objects are compressed, little is allocated, so Go's garbage collector would have no
// reason to run, sometimes for minutes.
//
// It is Go's otherwise: GOGC and GOMEMLIMIT in the environment do what they do in each Go program
// (RATIONALE.md).
package collector

import (
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// freedShare is which share of the heap must have become garbage for a collection, while there
	// is more to come; and restShare when that was all. The rest is worth more than its bytes: it
	// is one object here and one there, each of which keeps others' places from being returned.
	freedShare = 4
	restShare  = 32
)

var state struct {
	sync.Mutex
	freed   int64 // since the last collection was begun here
	running bool
}

// Freed says that so many bytes have become garbage just now, and whether there will be more soon.
// If that is much, they are collected and returned to the operating system, on a goroutine that
// ends with it.
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
