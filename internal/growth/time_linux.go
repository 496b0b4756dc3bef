package growth

import (
	"syscall"
	"time"
)

// threadTime returns the processor time that this thread has used.
func threadTime() time.Duration {
	const thisThread = 1 // RUSAGE_THREAD of getrusage(2)
	var usage syscall.Rusage
	if err := syscall.Getrusage(thisThread, &usage); err != nil {
		panic(err) // the kernel has had it since 2.6.26
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
