package plugins

import (
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// linear is a guest's memory: a range of addresses as long as it may ever become, of which it has
// the beginning. So it grows without being copied, which would stop all goroutines, and lies
// outside of Go's heap. It is given back when the guest is closed, or when the call ends that is
// running then.
type linear struct {
	space space

	mu     sync.Mutex // guards what follows
	users  int        // calls that are running
	closed bool
	freed  bool
}

var _ experimental.MemoryAllocator = (*linear)(nil)

// newLinear reserves the addresses for a memory.
func newLinear(most int64) (*linear, error) {
	s, err := reserve(most)
	if err != nil {
		return nil, fmt.Errorf(
			"limits: %s of addresses for the memory cannot be reserved: %w: lower limits.memory, or the number "+
				"of the listener's workers", mebibytes(most), err)
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
	l.giveBack()
}

// enter begins a call, unless the memory is gone.
func (l *linear) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.users++
	}
	return !l.closed
}

func (l *linear) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.users--
	l.giveBack()
}

func (l *linear) giveBack() {
	if l.closed && l.users == 0 && !l.freed {
		l.freed = true
		l.space.free()
	}
}

// sizeOf is how many bytes a memory has. Its own Size returns 0 for 4 GiB.
func sizeOf(m api.Memory) int64 {
	pages, _ := m.Grow(0)
	return int64(pages) * pageSize
}
