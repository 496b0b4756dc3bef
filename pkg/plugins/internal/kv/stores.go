package kv

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Stores are those of all listeners. The zero value keeps them in memory.
type Stores struct {
	// Path is the file for what is to be kept and has no other backing; it is opened for the first
	// store that asks for it.
	Path string
	// Log takes what goes wrong when the file is written; it is needed with Path.
	Log *slog.Logger

	memory tables
	mu     sync.Mutex // guards what follows
	file   *file
	shards map[string]*tables // that have a backing
	closed bool
	lost   error // why Close could not write everything
}

// Table says which table a store has.
type Table struct {
	Listener string
	Shard    string // tables of a listener in two shards are two
	Keep     bool   // beyond the end of the daemon
	// Backing keeps what is to be kept of the shard; nil is the file.
	Backing Backing
}

// name returns the table's name for those who keep tables of several shards.
func (t Table) name() string {
	if t.Shard == "" {
		return t.Listener
	}
	return t.Listener + "\x00" + t.Shard
}

// Open returns a store with a table, which it has in common with the table's other stores.
func (s *Stores) Open(ctx context.Context, of Table, limits Limits) (*Store, error) {
	tables, name, err := s.find(of)
	if err != nil {
		return nil, err
	}
	table, err := tables.take(ctx, name)
	if err != nil {
		return nil, err
	}
	return &Store{table: table, limits: limits, tables: tables, name: name}, nil
}

// find returns where a table is, and by which name.
func (s *Stores) find(of Table) (in *tables, name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed: // or the file would be opened again, and stay open
		return nil, "", errors.New("the stores are closed")
	case !of.Keep:
		return &s.memory, of.name(), nil
	case of.Listener == "":
		return nil, "", errors.New("values are kept by the listener's name, which is empty")
	case of.Backing != nil:
		return s.backed(of), of.Listener, nil
	case s.Path == "":
		return nil, "", errors.New("there is no file to keep values in")
	case s.file == nil:
		if s.file, err = openFile(s.Path, s.Log); err != nil {
			return nil, "", err
		}
	}
	return &s.file.tables, of.name(), nil
}

// backed returns the tables of a shard. Those that it had with another backing are left to their
// stores: nothing commits them any more but the end of their last one.
func (s *Stores) backed(of Table) *tables {
	in := s.shards[of.Shard]
	if in == nil || in.backing != of.Backing {
		in = &tables{backing: of.Backing, changed: func() {}}
		if s.shards == nil {
			s.shards = map[string]*tables{}
		}
		s.shards[of.Shard] = in
	}
	return in
}

// Close writes what is not in the file yet, and closes it, and commits what backings do not have.
// Stores that are still open keep what they have in memory; no more can be opened.
func (s *Stores) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	var errs []error
	for _, in := range s.shards {
		errs = append(errs, in.flush())
	}
	if s.file != nil {
		errs = append(errs, s.file.close())
	}
	s.file, s.closed, s.lost = nil, true, named(errors.Join(errs...))
	return s.lost
}

// Flush writes what was stored before in a shard and is not kept yet, and returns once its backing
// has it, or the file has it on disk if the shard has none. It does nothing without either, except
// that it returns the error of a Close that failed. If it fails, nothing is forgotten, and the
// changes are written later.
func (s *Stores) Flush(shard string) error {
	s.mu.Lock()
	if in := s.shards[shard]; in != nil && !s.closed {
		s.mu.Unlock() // others need not wait for the backing
		return named(in.flush())
	}
	defer s.mu.Unlock() // held while writing, so that the file is not closed meanwhile
	if s.file == nil {
		return s.lost
	}
	return named(s.file.flush())
}

func named(err error) error {
	if err != nil {
		return fmt.Errorf("kv: %w", err)
	}
	return nil
}
