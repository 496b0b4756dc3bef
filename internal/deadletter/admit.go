package deadletter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"
)

// spread is the distance between the IDs of two letters, in ns. IDs between are for what replaces
// the first of them.
const spread = 1 << 10

func baseOf(id uint64) uint64 { return id &^ (spread - 1) }

const (
	// lackingFor is how long a letter without room counts as waiting, unless it is put again.
	lackingFor = 2 * time.Minute
	// fullInterval is how often Full is called at most: with each letter that is removed, one may
	// end to wait and the next one begin.
	fullInterval = time.Minute
)

// usage is what some of the letters take, without those on their way out.
type usage struct {
	bytes      int64
	superseded int64 // of these bytes
}

// useLocked counts bytes of a letter, and how many of them are superseded, in the whole and in its
// namespace.
func (s *Store) useLocked(e *entry, bytes, superseded int64) {
	s.all = s.all.plus(bytes, superseded)
	own := s.namespaces[e.object.namespace].plus(bytes, superseded)
	if s.namespaces[e.object.namespace] = own; own == (usage{}) {
		delete(s.namespaces, e.object.namespace)
	}
}

// String returns the namespace for an error.
func (n namespace) String() string {
	text := fmt.Sprintf("namespace %q", n.name)
	if cluster := n.cluster.Value(); cluster != "" {
		text += fmt.Sprintf(" of cluster %q", cluster)
	}
	return text
}

func (u usage) plus(bytes, superseded int64) usage {
	return usage{u.bytes + bytes, u.superseded + superseded}
}

// errNoRecord is the error of admit for a letter without a record, for which there may be room.
var errNoRecord = errors.New("there is no record")

// admit hands a letter to the writer if there is room for it. It does not wait: whoever has many
// letters would be kept from everything else.
func (s *Store) admit(ctx context.Context, op *operation, replaced uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	full, err := s.tryAdmit(op, replaced)
	if full && s.full != nil {
		s.full(err)
	}
	return err
}

// tryAdmit is admit, but for the call of Full, which is due if full is set.
func (s *Store) tryAdmit(op *operation, replaced uint64) (full bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, now := s.nextTo(replaced), s.now()
	if s.closed {
		return false, errClosed
	}
	if op.part.unloaded() {
		return false, errUnloaded
	}
	if id != 0 && op.put.record == nil {
		return false, errNoRecord
	}
	if id == 0 {
		switch err := s.makeRoomLocked(op); {
		case errors.Is(err, errNoRecord):
			return false, err
		case err != nil && s.limits.Drop:
			op.put.listener.dropped++
			return false, fmt.Errorf("%w (%w)", ErrDropped, err)
		case errors.Is(err, ErrTooLarge):
			return false, err
		case err != nil:
			s.lacking[op.put.place] = now
			if full = now.Sub(s.toldFull).Abs() >= fullInterval; full {
				s.toldFull = now
			}
			return full, err
		}
		s.last = max(baseOf(uint64(now.UnixNano())), s.last+spread)
		id = s.last + op.part.offset()
	}
	s.reserveLocked(op, id)
	return false, nil
}

// makeRoomLocked makes room for an operation's letter, or returns why there is none: the operation
// removes superseded letters, the oldest first, and then older ones of the same failure. Letters of
// deletes stay.
func (s *Store) makeRoomLocked(op *operation) error {
	e, limit := op.put, cmp.Or(s.limits.MaxBytes, math.MaxInt64)
	share := cmp.Or(s.limits.NamespaceBytes, limit)
	own := s.namespaces[e.object.namespace]
	missing := func() int64 { return s.all.bytes + e.size - limit }
	missingOwn := func() int64 { return s.namespaces[e.object.namespace].bytes + e.size - share }
	var older []*entry
	var replaceable int64
	for _, o := range e.listener.objects[e.object] {
		if o.place == e.place && !o.hidden && !o.superseded && !o.deletion {
			older = append(older, o)
			replaceable += o.size
		}
	}
	switch {
	case e.size > min(limit, share):
		return fmt.Errorf("%w: it has %d bytes, and those of a namespace may have %d", ErrTooLarge,
			e.size, min(limit, share))
	case missing() > s.all.superseded+replaceable:
		return errFull
	case missingOwn() > own.superseded+replaceable:
		return fmt.Errorf("%w: %v", errShare, e.object.namespace)
	case e.record == nil:
		return errNoRecord
	}
	s.evictLocked(op, evictable(missing(), limit), evictable(missingOwn(), share))
	if missing() > 0 || missingOwn() > 0 {
		for _, o := range older {
			o.listener.dropped++
			s.evictEntryLocked(op, o)
		}
	}
	return nil
}

// evictable returns how many bytes of superseded letters are to go if some are missing. Each look
// goes through all letters, so that it is to be worth while.
func evictable(missing, limit int64) int64 {
	if missing <= 0 {
		return 0
	}
	return max(missing, limit/16)
}

// evictLocked has an operation remove so many bytes of superseded letters, if there are as many,
// and so many of its letter's namespace.
func (s *Store) evictLocked(op *operation, all, own int64) {
	s.order.Ascend(func(e *entry) bool {
		same := e.object.namespace == op.put.object.namespace
		if e.superseded && !e.hidden && (all > 0 || own > 0 && same) {
			s.evictEntryLocked(op, e)
			all -= e.size
			if same {
				own -= e.size
			}
		}
		return all > 0 || own > 0
	})
}

func (s *Store) evictEntryLocked(op *operation, e *entry) {
	s.hide(e, true)
	op.drop = append(op.drop, e)
}

// reserveLocked assigns room and an ID to a letter.
func (s *Store) reserveLocked(op *operation, id uint64) {
	e := op.put
	e.id, e.stored, e.hidden = id, s.now().UnixNano(), true
	s.order.ReplaceOrInsert(e)
	s.useLocked(e, e.size, 0)
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

// lackingLocked returns how many letters have no room, or had none a short time ago.
func (s *Store) lackingLocked() int {
	now := s.now()
	maps.DeleteFunc(s.lacking, func(_ place, since time.Time) bool {
		return now.Sub(since) > lackingFor || since.After(now)
	})
	return len(s.lacking)
}
