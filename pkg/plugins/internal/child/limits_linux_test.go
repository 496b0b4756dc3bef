package child

import (
	"bytes"
	"errors"
	"runtime"
	"syscall"
	"testing"
	"time"
)

const leapLimit = 512 << 20

func init() {
	// What a compiler does: it has much memory that the kernel does not count as data, and copies it, while the collector
	// waits for that and nothing else runs.
	jobs["leap"] = func(string, string) error {
		code, err := syscall.Mmap(-1, 0, leapLimit/4*3, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return err
		}
		touch(code)
		if err := syscall.Mprotect(code, syscall.PROT_READ); err != nil {
			return err
		}
		go func() {
			for {
				runtime.GC()
			}
		}()
		for kept := [][]byte{}; ; {
			kept = append(kept, bytes.Clone(code))
		}
	}
}

// touch writes to each page of b, so that all of it is resident.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

func TestALeapBeyondTheLimitIsRefused(t *testing.T) {
	if larger != 1 {
		t.Skip("the race detector's notes take several times the memory")
	}
	job := Job{Dir: t.TempDir(), Time: time.Hour, Memory: leapLimit}
	used, err := Run(t.Context(), command(t), job, []byte("leap "))
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Of != OfMemory {
		t.Errorf("it ended with %v", err)
	}
	t.Logf("it had %d MiB of memory", used.Memory>>20)
	if used.Memory == 0 || used.Memory > job.Memory/4*5 { // its leap is three quarters
		t.Errorf("it had %d MiB of memory, %d are allowed", used.Memory>>20, job.Memory>>20)
	}
}
