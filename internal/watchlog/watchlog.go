// Package watchlog simulates the history of an API server in tests, and the bodies of watches of
// it.
package watchlog

import (
	"context"
	"io"
	"slices"
	"sync"
)

// Log is the events that watches send, in the order of their versions. It is safe for concurrent
// use; create one with New.
type Log struct {
	mu             sync.Mutex
	records        []record
	changed        chan struct{} // closed at the next record
	cut            chan struct{} // closed to end the running watches
	opened, closed int
}

type record struct {
	version int
	text    string
	once    bool
}

// New returns an empty log.
func New() *Log { return &Log{changed: make(chan struct{}), cut: make(chan struct{})} }

// Add adds a record for all watches that start at an older version.
func (l *Log) Add(version int, text string) { l.add(record{version, text, false}) }

// AddOnce adds a record that only one watch sends, such as an error.
func (l *Log) AddOnce(version int, text string) { l.add(record{version, text, true}) }

func (l *Log) add(f record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, f)
	close(l.changed)
	l.changed = make(chan struct{})
}

// Cut ends the running watches, as if the server closed their connections.
func (l *Log) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.cut)
	l.cut = make(chan struct{})
}

// Rewind forgets the records after a version, and ends the running watches.
func (l *Log) Rewind(version int) {
	l.mu.Lock()
	l.records = slices.DeleteFunc(l.records, func(r record) bool { return r.version > version })
	l.mu.Unlock()
	l.Cut()
}

// Bodies returns how many bodies of watches have been opened and closed so far.
func (l *Log) Bodies() (opened, closed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened, l.closed
}

// Watch returns a body that starts with a text, continues with the records after the version as
// they are added, and ends with the context or with Cut.
func (l *Log) Watch(ctx context.Context, version int, begin string) io.ReadCloser {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened++
	return &body{ctx: ctx, log: l, version: version, rest: begin, cut: l.cut}
}

// next returns the first record after a version, and a channel that is closed when there is another
// one. The record is empty if there is none.
func (l *Log) next(version int) (f record, changed chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.records, func(f record) bool { return f.version > version })
	if i < 0 {
		return record{version: version}, l.changed
	}
	if f = l.records[i]; f.once {
		l.records = slices.Delete(l.records, i, i+1)
	}
	return f, l.changed
}

type body struct {
	ctx     context.Context
	log     *Log
	version int
	rest    string
	cut     chan struct{}
}

func (b *body) Close() error {
	b.log.mu.Lock()
	defer b.log.mu.Unlock()
	b.log.closed++
	return nil
}

func (b *body) Read(p []byte) (int, error) {
	for b.rest == "" {
		f, changed := b.log.next(b.version)
		if b.rest, b.version = f.text, f.version; b.rest != "" {
			break
		}
		select {
		case <-changed:
		case <-b.cut:
			return 0, io.EOF
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}
