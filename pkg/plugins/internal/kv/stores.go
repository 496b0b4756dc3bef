package kv

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// Stores are those of all listeners. The zero value keeps them in memory.
type Stores struct {
	// Path is the file for what is to be kept; it is opened for the first store that asks for it.
	Path string
	// Log takes what goes wrong when the file is written; it is needed with Path.
	Log *slog.Logger

	mu     sync.Mutex // guards what follows
	open   map[tableName]*shared
	file   *file
	closed bool
	lost   error // why Close could not write everything
}

type tableName struct {
	listener string
	filed    bool
}

// shared is a table with the number of its stores.
type shared struct {
	*table
	stores int
}

// Open returns a store for a listener, with the table that the listener's other stores have. With
// keep, it is one that is kept in the file.
func (s *Stores) Open(listener string, limits Limits, keep bool) (*Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed { // or the file would be opened again, and stay open
		return nil, errors.New("the stores are closed")
	}
	name := tableName{listener, keep}
	sh := s.open[name]
	if sh == nil {
		t := newTable()
		if keep {
			var err error
			if t, err = s.load(listener); err != nil {
				return nil, err
			}
		}
		sh = &shared{table: t}
		if s.open == nil {
			s.open = map[tableName]*shared{}
		}
		s.open[name] = sh
	}
	sh.stores++
	return &Store{table: sh.table, limits: limits, stores: s, name: name}, nil
}

// load reads a listener's table from the file.
func (s *Stores) load(listener string) (*table, error) {
	switch {
	case s.Path == "":
		return nil, errors.New("there is no file to keep values in")
	case listener == "":
		return nil, errors.New("values are kept by the listener's name, which is empty")
	}
	if s.file == nil {
		f, err := openFile(s.Path, s.Log)
		if err != nil {
			return nil, err
		}
		s.file = f
	}
	return s.file.load(listener)
}

func (s *Stores) close(name tableName) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sh := s.open[name]
	if sh == nil {
		return nil
	}
	if sh.stores--; sh.stores > 0 {
		return nil
	}
	delete(s.open, name)
	if !name.filed || s.file == nil {
		return nil
	}
	return s.file.release(name.listener)
}

// Close writes what is not in the file yet, and closes it. Stores that are still open keep what
// they have in memory; no more can be opened.
func (s *Stores) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.file
	s.file, s.open, s.closed = nil, nil, true
	if f == nil {
		return nil
	}
	if err := f.close(); err != nil {
		s.lost = fmt.Errorf("kv: %w", err)
	}
	return s.lost
}

// Flush writes what was stored before and is not in the file yet, and returns once it is on disk.
// It does nothing without an open file, except that it returns the error of a Close that failed. If
// it fails, nothing is forgotten, and the changes are written later.
func (s *Stores) Flush() error {
	s.mu.Lock() // held while writing, so that the file is not closed meanwhile
	defer s.mu.Unlock()
	if s.file == nil {
		return s.lost
	}
	if err := s.file.flush(); err != nil {
		return fmt.Errorf("kv: %w", err)
	}
	return nil
}
