package deadletter

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"
)

// Query selects letters. The zero value selects all of them; each field that is set narrows that.
type Query struct {
	IDs                      []string
	Listener, Output, Reason string
	OlderThan                time.Duration // stored at least that long ago
	Superseded               bool          // only letters that are
	After                    string        // only letters behind that ID
	Limit                    int           // at most that many; 0: no limit
	// Heads leaves out the texts: Object, Old and Message.
	Heads bool
}

// What List does in one turn, while it holds up others.
const (
	pageLetters = 256
	pageLooks   = 16 << 10
)

// List iterates over the selected letters, oldest first. Letters that come or go meanwhile may be
// left out. It ends with the first error; but a letter that cannot be read is yielded with its ID
// and the error, and List goes on.
func (s *Store) List(ctx context.Context, q Query) iter.Seq2[Letter, error] {
	return func(yield func(Letter, error) bool) {
		sel := s.selection(&q)
		for left := q.Limit; ctx.Err() == nil; {
			page, more := sel.page()
			if len(page) == 0 && !more {
				return
			}
			for _, e := range page {
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
		}
		yield(Letter{}, ctx.Err())
	}
}

// Has reports whether a letter is there.
func (s *Store) Has(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.findLocked(id) != nil
}

// Get returns one letter.
func (s *Store) Get(id string) (Letter, error) {
	s.mu.Lock()
	e := s.findLocked(id)
	s.mu.Unlock()
	if e != nil {
		if l, err := s.read(e, false); l.ID != "" {
			return l, err
		}
	}
	return Letter{}, fmt.Errorf("%w: %.64q", ErrNotFound, id)
}

// read returns a letter, a zero one if it was removed.
func (s *Store) read(e *entry, heads bool) (l Letter, err error) {
	parse := func(id uint64, record []byte) (bad error) {
		if l, bad = parseRecord(id, record, heads); bad != nil {
			l = Letter{ID: idText(id)}
		}
		return bad
	}
	s.mu.Lock()
	superseded, record, gone := e.superseded, e.record, e.gone
	s.mu.Unlock()
	if gone {
		return Letter{}, nil
	}
	if s.disk == nil {
		err = parse(e.id, record)
	} else {
		err = s.disk.read([]uint64{e.id}, parse)
	}
	if err != nil {
		return Letter{ID: idText(e.id)}, fmt.Errorf("dead letter %s cannot be read: %w",
			idText(e.id), err)
	}
	l.Superseded = superseded
	return l, nil
}

// selection is where a List is.
type selection struct {
	*Query
	store *Store
	next  uint64   // the lowest ID that was not looked at
	ids   []uint64 // in order, with Query.IDs
	until int64    // the letter must be stored by then, in ns since 1970
}

func (s *Store) selection(q *Query) *selection {
	sel := &selection{Query: q, store: s}
	if id, ok := parseID(q.After); ok {
		sel.next = id + 1
	}
	for _, text := range q.IDs {
		if id, ok := parseID(text); ok {
			sel.ids = append(sel.ids, id)
		}
	}
	slices.Sort(sel.ids)
	sel.ids = slices.Compact(sel.ids)
	sel.until = s.now().Add(-q.OlderThan).UnixNano()
	return sel
}

// page returns some of the selected letters, and whether there may be more.
func (s *selection) page() (page []*entry, more bool) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	looks := 0
	look := func(e *entry) bool {
		if s.matches(e) {
			page = append(page, e)
		}
		s.next = e.id + 1
		looks++
		more = looks == pageLooks || len(page) == pageLetters
		return !more
	}
	if s.IDs == nil {
		s.store.order.AscendGreaterOrEqual(&entry{id: s.next}, look)
		return page, more
	}
	for len(s.ids) > 0 && !more {
		e, found := s.store.order.Get(&entry{id: s.ids[0]})
		if found && e.id >= s.next {
			look(e)
		}
		s.ids = s.ids[1:]
	}
	return page, more
}

func (s *selection) matches(e *entry) bool {
	return !e.gone && (s.Listener == "" || e.listener.name == s.Listener) &&
		(s.Output == "" || e.output == s.Output) && (s.Reason == "" || e.reason == s.Reason) &&
		(s.OlderThan <= 0 || e.stored <= s.until) && (e.superseded || !s.Superseded)
}
