package plugins

import (
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/informerd/informerd/pkg/plugins/internal/wasmbin"
)

// linear is a guest's memory: a range of addresses as long as it may ever become, of which it has
// the beginning. So it grows by a system call of a microsecond, and lies outside of Go's heap where
// the system can do that. The engine would copy it, with all goroutines stopped: 100 ms at 64 MiB,
// 700 ms at 1 GiB. It is given back when the guest is closed, or when the call ends that is
// running then.
type linear struct {
	space space

	mu     sync.Mutex // guards what follows
	users  int        // calls that are running
	closed bool
	freed  bool
}

var _ experimental.MemoryAllocator = (*linear)(nil)

// newLinear reserves the addresses for a memory of at most so many bytes.
func newLinear(limit int64) (*linear, error) {
	s, err := reserve(limit)
	if err != nil {
		return nil, fmt.Errorf(
			"limits: %s of addresses for the memory cannot be reserved: %w: "+
				"lower limits.memory, or the number of the listener's workers", wasmbin.MiB(limit), err)
	}
	return &linear{space: s}, nil
}

// Allocate returns the one memory of the guest.
func (l *linear) Allocate(_, _ uint64) experimental.LinearMemory { return l }

// Reallocate returns the memory with another size, which is larger than the last; nil if the system
// has no more.
func (l *linear) Reallocate(size uint64) []byte { return l.space.grow(size) }

// Free returns the memory to the system.
func (l *linear) Free() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.release()
}

// enter begins a call and returns true, unless the memory is gone.
func (l *linear) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.users++
	}
	return !l.closed
}

// leave ends a call.
func (l *linear) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	l.release()
}

func (l *linear) release() {
	if l.closed && l.users == 0 && !l.freed {
		l.freed = true
		l.space.free()
	}
}
