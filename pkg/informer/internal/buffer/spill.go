package buffer

import (
	"cmp"
	"errors"

	"github.com/informerd/informerd/pkg/informer/internal/fifo"
)

const (
	maxUnwritten      = 4096
	maxUnwrittenBytes = 16 << 20
	// maxDiskBatch is how many entries are written or read at a time, and maxReadAhead how many of
	// them may be more than there is room for.
	maxDiskBatch = 256
	maxReadAhead = 32
)

// spill is a first-in-first-out list whose middle is in a file:
//
//	push ──► unwritten ──► writing ──► file ──► readBack ──► pop
//	             └─────────────────────────────────────────► pop, if there is nothing in front
//
// The invariant: what pop returns is what was pushed, in that order, whatever the disk does; only
// what was in a file that cannot be read is lost, and the buffer knows of what objects that was.
//
// It never touches the file. That is done by a DiskJob: it is made here, run by whoever owns the
// file meanwhile and without any lock, and finished here. There is one at a time.
type spill struct {
	file       *spillFile // the job's, while there is one
	job        *diskJob
	maxWaiting int
	maxBytes   int64

	unwritten fifo.Queue[Entry]
	writing   []Entry // by the job
	bytes     int64   // of the texts in unwritten and writing
	records   int     // in the file, those that the job reads included
	readBack  fifo.Queue[Entry]

	// limited: the file has reached its limit. It is written again when some of it has been read.
	limited bool
	failed  bool  // the file could not be written; it is only read from now on
	lost    error // why the file cannot be read any more
}

func newSpill(cfg Config) *spill {
	file := newSpillFile(cfg.SpillDir, cfg.SpillBytes)
	if cfg.CreateFile != nil {
		file.create = cfg.CreateFile
	}
	return &spill{
		file: file, maxWaiting: cmp.Or(cfg.MaxUnwritten, maxUnwritten),
		maxBytes: cmp.Or(cfg.MaxUnwrittenBytes, maxUnwrittenBytes),
	}
}

func (s *spill) len() int {
	if s == nil {
		return 0
	}
	return s.readBack.Len() + s.records + len(s.writing) + s.unwritten.Len()
}

// push takes an entry that is to be written, and reports whether there is room for it.
func (s *spill) push(e Entry) bool {
	if s.len() == 0 {
		s.limited = false
	}
	waiting, size := s.unwritten.Len()+len(s.writing), textBytes(&e)
	if s.limited || s.failed || s.lost != nil || waiting >= s.maxWaiting ||
		waiting > 0 && s.bytes+size > s.maxBytes {
		return false
	}
	s.unwritten.Push(e)
	s.bytes += size
	return true
}

func textBytes(e *Entry) int64 {
	n := e.Object.Size()
	if e.Old != nil {
		n += e.Old.Size()
	}
	return int64(n)
}

// pop returns the oldest entry, if it is in memory. What is on disk has to be read by a job first.
func (s *spill) pop() (e Entry, ok bool) {
	if e, ok = s.readBack.Pop(); ok || s.records > 0 || len(s.writing) > 0 {
		return e, ok
	}
	if e, ok = s.unwritten.Pop(); ok {
		s.bytes -= textBytes(&e)
	}
	return e, ok
}

// begin returns the job that is due if there is room for so many entries, nil if none is.
func (s *spill) begin(room int) *diskJob {
	if !s.due(room) {
		return nil
	}
	s.job = &diskJob{file: s.file}
	if s.readable(room) {
		s.job.read = min(room+maxReadAhead, maxDiskBatch, s.records)
		return s.job
	}
	for len(s.writing) < maxDiskBatch {
		e, ok := s.unwritten.Pop()
		if !ok {
			break
		}
		s.writing = append(s.writing, e)
	}
	s.job.write = s.writing
	return s.job
}

// due reports whether there is a job to begin. Reading comes first: a worker may wait for it.
func (s *spill) due(room int) bool {
	return s.job == nil && s.lost == nil &&
		(s.readable(room) || s.unwritten.Len() > 0 && !s.limited && !s.failed)
}

func (s *spill) readable(room int) bool {
	return room > 0 && s.records > 0 && s.readBack.Len() == 0
}

// finish takes over what the job has done.
func (s *spill) finish(j *diskJob) {
	s.job = nil
	if j.read > 0 {
		for _, e := range j.got {
			s.readBack.Push(e)
		}
		s.records -= len(j.got)
		s.limited = false
		s.lost = j.err
		return
	}
	for _, e := range j.write[:j.written] {
		s.bytes -= textBytes(&e)
	}
	s.records += j.written
	// What could not be written stays in memory, in its place.
	var unwritten fifo.Queue[Entry]
	for _, e := range j.write[j.written:] {
		unwritten.Push(e)
	}
	if unwritten.Len() > 0 {
		for e, ok := s.unwritten.Pop(); ok; e, ok = s.unwritten.Pop() {
			unwritten.Push(e)
		}
		s.unwritten = unwritten
	}
	s.writing = nil
	s.limited = errors.Is(j.err, errSpillFull)
	s.failed = j.err != nil && !s.limited
}
