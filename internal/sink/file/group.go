package file

import (
	"sync"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// maxChunk is the size from which lines are written at once.
const maxChunk = 256 << 10

// keepChunk is the capacity above which the buffer is released.
const keepChunk = 1 << 20

// group writes the lines of jobs together.
type group struct {
	mu      sync.Mutex // guards what follows, which a timer needs as well
	journal *journal
	timer   *time.Timer // syncs the file; nil if nothing waits for it

	lines   []line // of the jobs that are being written
	written int    // how many of them are in the file
	synced  int    // how many of them the disk has
	chunk   []byte // the lines that are not written yet
	ends    []int  // where they end in chunk
}

// line is a message of a job.
type line struct {
	job *sink.Job
	i   int
}

// do writes jobs. After an error it tries no further line: the disk is full or broken for all.
func (g *group) do(jobs []*sink.Job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	defer g.reset()
	for _, j := range jobs {
		err := j.Canceled()
		for i := range j.Messages {
			if err != nil {
				j.Fail(i, err)
			} else {
				g.lines = append(g.lines, line{j, i})
			}
		}
	}
	if err := g.writeAll(); err != nil {
		done := g.written
		if g.journal.config.Sync == SyncAlways {
			done = g.synced
			g.journal.undo()
		}
		for _, l := range g.lines[done:] {
			l.job.Fail(l.i, err)
		}
	}
}

func (g *group) reset() {
	clear(g.lines)
	g.lines, g.ends, g.chunk = g.lines[:0], g.ends[:0], g.chunk[:0]
	g.written, g.synced = 0, 0
	if cap(g.chunk) > keepChunk {
		g.chunk = nil
	}
}

// writeAll writes the lines, to as many files as they need.
func (g *group) writeAll() error {
	if err := g.journal.late; err != nil {
		g.journal.late = nil
		return err
	}
	if err := g.journal.ready(); err != nil {
		return err
	}
	g.journal.mark()
	for _, l := range g.lines {
		if err := g.add(l); err != nil {
			return err
		}
	}
	if err := g.flush(); err != nil {
		return err
	}
	switch g.journal.config.Sync {
	case SyncAlways:
		return g.sync()
	case SyncInterval:
		if g.timer == nil && g.journal.dirty {
			g.timer = time.AfterFunc(syncInterval, g.syncLater)
		}
	}
	return nil
}

// add adds a line to the chunk, and begins a new file before it if it is time to.
func (g *group) add(l line) error {
	begin := len(g.chunk)
	g.chunk = append(cloudevent.Append(g.chunk, l.job.Messages[l.i]), '\n')
	if g.journal.full(int64(begin), int64(len(g.chunk)-begin)) {
		text := g.chunk[begin:]
		g.chunk = g.chunk[:begin]
		if err := g.rotate(); err != nil {
			return err
		}
		g.chunk = append(g.chunk, text...)
	}
	g.ends = append(g.ends, len(g.chunk))
	if len(g.chunk) >= maxChunk {
		return g.flush()
	}
	return nil
}

// rotate begins a new file after what is in the chunk.
func (g *group) rotate() error {
	if err := g.flush(); err != nil {
		return err
	}
	if g.journal.config.Sync != SyncNever {
		if err := g.sync(); err != nil {
			return err
		}
	}
	if err := g.journal.rotate(); err != nil {
		return err
	}
	g.journal.mark()
	return nil
}

// flush writes the chunk.
func (g *group) flush() error {
	if len(g.chunk) == 0 {
		return nil
	}
	n, err := g.journal.append(g.chunk, g.ends)
	g.written += n
	g.chunk, g.ends = g.chunk[:0], g.ends[:0]
	return err
}

// sync waits until the disk has what is written.
func (g *group) sync() error {
	if err := g.journal.sync(); err != nil {
		return err
	}
	g.synced = g.written
	g.journal.mark()
	return nil
}

// syncLater is called by the timer. Nobody waits for its error, so it is that of the next Write.
func (g *group) syncLater() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.timer = nil
	if err := g.journal.sync(); err != nil {
		g.journal.late = err
	}
}

// end closes the file.
func (g *group) end() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
	return sink.ErrorOf("file: close", g.journal.close())
}
