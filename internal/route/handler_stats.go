package route

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/plugins"
)

// handlerBounds are from what a small handler takes to its deadline.
var handlerBounds = []time.Duration{50 * time.Microsecond, 100 * time.Microsecond,
	500 * time.Microsecond, time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second,
	5 * time.Second}

// otherCrash is the reason of a crash that is not the guest's: no instance could be started.
const otherCrash = plugins.Reason("other")

// crashReasons are all reasons of crashes.
var crashReasons = [...]plugins.Reason{plugins.ReasonTrap, plugins.ReasonDeadline,
	plugins.ReasonFuel, plugins.ReasonMemory, plugins.ReasonExit, plugins.ReasonProtocol,
	plugins.ReasonRefused, otherCrash}

// handlerCounts counts the calls of a listener's handlers.
type handlerCounts struct {
	any     atomic.Bool // there is a handler, or was
	took    *tracing.Histogram
	fuel    atomic.Uint64
	memory  atomic.Int64 // of all workers' instances
	crashes [len(crashReasons)]atomic.Uint64
}

// crashed counts a crash.
func (h *handlerCounts) crashed(err error) {
	reason := otherCrash
	var crash *plugins.CrashError
	if errors.As(err, &crash) {
		reason = crash.Reason
	}
	i := slices.Index(crashReasons[:], reason)
	if i < 0 {
		i = len(crashReasons) - 1
	}
	h.crashes[i].Add(1)
}

// HandlerStats are of the handlers that a route has had.
type HandlerStats struct {
	Took   tracing.Snapshot // of each call; one of a batch is one
	Fuel   uint64           // units that the calls used
	Memory int64            // bytes that the instances have, with the stacks of their calls
	// Crashes are those of HandlerCrashes, by reason.
	Crashes map[plugins.Reason]uint64
}

// stats returns the counters, nil if there has been no handler.
func (h *handlerCounts) stats() *HandlerStats {
	if !h.any.Load() {
		return nil
	}
	s := &HandlerStats{Took: h.took.Snapshot(), Fuel: h.fuel.Load(), Memory: h.memory.Load(),
		Crashes: map[plugins.Reason]uint64{}}
	for i, reason := range crashReasons {
		s.Crashes[reason] = h.crashes[i].Load()
	}
	return s
}

// metered is a guest that knows what it uses.
type metered interface {
	Fuel() int64 // of the last call
	Stats() plugins.Stats
}

// meter notes what the worker's guest has used, after a call.
func (w *worker) meter(begun time.Time) {
	h := &w.route.stats.handled
	h.took.Observe(time.Since(begun))
	if g, ok := w.guest.(metered); ok {
		h.fuel.Add(uint64(g.Fuel()))
		w.hasMemory(g.Stats().Memory)
	}
}

// hasMemory notes how many bytes the worker's guest has.
func (w *worker) hasMemory(bytes int64) {
	if bytes != w.memory {
		w.route.stats.handled.memory.Add(bytes - w.memory)
		w.memory = bytes
	}
}
