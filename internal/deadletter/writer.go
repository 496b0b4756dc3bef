package deadletter

import (
	"fmt"
	"time"
)

const (
	maxCommitBytes = 16 << 20 // of letters in one transaction, with more than one
	maxCommit      = 1024     // operations in one transaction

	pause = time.Second // before what nobody waits for is tried again
)

// operation is a change that somebody waits for: one letter more, or some less.
type operation struct {
	put    *entry
	record []byte
	drop   []*entry
	// evicted: those are dropped to make room.
	evicted bool
	done    chan error // has one place
}

// do hands an operation to the writer, and waits for it.
func (s *Store) do(op *operation) error {
	op.done = make(chan error, 1)
	s.mu.Lock()
	if s.closed && op.put == nil { // a letter has its place already, and the writer waits for it
		undelete(op.drop)
		s.mu.Unlock()
		return ErrClosed
	}
	s.queue = append(s.queue, op)
	s.mu.Unlock()
	s.signal()
	return <-op.done
}

func (s *Store) signal() {
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// write is the writer's goroutine. It puts what has gathered into one transaction, again and again,
// and ends when the store is closed and nothing is on its way.
func (s *Store) write() {
	defer close(s.done)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-s.wake:
		case <-timer.C:
		}
		for {
			b, ended := s.gather()
			if b.empty() {
				if ended {
					return
				}
				break
			}
			if err := s.commit(b); err != nil && b.urgent() == 0 {
				if ended {
					return // only marks are lost
				}
				break
			}
		}
		timer.Reset(s.untilNext())
	}
}

// batch is what one transaction does.
type batch struct {
	operations []*operation
	expired    []*entry
	marks      []*entry
	undo       []uint64
}

func (b *batch) urgent() int { return len(b.operations) }
func (b *batch) empty() bool {
	return len(b.operations)+len(b.expired)+len(b.marks)+len(b.undo) == 0
}

// gather takes the next batch, and reports whether there will be no more operations.
func (s *Store) gather() (b *batch, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b = &batch{expired: s.expireLocked(), undo: s.undo}
	for _, e := range s.marks {
		if !e.gone {
			b.marks = append(b.marks, e)
		}
	}
	s.marks, s.undo = nil, nil
	size, n := 0, 0
	for n < len(s.queue) && n < maxCommit {
		if size += len(s.queue[n].record); n > 0 && size > maxCommitBytes {
			break
		}
		n++
	}
	b.operations = append(b.operations, s.queue[:n]...)
	clear(s.queue[:n])
	s.queue = s.queue[n:]
	if len(s.queue) == 0 {
		s.queue = nil
	}
	return b, s.closed && len(s.pending)+len(s.queue) == 0
}

// commit writes a batch, and answers those who wait for it.
func (s *Store) commit(b *batch) error {
	var err error
	if s.disk != nil {
		if err = s.disk.write(b); err != nil {
			err = fmt.Errorf("dead letters: %w", err)
		}
	}
	s.mu.Lock()
	for _, op := range b.operations {
		switch {
		case op.put != nil:
			s.putLocked(op, err)
		case err != nil:
			undelete(op.drop)
		default:
			s.removeLocked(op.drop)
		}
		if op.evicted {
			for _, e := range op.drop {
				s.evicting -= e.size
			}
		}
	}
	if err == nil {
		for _, e := range b.expired {
			e.listener.expired++
		}
		s.removeLocked(b.expired)
	} else {
		undelete(b.expired)
		s.marks, s.undo = append(b.marks, s.marks...), append(b.undo, s.undo...)
		if s.disk != nil {
			s.undo = s.disk.present(s.undo)
		}
	}
	s.grantLocked()
	s.mu.Unlock()
	for _, op := range b.operations {
		op.done <- err
	}
	return err
}

// putLocked accounts for a letter that was written, or not.
func (s *Store) putLocked(op *operation, err error) {
	e := op.put
	delete(s.pending, e.id)
	if err != nil {
		s.bytes -= e.size
		s.undo = append(s.undo, e.id) // if only the last sync failed, it is in the file
		return
	}
	if s.disk == nil {
		e.record = op.record
	}
	e.listener.stored++
	s.insert(e)
}

func undelete(entries []*entry) {
	for _, e := range entries {
		e.gone = false
	}
}

func (s *Store) removeLocked(entries []*entry) {
	for _, e := range entries {
		s.order.Delete(e)
		s.bytes -= e.size
		if e.superseded {
			s.superseded--
		}
		e.listener.remove(e)
	}
}
