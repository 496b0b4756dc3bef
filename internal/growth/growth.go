// Package growth tests how the time of a function grows with its input. It compares the function
// with itself on a smaller input, in processor time of one thread and at the same moment, so that a
// busy machine changes little.
package growth

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

const (
	// factor is how much larger the large input is.
	factor = 8
	// most is how much longer it may take: with the square of the size it would be 64.
	most = 3 * factor
	// least is what the small input is taken to cost at the least, as the time of a thread is not
	// exact.
	least = time.Millisecond
	// rounds is how many pairs are measured. What disturbs one of them does not disturb all.
	rounds = 3
)

// Linear fails the test if f grows much faster than its size, as with the square of it. It calls f
// with n and 8n a few times, or fewer if the first pair is good; n must be large enough that f
// takes a millisecond. What f allocates should not be kept from call to call.
func Linear(t testing.TB, n int, f func(n int)) {
	t.Helper()
	if problem := grows(n, f); problem != "" {
		t.Error(problem)
	}
}

func grows(n int, f func(n int)) (problem string) {
	runtime.LockOSThread() // the time of the thread is the time of f
	defer runtime.UnlockOSThread()
	for range rounds {
		small, large := cost(n, f), cost(factor*n, f)
		if large <= most*max(small, least) {
			return ""
		}
		problem = fmt.Sprintf(
			"size %d took %v, size %d took %v: %.0f times as long, at most %d are right",
			n, small, factor*n, large, float64(large)/float64(max(small, least)), most)
	}
	return problem
}

func cost(n int, f func(n int)) time.Duration {
	begun := ThreadTime()
	f(n)
	return ThreadTime() - begun
}
