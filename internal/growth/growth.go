// Package growth tests how the time of a function grows with its input. It compares the function
// with itself on a smaller input, in processor time of one thread and at the same moment, so that a
// busy machine has little influence.
package growth

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

const (
	// factor is how much larger the large input is.
	factor = 8
	// maxRatio is how much longer the large input may take: quadratic work would take 64 times as
	// long.
	maxRatio = 3 * factor
	// minCost is the assumed minimum cost of the small input, since the time of a thread is not
	// exact.
	minCost = time.Millisecond
	// rounds is how many pairs are measured. A disturbance rarely affects all of them.
	rounds = 10
)

// Linear fails the test if f grows much faster than its size, for example quadratically. It calls f
// with n and 8n a few times, or once if the first pair is good; n must be large enough that f takes
// a millisecond. What f allocates should not be kept from call to call.
func Linear(t testing.TB, n int, f func(n int)) {
	t.Helper()
	if problem := grows(n, f); problem != "" {
		t.Error(problem)
	}
}

func grows(n int, f func(n int)) (problem string) {
	runtime.LockOSThread() // the time of the thread is the time of f
	defer runtime.UnlockOSThread()
	// Nor is what the collector has a thread that allocates do for others that of f.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range rounds {
		runtime.GC()
		small, large := cost(n, f), cost(factor*n, f)
		if large <= maxRatio*max(small, minCost) {
			return ""
		}
		problem = fmt.Sprintf(
			"size %d took %v, size %d took %v: %.0f times as long, want at most %d",
			n, small, factor*n, large, float64(large)/float64(max(small, minCost)), maxRatio)
	}
	return problem
}

func cost(n int, f func(n int)) time.Duration {
	begun := ThreadTime()
	f(n)
	return ThreadTime() - begun
}
