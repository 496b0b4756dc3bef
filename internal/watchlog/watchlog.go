// Package watchlog is the history of an API server in tests, and the bodies of the watches that
// follow it.
package watchlog

import (
	"context"
	"io"
	"slices"
	"sync"
)

// Log is what watches have to send, in the order of its versions. It is safe for concurrent use;
// make one with New.
type Log struct {
	mu             sync.Mutex
	frames         []frame
	changed        chan struct{} // closed at the next frame
	cut            chan struct{} // closed to end the watches that run
	opened, closed int
}

type frame struct {
	version int
	text    string
	once    bool
}

// New returns an empty log.
func New() *Log { return &Log{changed: make(chan struct{}), cut: make(chan struct{})} }

// Add adds a frame for all watches that begin at an older version.
func (l *Log) Add(version int, text string) { l.add(frame{version, text, false}) }

// AddOnce adds a frame that one watch sends and no later one repeats, as an error.
func (l *Log) AddOnce(version int, text string) { l.add(frame{version, text, true}) }

func (l *Log) add(f frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.frames = append(l.frames, f)
	close(l.changed)
	l.changed = make(chan struct{})
}

// Cut ends the watches that run, as if the server closed their connections.
func (l *Log) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.cut)
	l.cut = make(chan struct{})
}

// Bodies returns how many bodies of watches were opened and closed so far.
func (l *Log) Bodies() (opened, closed int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened, l.closed
}

// Watch returns a body that begins with a text, goes on with the frames behind the version as they
// come, and ends with the context or when the log is cut.
func (l *Log) Watch(ctx context.Context, version int, begin string) io.ReadCloser {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened++
	return &body{ctx: ctx, log: l, version: version, rest: begin, cut: l.cut}
}

// next returns the first frame behind a version, "" if there is none, and what is closed when there
// is another one.
func (l *Log) next(version int) (f frame, changed chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.frames, func(f frame) bool { return f.version > version })
	if i < 0 {
		return frame{version: version}, l.changed
	}
	if f = l.frames[i]; f.once {
		l.frames = slices.Delete(l.frames, i, i+1)
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
