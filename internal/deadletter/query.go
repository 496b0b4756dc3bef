package deadletter

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// Query selects letters. The zero value selects all of them; each field that is set narrows that.
type Query struct {
	IDs        []string      `json:"ids,omitempty"` // none of them if it is empty and not nil
	Cluster    string        `json:"cluster,omitempty"`
	Listener   string        `json:"listener,omitempty"`
	Output     string        `json:"output,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	OlderThan  time.Duration `json:"olderThan,omitempty"`  // stored at least that long ago
	Superseded bool          `json:"superseded,omitempty"` // only what no replay offers any more
	Limit      int           `json:"limit,omitempty"`      // at most that many; 0: no limit
	// Heads leaves out the texts: Object, Old and Message.
	Heads bool `json:"heads,omitempty"`
}

// List iterates over the selected letters, oldest first. Letters that come or go meanwhile are left
// out. It ends with the first error; but a letter that cannot be read is yielded with its ID and
// the error, and List goes on.
func (s *Store) List(ctx context.Context, q Query) iter.Seq2[Letter, error] {
	return func(yield func(Letter, error) bool) {
		left := q.Limit
		for _, e := range s.selected(&q) {
			if ctx.Err() != nil {
				break
			}
			l, err := s.read(e, q.Heads)
			if l.ID == "" {
				continue // it was removed meanwhile
			}
			if !yield(l, err) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(Letter{}, err)
		}
	}
}

// selected returns the selected letters, in order.
func (s *Store) selected(q *Query) (all []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := s.now().Add(-q.OlderThan).UnixNano()
	look := func(e *entry) bool {
		if !e.hidden && (q.Cluster == "" || e.cluster.Value() == q.Cluster) &&
			(q.Listener == "" || e.listener.name == q.Listener) &&
			(q.Output == "" || e.output.Value() == q.Output) &&
			(q.Reason == "" || e.reason.Value() == q.Reason) &&
			(q.OlderThan <= 0 || e.stored <= until) && (e.superseded || !q.Superseded) {
			all = append(all, e)
		}
		return true
	}
	if q.IDs == nil {
		s.order.Ascend(look)
	}
	for _, id := range q.IDs {
		if e := s.findLocked(id); e != nil {
			look(e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return cmp.Compare(a.id, b.id) })
	return slices.Compact(all)
}

// Has reports whether a letter is there.
func (s *Store) Has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findLocked(id) != nil
}

// read returns a letter, a zero one if it was removed.
func (s *Store) read(e *entry, heads bool) (l Letter, err error) {
	s.mu.Lock()
	superseded, record, hidden := e.superseded, e.record, e.hidden
	s.mu.Unlock()
	switch {
	case hidden:
		return Letter{}, nil
	case s.db == nil:
		l, err = parseRecord(e.id, record, heads)
	default:
		err = s.safely(s.db.View, func(tx *bbolt.Tx) (err error) {
			if record := tx.Bucket(lettersBucket).Get(keyOf(e.id)); record != nil {
				l, err = parseRecord(e.id, record, heads)
			}
			return err
		})
	}
	if err != nil {
		id := idText(e.id)
		return Letter{ID: id}, fmt.Errorf("dead letter %s cannot be read: %w", id, err)
	}
	l.Superseded = superseded
	return l, nil
}
