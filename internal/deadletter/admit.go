package deadletter

import (
	"context"
	"fmt"
	"maps"
	"time"
)

// spread is the distance between the IDs of two letters, in ns. IDs between are for what replaces
// the first of them.
const spread = 1 << 10

func baseOf(id uint64) uint64 { return id &^ (spread - 1) }

const (
	// patience is how long Put waits for room.
	patience = 2 * time.Second
	// shortPatience is that while nobody finds room, so that whoever has many letters to put is not
	// kept from everything else.
	shortPatience = 50 * time.Millisecond
	// lackingFor is how long a letter without room counts as waiting, unless it is put again.
	lackingFor = 2 * time.Minute
	// fullInterval is how often Full is called at most: with each letter that is removed, one may
	// end to wait and the next one begin.
	fullInterval = time.Minute
)

// admit hands a letter to the writer once there is room. It waits for that in the order of the
// calls, as long as it is worth while.
func (s *Store) admit(ctx context.Context, op *operation, replaced uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if id := s.nextTo(replaced); id != 0 && !s.closed {
		s.reserveLocked(op, id)
		s.mu.Unlock()
		return nil
	}
	over, err := s.tryLocked(op, s.waiting == 0)
	if over {
		s.mu.Unlock()
		return err
	}
	tell := s.full != nil && s.waiting == 0 && s.now().Sub(s.toldFull).Abs() >= fullInterval
	if tell {
		s.toldFull = s.now()
	}
	limit := patience
	if s.crowded {
		limit = shortPatience
	}
	s.waiting++
	s.lacking[op.put.place] = s.now()
	s.mu.Unlock()
	if tell {
		s.full()
	}
	over, err = s.await(ctx, op, limit)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	switch {
	case over:
	case ctx.Err() != nil:
		err = ctx.Err()
	default:
		s.crowded = true
		s.lacking[op.put.place] = s.now()
		return errFull
	}
	delete(s.lacking, op.put.place)
	return err
}

// await tries until a letter is not to wait any longer, which it reports, or for some time.
func (s *Store) await(ctx context.Context, op *operation, limit time.Duration) (over bool,
	err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return false, nil
	}
	for ctx.Err() == nil {
		s.mu.Lock()
		over, err = s.tryLocked(op, true)
		s.mu.Unlock()
		if over {
			return true, err
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
		}
	}
	return false, nil
}

// tryLocked hands a letter to the writer if it is its turn and there is room, of which superseded
// letters make some. It reports whether the letter is not to wait. The error is for one that has no
// room.
func (s *Store) tryLocked(op *operation, turn bool) (over bool, err error) {
	e, missing := op.put, int64(0)
	if most := s.limits.MaxBytes; most > 0 {
		missing = s.bytes + e.size - most
		if e.size > most {
			err = fmt.Errorf("%w: it has %d bytes, and deadLetters.bytes is %d", ErrTooLarge,
				e.size, most)
		}
	}
	switch {
	case s.closed:
		return true, errClosed
	case err != nil && s.limits.Drop:
		e.listener.dropped++
		return true, fmt.Errorf("%w (%w)", ErrDropped, err)
	case err != nil:
		return true, err
	case !turn:
		return false, nil
	case missing <= s.superseded:
		s.last = max(baseOf(uint64(s.now().UnixNano())), s.last+spread)
		s.evictLocked(op, missing)
		s.reserveLocked(op, s.last)
		return true, nil
	case s.limits.Drop:
		e.listener.dropped++
		return true, ErrDropped
	}
	return false, nil
}

// reserveLocked assigns room and an ID to a letter.
func (s *Store) reserveLocked(op *operation, id uint64) {
	e := op.put
	e.id, e.stored, e.hidden = id, s.now().UnixNano(), true
	s.order.ReplaceOrInsert(e)
	s.bytes += e.size
	s.crowded = false
	delete(s.lacking, e.place)
	s.doLocked(op)
}

// nextTo returns a free ID in the place of another one, or 0.
func (s *Store) nextTo(replaced uint64) uint64 {
	base := baseOf(replaced)
	for id := base; replaced != 0 && id < base+spread; id++ {
		if !s.order.Has(&entry{id: id}) {
			return id
		}
	}
	return 0
}

// evictLocked has an operation remove superseded letters, the oldest first, so that there is some
// room more.
func (s *Store) evictLocked(op *operation, missing int64) {
	if missing <= 0 {
		return
	}
	// Each look goes through all letters, so that it is to be worth while.
	least := max(missing, s.limits.MaxBytes/16)
	s.order.Ascend(func(e *entry) bool {
		if e.superseded && !e.hidden {
			s.hide(e, true)
			op.drop = append(op.drop, e)
			least -= e.size
		}
		return least > 0
	})
}

// lackingLocked returns how many letters have no room, or had none a short time ago.
func (s *Store) lackingLocked() int {
	now := s.now()
	maps.DeleteFunc(s.lacking, func(_ place, since time.Time) bool {
		return now.Sub(since) > lackingFor || since.After(now)
	})
	return len(s.lacking)
}
