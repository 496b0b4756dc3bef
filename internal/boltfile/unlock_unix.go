//go:build unix

package boltfile

import (
	"os"
	"syscall"
)

// unlock releases the lock of a file that the library has mapped, which closing it does not.
func unlock(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
