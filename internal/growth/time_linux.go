package growth

import (
	"syscall"
	"time"
	"unsafe"
)

// ThreadTime returns the processor time that this thread has used. The counters of getrusage(2) can
// be a kernel tick old.
func ThreadTime() time.Duration {
	const thisThread = 3 // CLOCK_THREAD_CPUTIME_ID of clock_gettime(2)
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thisThread,
		uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		panic(errno) // the kernel has had it since 2.6.12
	}
	return time.Duration(now.Nano())
}
