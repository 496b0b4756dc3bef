package delivery

import (
	"context"
	"math"
	"sync/atomic"
)

// use counts the writes under way to an output, of all its listeners. The zero value is ready.
type use struct {
	// writes is less than 0 once no more may begin: over more than there are.
	writes atomic.Int64
	over   atomic.Pointer[chan struct{}] // has room for one
}

// over is what is added to the writes when no more may begin.
const over = math.MinInt64

// enter notes that a write begins, and reports whether it may. If so, call leave.
func (u *use) enter() bool {
	if u.writes.Add(1) > 0 {
		return true
	}
	u.leave()
	return false
}

func (u *use) leave() {
	if u.writes.Add(-1) == over {
		select {
		case *u.over.Load() <- struct{}{}:
		default:
		}
	}
}

// end has no more writes begin, and waits until the last one has ended, or ctx is done. It is
// called once.
func (u *use) end(ctx context.Context) error {
	ended := make(chan struct{}, 1)
	u.over.Store(&ended)
	if u.writes.Add(over) == over {
		return nil
	}
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (u *use) hasEnded() bool { return u.writes.Load() < 0 }
