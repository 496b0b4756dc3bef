package child

import (
	"errors"
	"runtime"
	"syscall"
	"testing"
	"time"
)

const leapLimit = 512 << 20

func init() {
	// What a compiler does: much memory that is no data to the kernel, and then a buffer that does not fit, while the
	// collector waits for its bytes to be copied, so that nothing else runs.
	jobs["leap"] = func(string, string) error {
		code, err := syscall.Mmap(-1, 0, leapLimit/4*3, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
		if err != nil {
			return err
		}
		touch(code)
		if err := syscall.Mprotect(code, syscall.PROT_READ); err != nil {
			return err
		}
		time.Sleep(10 * watchEvery) // time for a look; a compiler takes seconds
		go func() {
			for {
				runtime.GC()
			}
		}()
		copy(make([]byte, leapLimit/4*3), code)
		return nil
	}
}

// touch writes to each page of b, so that all of it is resident.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

func TestALeapBeyondTheLimitIsRefused(t *testing.T) {
	if slower != 1 {
		t.Skip("the race detector reserves terabytes, so that the kernel cannot count")
	}
	job := Job{Dir: t.TempDir(), Time: time.Hour, Memory: leapLimit}
	used, err := Run(t.Context(), command(t), job, []byte("leap "))
	var limit *LimitError
	if !errors.As(err, &limit) || limit.Of != OfMemory {
		t.Errorf("it ended with %v", err)
	}
	if used.Memory > job.Memory+dataSlack {
		t.Errorf("it had %d MiB of memory, %d are allowed", used.Memory>>20, job.Memory>>20)
	}
}
