package deadletter

import (
	"context"
	"fmt"
	"maps"
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

// place is where a letter comes from.
type place struct {
	listener     *Listener
	output, rule string
	object       objectKey
}

func (e *entry) place() place { return place{e.listener, e.output, e.rule, e.object} }

const (
	// lackingFor is how long a letter without room counts as waiting, unless it is put again.
	lackingFor = 2 * time.Minute
	// shortPatience is how long Put waits while nobody finds room, so that whoever has many letters
	// to put is not kept from everything else.
	shortPatience = 50 * time.Millisecond
)

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
	if !s.evictLocked(e.size) && s.limits.WhenFull == Drop {
		e.listener.dropped++
		return nil, ErrDropped
	}
	w := &waiter{entry: e, result: make(chan error, 1)}
	s.waiting = append(s.waiting, w)
	delete(s.lacking, e.place())
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

// willFitLocked reports whether there is room once what is on its way out has left.
func (s *Store) willFitLocked(e *entry) bool {
	return s.bytes-s.evicting+e.size <= s.limits.MaxBytes
}

func (s *Store) reserveLocked(e *entry, id uint64) {
	e.id, e.stored = id, s.now().UnixNano()
	s.crowded = false
	delete(s.lacking, e.place())
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
		case err == nil && s.limits.WhenFull == Drop && !s.willFitLocked(w.entry):
			// The limits have changed, or others have the room that was made.
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

// await waits until a waiter has room, as long as it is worth while.
func (s *Store) await(ctx context.Context, w *waiter) error {
	s.mu.Lock()
	patience := s.patience
	if s.crowded {
		patience = min(patience, shortPatience)
	}
	s.mu.Unlock()
	over := time.NewTimer(patience)
	defer over.Stop()
	select {
	case err := <-w.result:
		return err
	case <-over.C:
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.Index(s.waiting, w)
	if i < 0 {
		return <-w.result // just now
	}
	s.waiting = slices.Delete(s.waiting, i, i+1)
	s.grantLocked() // those behind a large one may have room
	if err := ctx.Err(); err != nil {
		return err
	}
	s.crowded = true
	s.lacking[w.entry.place()] = s.now()
	return ErrFull
}

// lackingLocked returns how many letters had no room a short time ago.
func (s *Store) lackingLocked() int {
	now := s.now()
	maps.DeleteFunc(s.lacking, func(_ place, since time.Time) bool {
		return now.Sub(since) > lackingFor || since.After(now)
	})
	return len(s.lacking)
}

// evictLocked has superseded letters removed, the oldest first, so that there is room for a letter
// of a size. It reports whether there will be some.
func (s *Store) evictLocked(size int64) bool {
	missing := s.bytes - s.evicting + size - s.limits.MaxBytes
	if s.superseded == 0 || missing <= 0 {
		return missing <= 0
	}
	// Each look goes through all letters, so that it is to be worth while.
	least := max(missing, s.limits.MaxBytes/16)
	op := &operation{evicted: true, done: make(chan error, 1)} // nobody waits
	freed := int64(0)
	s.order.Ascend(func(e *entry) bool {
		if e.superseded && !e.gone {
			e.gone = true
			op.drop = append(op.drop, e)
			freed += e.size
		}
		return freed < least && len(op.drop) < maxExpired
	})
	if freed < missing && s.limits.WhenFull == Drop { // in vain
		undelete(op.drop)
		return false
	}
	if len(op.drop) > 0 {
		s.evicting += freed
		s.queue = append(s.queue, op)
		s.signal()
	}
	return freed >= missing
}
