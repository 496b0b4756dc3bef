package deadletter

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// spread is the distance between the IDs of two letters, in ns. IDs between are for what replaces
// the first of them.
const spread = 1 << 10

func baseOf(id uint64) uint64 { return id &^ (spread - 1) }

// fullInterval is how often Full is called at most: with each letter that is removed, one may end
// to wait and the next one begin.
const fullInterval = time.Minute

// waiter is a Put that waits for room.
type waiter struct {
	entry  *entry
	result chan error // has one place
}

// admitLocked reserves room and an ID for a letter, or returns a waiter.
func (s *Store) admitLocked(e *entry, replaced uint64) (*waiter, error) {
	if s.closed {
		return nil, ErrClosed
	}
	if replaced != 0 {
		if id, ok := s.nextTo(replaced); ok {
			s.reserveLocked(e, id)
			return nil, nil
		}
	}
	fits, err := s.fitsLocked(e)
	if err != nil {
		return nil, err
	}
	if fits && len(s.waiting) == 0 {
		s.reserveLocked(e, s.nextID())
		return nil, nil
	}
	if s.limits.WhenFull == Drop {
		e.listener.dropped++
		return nil, ErrDropped
	}
	w := &waiter{entry: e, result: make(chan error, 1)}
	s.waiting = append(s.waiting, w)
	return w, nil
}

// tellFullLocked reports whether Full is to be called for the letter that begins to wait.
func (s *Store) tellFullLocked() bool {
	now := s.now()
	if s.full == nil || len(s.waiting) > 1 || now.Sub(s.toldFull).Abs() < fullInterval {
		return false
	}
	s.toldFull = now
	return true
}

// fitsLocked reports whether there is room. The error is for a letter that never fits.
func (s *Store) fitsLocked(e *entry) (bool, error) {
	if e.size <= s.limits.MaxBytes {
		return s.bytes+e.size <= s.limits.MaxBytes, nil
	}
	err := fmt.Errorf("%w: it has %d bytes, and deadLetters.bytes is %d", ErrTooLarge, e.size,
		s.limits.MaxBytes)
	if s.limits.WhenFull == Drop {
		e.listener.dropped++
		err = fmt.Errorf("%w (%w)", ErrDropped, err)
	}
	return false, err
}

func (s *Store) reserveLocked(e *entry, id uint64) {
	e.id, e.stored = id, s.now().UnixNano()
	s.bytes += e.size
	s.pending[id] = struct{}{}
}

func (s *Store) nextID() uint64 {
	s.last = max(baseOf(uint64(s.now().UnixNano())), s.last+spread)
	return s.last
}

// nextTo returns a free ID in the place of another one.
func (s *Store) nextTo(replaced uint64) (id uint64, ok bool) {
	base := baseOf(replaced)
	for id := base; id < base+spread; id++ {
		_, pending := s.pending[id]
		if !pending && !s.order.Has(&entry{id: id}) && !slices.Contains(s.undo, id) {
			return id, true
		}
	}
	return 0, false
}

// grantLocked lets the waiters go on that have room now, in their order.
func (s *Store) grantLocked() {
	for len(s.waiting) > 0 {
		w := s.waiting[0]
		fits, err := s.fitsLocked(w.entry)
		switch {
		case s.closed:
			err = ErrClosed
		case err == nil && fits:
			s.reserveLocked(w.entry, s.nextID())
		case err == nil && s.limits.WhenFull == Drop: // since a change of the limits
			w.entry.listener.dropped++
			err = ErrDropped
		case err == nil:
			return
		}
		s.waiting[0] = nil
		s.waiting = s.waiting[1:]
		w.result <- err
	}
}

// await waits until a waiter has room.
func (s *Store) await(ctx context.Context, w *waiter) error {
	select {
	case err := <-w.result:
		return err
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiting, w); i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
		s.grantLocked() // those behind a large one may have room
		return ctx.Err()
	}
	return <-w.result // just now
}
