package informer

import "errors"

const (
	// maxHandedOver is how many entries may wait to be written, and maxHandedOverBytes how long
	// their texts may be. What exceeds that is marked: a disk that is slow or hangs costs no more
	// memory than that.
	maxHandedOver      = 4096
	maxHandedOverBytes = 16 << 20
	// maxDiskBatch is how many entries are written or read at a time, and maxReadAhead how many of
	// them may be more than there is room for.
	maxDiskBatch = 256
	maxReadAhead = 32
)

// spill is a buffer's first-in-first-out list whose middle is in a file:
//
//	push ──► unwritten ──► writing ──► file ──► back ──► pop
//	             └──────────────────────────────────────► pop, if there is nothing in front
//
// It is plain data like the buffer, and never touches the file. That is done by a diskJob: it is
// made here, run by whoever owns the file meanwhile and without any lock, and finished here. There
// is one at a time.
type spill struct {
	file       *spillFile // the job's, while there is one
	job        *diskJob
	maxWaiting int
	maxBytes   int64

	unwritten fifo[entry]
	writing   []entry // by the job
	bytes     int64   // of the texts in unwritten and writing
	records   int     // in the file, those that the job reads included
	back      fifo[entry]

	// the file has reached its limit; it is written again when something of it has been read
	limited bool
	failed  bool  // the file could not be written; it is only read from now on
	lost    error // why the file cannot be read any more
}

func newSpill(file *spillFile) *spill {
	return &spill{file: file, maxWaiting: maxHandedOver, maxBytes: maxHandedOverBytes}
}

func (s *spill) len() int {
	if s == nil {
		return 0
	}
	return s.back.len() + s.records + len(s.writing) + s.unwritten.len()
}

// push takes an entry that is to be written, and reports whether there is room for it.
func (s *spill) push(e entry) bool {
	if s.len() == 0 {
		s.limited = false
	}
	waiting, size := s.unwritten.len()+len(s.writing), textBytes(&e)
	if s.limited || s.failed || s.lost != nil || waiting >= s.maxWaiting || waiting > 0 &&
		s.bytes+size > s.maxBytes {
		return false
	}
	s.unwritten.push(e)
	s.bytes += size
	return true
}

func textBytes(e *entry) int64 {
	n := e.Object.Size()
	if e.Old != nil {
		n += e.Old.Size()
	}
	return int64(n)
}

// pop returns the oldest entry, if it is in memory. What is on disk has to be read by a job first.
func (s *spill) pop() (e entry, ok bool) {
	if e, ok = s.back.pop(); ok || s.records > 0 || len(s.writing) > 0 {
		return e, ok
	}
	if e, ok = s.unwritten.pop(); ok {
		s.bytes -= textBytes(&e)
	}
	return e, ok
}

// diskJob is something to be done to a spill file: a batch is written, some records are read, or
// the file is closed.
type diskJob struct {
	file  *spillFile
	write []entry
	read  int
	close bool

	// What has been done:
	written int
	got     []entry
	err     error
}

// run does it. It takes as long as the disk does.
func (j *diskJob) run() {
	switch {
	case j.close:
		j.err = j.file.close()
	case j.read > 0:
		for len(j.got) < j.read && j.err == nil {
			var e entry
			if e, j.err = j.file.pop(); j.err == nil {
				j.got = append(j.got, e)
			}
		}
	default:
		for j.written < len(j.write) && j.err == nil {
			if j.err = j.file.push(j.write[j.written]); j.err == nil {
				j.written++
			}
		}
	}
}

// next begins the job that is due if there is room for so many entries, nil if none is.
func (s *spill) next(room int) *diskJob {
	if !s.due(room) {
		return nil
	}
	s.job = &diskJob{file: s.file}
	if s.readable(room) {
		s.job.read = min(room+maxReadAhead, maxDiskBatch, s.records)
		return s.job
	}
	for len(s.writing) < maxDiskBatch {
		e, ok := s.unwritten.pop()
		if !ok {
			break
		}
		s.writing = append(s.writing, e)
	}
	s.job.write = s.writing
	return s.job
}

// due reports whether there is a job to begin. To read comes first: somebody may wait for it.
func (s *spill) due(room int) bool {
	return s.job == nil && s.lost == nil &&
		(s.readable(room) || s.unwritten.len() > 0 && !s.limited && !s.failed)
}

func (s *spill) readable(room int) bool { return room > 0 && s.records > 0 && s.back.len() == 0 }

// finish takes over what the job has done.
func (s *spill) finish(j *diskJob) {
	s.job = nil
	if j.read > 0 {
		for _, e := range j.got {
			s.back.push(e)
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
	var unwritten fifo[entry]
	for _, e := range j.write[j.written:] {
		unwritten.push(e)
	}
	if unwritten.len() > 0 {
		for e, ok := s.unwritten.pop(); ok; e, ok = s.unwritten.pop() {
			unwritten.push(e)
		}
		s.unwritten = unwritten
	}
	s.writing = nil
	s.limited = errors.Is(j.err, errSpillFull)
	s.failed = j.err != nil && !s.limited
}

// diskDue reports whether nextDiskJob has one.
func (b *buffer) diskDue() bool {
	return b.closing != nil || b.spill != nil && b.spill.due(b.capacity-b.held)
}

// nextDiskJob begins what is to be done to the spill file, nil if that is nothing. Who gets it
// calls run, and then finishDiskJob, before asking again.
func (b *buffer) nextDiskJob() *diskJob {
	if b.closing != nil {
		j := &diskJob{file: b.closing, close: true}
		b.closing = nil
		return j
	}
	if b.spill == nil {
		return nil
	}
	return b.spill.next(b.capacity - b.held)
}

// finishDiskJob takes over what a job has done, unless the file has been given up meanwhile.
func (b *buffer) finishDiskJob(j *diskJob) {
	switch {
	case j.close:
		if b.spillErr == nil {
			b.spillErr = j.err
		}
	case b.spill != nil:
		b.spills += uint64(j.written)
		b.spill.finish(j)
		if b.spill.failed {
			b.spillErr = j.err
		}
		b.promote()
	}
}

// closeSpill gives up the spill file, which a job closes, and what was to be written.
func (b *buffer) closeSpill() {
	if b.spill != nil {
		b.closing, b.spill = b.spill.file, nil
	}
}
