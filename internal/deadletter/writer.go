package deadletter

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// The buckets of the file.
var (
	lettersBucket    = []byte("letters")    // ID: record
	supersededBucket = []byte("superseded") // ID: the ID again
)

const (
	maxCommitBytes = 16 << 20 // of letters, after which a transaction takes no more

	pause     = time.Second // before what nobody waits for is tried again
	scanEvery = time.Minute // at least, since the clock may jump
)

// operation is a change of the store, of which all is done or nothing.
type operation struct {
	put  *entry
	drop []*entry
	// expired: those are dropped because of their age.
	expired bool
	part    *part      // that it is of, without the letters that give way to one; nil for none
	done    chan error // has one place
}

// doLocked hands an operation to the writer, or to who writes its part.
func (s *Store) doLocked(op *operation) {
	op.done = make(chan error, 1)
	if p := op.part; p != nil {
		p.queue = append(p.queue, op)
		signal(p.wake)
		s.startLocked(p)
		return
	}
	s.queue = append(s.queue, op)
	signal(s.wake)
}

// write is the writer's goroutine. It puts what has gathered into one transaction, again and again,
// and ends when the store is closed and nothing is on its way.
func (s *Store) write() {
	defer close(s.done)
	defer s.timer.Stop()
	for {
		select {
		case <-s.wake:
		case <-s.timer.C:
			s.expire()
		}
		for {
			operations, marks, closed := s.gather()
			if len(operations)+len(marks) == 0 {
				if closed {
					return
				}
				break
			}
			if err := s.commit(operations, marks); err != nil && len(operations) == 0 {
				if closed {
					return // only marks are lost
				}
				s.timer.Reset(pause)
				break
			}
		}
	}
}

// expire has letters removed whose time is over, and sets the timer for the next ones.
func (s *Store) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limits.MaxAge <= 0 {
		return // until there are other limits
	}
	now := s.now().UnixNano()
	if s.nextScan <= now { // it is later if the clock went back
		s.nextScan = now + int64(scanEvery)
		op := &operation{expired: true}
		s.order.Ascend(func(e *entry) bool {
			e.stored = min(e.stored, now) // a letter from the future is new
			switch end := e.stored + int64(s.limits.MaxAge); {
			case e.hidden:
			case end > now:
				s.nextScan = min(s.nextScan, end)
			default:
				s.evictEntryLocked(op, e)
			}
			return true
		})
		s.doLocked(op)
	}
	s.timer.Reset(min(max(time.Duration(s.nextScan-now), time.Millisecond), scanEvery))
}

// gather takes what the next transaction does, and reports whether the store is closed.
func (s *Store) gather() (operations []*operation, marks []*entry, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.marks {
		if !e.hidden {
			marks = append(marks, e)
		}
	}
	s.marks = nil
	return take(&s.queue), marks, s.closed
}

// take removes from a queue what the next transaction does.
func take(queue *[]*operation) []*operation {
	n, size := 0, int64(0)
	for ; n < len(*queue) && size < maxCommitBytes; n++ {
		if e := (*queue)[n].put; e != nil {
			size += e.size
		}
	}
	operations := slices.Clone((*queue)[:n])
	*queue = slices.Delete(*queue, 0, n)
	return operations
}

// commit writes some operations, and answers those who wait for them.
func (s *Store) commit(operations []*operation, marks []*entry) error {
	for _, op := range operations {
		if e := op.put; e != nil {
			seal(e.record, e.id, e.stored)
		}
	}
	err := s.save(operations, marks)
	if err != nil {
		err = fmt.Errorf("dead letters: %w", err)
		s.mu.Lock()
		s.marks = append(s.marks, marks...)
		s.mu.Unlock()
	}
	s.answer(operations, err)
	return err
}

// answer ends operations, and answers those who wait for them.
func (s *Store) answer(operations []*operation, err error) {
	s.mu.Lock()
	for _, op := range operations {
		s.endLocked(op, err)
	}
	s.mu.Unlock()
	for _, op := range operations {
		op.done <- err
	}
}

// endLocked accounts for an operation that was written, or not.
func (s *Store) endLocked(op *operation, err error) {
	if e := op.put; e != nil {
		if s.db != nil {
			e.record = nil
		}
		if err == nil {
			e.hidden = false
			e.listener.add(e)
		} else {
			s.useLocked(e, -e.size, 0)
			s.order.Delete(e)
		}
	}
	for _, e := range op.drop {
		if err != nil && !e.part.unloaded() {
			s.hide(e, false)
			continue
		}
		if op.expired {
			e.listener.expired++
		}
		s.removeLocked(e)
		if e.part != nil && (op.part == nil || op.put != nil) {
			s.laterLocked(e.part, e.id, nil)
		}
	}
}

// save writes all of some operations to the disk, or nothing.
func (s *Store) save(operations []*operation, marks []*entry) error {
	if s.db == nil {
		return nil
	}
	return s.safely(s.db.Update, func(tx *bbolt.Tx) error {
		letters, err1 := tx.CreateBucketIfNotExists(lettersBucket)
		superseded, err2 := tx.CreateBucketIfNotExists(supersededBucket)
		err := errors.Join(err1, err2)
		if err != nil {
			return err
		}
		letters.FillPercent = 0.95 // almost all come at the end
		for _, e := range marks {
			key := keyOf(e.id)
			err = errors.Join(err, superseded.Put(key, key))
		}
		for _, op := range operations {
			if e := op.put; e != nil {
				err = errors.Join(err, letters.Put(keyOf(e.id), e.record))
			}
			for _, e := range op.drop {
				key := keyOf(e.id)
				err = errors.Join(err, letters.Delete(key), superseded.Delete(key))
			}
		}
		return err
	})
}
