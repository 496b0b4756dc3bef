package guest

import (
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// Linear is a guest's memory: a range of addresses as long as it may ever become, of which it has
// the beginning. So it grows without being copied, which would stop all goroutines, and lies
// outside of Go's heap. It is given back when the guest is closed, or when the call ends that is
// running then.
type Linear struct {
	space space

	mu     sync.Mutex // guards what follows
	users  int        // calls that are running
	closed bool
	freed  bool
}

var _ experimental.MemoryAllocator = (*Linear)(nil)

// newLinear reserves the addresses for a memory of at most so many bytes.
func newLinear(limit int64) (*Linear, error) {
	s, err := reserve(limit)
	if err != nil {
		return nil, fmt.Errorf(
			"limits: %s of addresses for the memory cannot be reserved: %w: "+
				"lower limits.memory, or the number of the listener's workers", wasmbin.MiB(limit), err)
	}
	return &Linear{space: s}, nil
}

// Allocate returns the one memory of the guest.
func (l *Linear) Allocate(_, _ uint64) experimental.LinearMemory { return l }

// Reallocate returns the memory with another size, which is larger than the last; nil if the system
// has no more.
func (l *Linear) Reallocate(size uint64) []byte { return l.space.grow(size) }

// Free returns the memory to the system.
func (l *Linear) Free() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.release()
}

// Enter begins a call and returns true, unless the memory is gone.
func (l *Linear) Enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.users++
	}
	return !l.closed
}

// Leave ends a call.
func (l *Linear) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	l.release()
}

func (l *Linear) release() {
	if l.closed && l.users == 0 && !l.freed {
		l.freed = true
		l.space.free()
	}
}
