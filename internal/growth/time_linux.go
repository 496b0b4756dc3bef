package growth

import (
	"syscall"
	"time"
	"unsafe"
)

// ThreadTime returns the processor time that this thread has used, to the nanosecond: what getrusage tells may be counted
// in ticks of the kernel.
func ThreadTime() time.Duration {
	const thisThread = 3 // CLOCK_THREAD_CPUTIME_ID of clock_gettime(2)
	var now syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thisThread, uintptr(unsafe.Pointer(&now)), 0); err != 0 {
		panic(err)
	}
	return time.Duration(now.Nano())
}
