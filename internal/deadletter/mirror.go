package deadletter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"maps"
	"time"
)

// Mirror keeps letters where the next owner of their part finds them. The store calls Write for
// one part at a time, for several parts at once.
type Mirror interface {
	// Write puts letters of a part, and then deletes some, by their IDs. It returns nil once all of
	// it is safe. With an error each change may be made or not, and is made again or undone by a
	// later call; so none is made once Write has returned. It does not change the records.
	Write(ctx context.Context, part string, puts map[string][]byte, deletes []string) error
}

// mirrorTimeout is how long one Write may take.
const mirrorTimeout = 10 * time.Second

var (
	errUnloaded = errors.New("the part of the dead letter was handed over")
	errMirrored = errors.New("a store in a file has no mirror")
	errNoMirror = errors.New("dead letters: the store has no mirror")
)

// part is a part of the work, whose letters are mirrored by a goroutine while there is something to
// write. The store's lock guards what may change.
type part struct {
	name    string
	ctx     context.Context // ends with Unload
	end     context.CancelFunc
	wake    chan struct{} // an operation need not wait for the next try
	running bool
	queue   []*operation
	// pending is what nobody waits for, and is written before any operation: letters that are
	// written again, and nil for those that are deleted.
	pending map[uint64]*entry
}

// part returns a part, nil for none.
func (s *Store) part(name string) *part {
	if name == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.parts[name]
	if p == nil {
		p = &part{name: name, wake: make(chan struct{}, 1), pending: map[uint64]*entry{}}
		p.ctx, p.end = context.WithCancel(context.Background())
		s.parts[name] = p
	}
	return p
}

func (p *part) unloaded() bool { return p != nil && p.ctx.Err() != nil }

// offset tells the IDs of parts apart, as their owners may give them at the same time.
func (p *part) offset() uint64 {
	if p == nil {
		return 0
	}
	return 1 + uint64(crc32.Checksum([]byte(p.name), castagnoli))%(spread-1)
}

// laterLocked has a letter written again, or deleted if e is nil, when nobody waits for it.
func (s *Store) laterLocked(p *part, id uint64, e *entry) {
	p.pending[id] = e
	s.startLocked(p)
}

// startLocked has a part's goroutine run, unless the part or the store has ended.
func (s *Store) startLocked(p *part) {
	if !p.running && s.parts[p.name] == p {
		p.running = true
		s.running++
		go s.mirrorAll(p)
	}
}

// mirrorAll is the goroutine of a part. It writes what has gathered, and ends when that is all.
func (s *Store) mirrorAll(p *part) {
	var err error
	for {
		pending, operations := s.gatherOf(p, err != nil)
		if len(pending)+len(operations) == 0 {
			return
		}
		// Of an operation that fails it is not known what the mirror has. With that settled first,
		// there is never more of it than of one try.
		if err = s.settle(p, pending); err == nil {
			err = s.mirrorOperations(p, operations)
		}
		s.answer(operations, err)
		if err != nil {
			select {
			case <-p.wake:
			case <-p.ctx.Done():
			case <-time.After(pause):
			}
		}
	}
}

// gatherOf takes what is to be written of a part. If that is nothing, its goroutine has to end; and
// also after a failure when the store is closed, and only what nobody waits for is left.
func (s *Store) gatherOf(p *part, failed bool) (pending map[uint64]*entry, operations []*operation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-p.wake:
	default:
	}
	if operations = take(&p.queue); len(operations) > 0 || !(failed && s.closed) {
		pending, p.pending = p.pending, map[uint64]*entry{}
	}
	if p.unloaded() {
		pending = nil
	}
	if len(pending)+len(operations) == 0 {
		p.running = false
		s.running--
		s.idle.Broadcast()
	}
	return pending, operations
}

// settle writes what nobody waits for. What fails is pending again.
func (s *Store) settle(p *part, pending map[uint64]*entry) error {
	for len(pending) > 0 {
		puts, ids, size := map[string][]byte{}, []uint64{}, int64(0)
		for id, e := range pending {
			if e != nil && size < maxCommitBytes {
				puts[idText(id)], ids, size = s.mirrored(e), append(ids, id), size+e.size
			}
		}
		var deletes []string
		for id, e := range pending {
			if e == nil && size < maxCommitBytes { // and all else is put
				deletes, ids = append(deletes, idText(id)), append(ids, id)
			}
		}
		if err := s.tell(p, puts, deletes); err != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			maps.Copy(pending, p.pending) // that is newer
			p.pending = pending
			return err
		}
		for _, id := range ids {
			delete(pending, id)
		}
	}
	return nil
}

// mirrorOperations writes what operations put, and what those delete that are for nothing else. What
// others remove is deleted afterwards.
func (s *Store) mirrorOperations(p *part, operations []*operation) error {
	undo, puts, deletes := map[uint64]*entry{}, map[string][]byte{}, []string(nil)
	for _, op := range operations {
		if e := op.put; e != nil {
			s.mu.Lock()
			stored := e.stored
			s.mu.Unlock()
			seal(e.record, e.id, stored)
			undo[e.id], puts[idText(e.id)] = nil, e.record
			continue
		}
		for _, e := range op.drop {
			undo[e.id], deletes = e, append(deletes, idText(e.id))
		}
	}
	err := s.tell(p, puts, deletes)
	if err != nil {
		s.mu.Lock()
		maps.Copy(p.pending, undo)
		s.mu.Unlock()
	}
	return err
}

// tell calls the mirror.
func (s *Store) tell(p *part, puts map[string][]byte, deletes []string) error {
	if p.unloaded() {
		return errUnloaded
	}
	if len(puts)+len(deletes) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(p.ctx, mirrorTimeout)
	defer cancel()
	if err := s.mirror.Write(ctx, p.name, puts, deletes); err != nil {
		return fmt.Errorf("dead letters are not mirrored: %w", err)
	}
	return nil
}

// supersededMark is behind the record of a letter that is superseded, in the mirror.
var supersededMark = []byte("superseded\n")

// mirrored returns a letter as the mirror has it.
func (s *Store) mirrored(e *entry) []byte {
	s.mu.Lock()
	superseded := e.superseded
	s.mu.Unlock()
	if !superseded {
		return e.record
	}
	record := append(bytes.Clone(e.record), supersededMark...)
	little.PutUint32(record, recordSum(e.id, record))
	return record
}

// fromMirror returns the entry of a letter as the mirror has it.
func (s *Store) fromMirror(p *part, id uint64, record []byte) (*entry, error) {
	l, err := parseRecord(id, record, true)
	if err != nil {
		return nil, err
	}
	record, superseded := bytes.CutSuffix(bytes.Clone(record), supersededMark)
	little.PutUint32(record, recordSum(id, record))
	e := s.newEntry(&l, int64(len(record)))
	e.id, e.stored, e.superseded = id, l.Stored.UnixNano(), superseded
	e.part, e.record = p, record
	return e, nil
}

// Load adds the letters of a part as the Mirror got them from its last owner. They count for the
// limits, and none is refused. The error has those that cannot be read; all others are there. A
// letter of the part that is there already stays as it is. One with the ID of a letter of another
// part gets another ID, in the same place of the order. Load and Unload of one
// part are called one after the other.
func (s *Store) Load(part string, records iter.Seq2[string, []byte]) error {
	if s.mirror == nil {
		return errNoMirror
	}
	p := s.part(part)
	var taken []*entry
	var failed error
	for id, record := range records {
		e, err := s.fromMirror(p, parseID(id), record)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("dead letter %s cannot be read: %w", id, err))
			continue
		}
		s.mu.Lock()
		if o, there := s.order.Get(e); !there {
			s.insertLocked(e)
		} else if o.part != p {
			taken = append(taken, e)
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range taken { // now that the IDs of all others are known
		s.laterLocked(p, e.id, nil)
		if e.id = s.nextTo(e.id); e.id == 0 {
			e.id = s.last + spread
		}
		little.PutUint32(e.record, recordSum(e.id, e.record))
		s.insertLocked(e)
		s.laterLocked(p, e.id, e)
	}
	return failed
}

// Flush returns nil once all is mirrored that was done with the letters of a part before: what was
// superseded, evicted or has expired, too. It is for a part that is about to be handed over.
func (s *Store) Flush(ctx context.Context, part string) error {
	s.mu.Lock()
	p, op := s.parts[part], &operation{}
	switch {
	case s.closed:
		s.mu.Unlock()
		return errClosed
	case p == nil:
		s.mu.Unlock()
		return nil
	}
	op.part = p
	s.doLocked(op)
	s.mu.Unlock()
	select {
	case err := <-op.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Unload forgets the letters of a part, and what is to be written of it; a Write under way it ends
// and waits for. Puts and Deletes of the part that have not ended return an error.
func (s *Store) Unload(part string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.parts[part]
	if p == nil {
		return
	}
	p.end()
	for p.running {
		s.idle.Wait()
	}
	delete(s.parts, part)
	var all []*entry
	s.order.Ascend(func(e *entry) bool {
		if e.part == p && !e.hidden { // else whoever has hidden it removes it
			all = append(all, e)
		}
		return true
	})
	for _, e := range all {
		s.hide(e, true)
		s.removeLocked(e)
	}
}
