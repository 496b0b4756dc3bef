package hostile_test

import (
	"syscall"
	"time"
)

// onThread is the processor time of the thread, which does not grow while others have the
// processor.
func onThread() time.Duration {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
