//go:build unix

package endpoints

import (
	"syscall"
	"time"
)

// cpuSeconds returns the CPU time that the process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
