package checkpoint

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
)

// minDue is how large the logs are at least when a rotation pays.
const minDue = 16 << 20

// Due reports whether a rotation pays: the logs are larger than the snapshot, and not small. After
// an aborted one that is only so once the logs have grown.
func (s *Store) Due() bool { return s.logBytes.Load() > s.dueBytes.Load() }

// Rotate begins a new generation: later commits go to a new log, and the snapshot that is returned
// has to be written with the state of this moment. The caller ends it with Finish or Abort, and may
// commit meanwhile. There can be one rotation at a time.
//
// Unless the error is ErrFailed, commits go on as before.
func (s *Store) Rotate() (*Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usableLocked(); err != nil {
		return nil, err
	}
	if s.rotating {
		return nil, fmt.Errorf("%s: %w", s.dir, errRotating)
	}
	before := s.logBytes.Load()
	sn, err := s.newSnapshot(s.generation + 1)
	if err != nil {
		s.dueBytes.Store(before + minDue)
		return nil, err
	}
	if err := s.newLog(s.generation + 1); err != nil {
		sn.discard()
		s.dueBytes.Store(before + minDue)
		return nil, err
	}
	s.rotating = true
	s.dueBytes.Store(1<<63 - 1)
	return sn, nil
}

// Snapshot is one that is being written. It serves one goroutine.
type Snapshot struct {
	store      *Store
	generation uint64
	path       string // of the complete file
	file       file
	out        *bufio.Writer
	seed       uint32
	number     uint64 // of the next block
	bytes      int64
	unsynced   int64
	logsBefore int64 // what the logs had that it replaces
	err        error // of an earlier Write
	ended      bool
}

const (
	// snapshotBuffer is how much of a snapshot is written at once.
	snapshotBuffer = 256 << 10
	// syncEvery is how much of a snapshot is synced at once. A commit may have to wait for all that
	// the file system has in memory.
	syncEvery = 4 << 20
)

// newSnapshot makes the file of a snapshot, which is not complete.
func (s *Store) newSnapshot(generation uint64) (*Snapshot, error) {
	h := head{snapshotFile, generation, s.next, rand.Uint64()}
	sn := &Snapshot{store: s, generation: generation, path: snapshotFile.path(s.dir, generation),
		seed: h.seed(), number: 1, bytes: headSize, logsBefore: s.logBytes.Load()}
	f, err := s.disk.Create(sn.path + unfinished)
	if err != nil {
		return nil, inFile(sn.path, err)
	}
	sn.file, sn.out = f, bufio.NewWriterSize(f, snapshotBuffer)
	if _, err := sn.out.Write(h.append(nil)); err != nil {
		sn.discard()
		return nil, inFile(sn.path, err)
	}
	return sn, nil
}

// Write adds a block. After an error, only Abort is possible.
func (sn *Snapshot) Write(block []byte) error {
	if len(block) > maxBlock {
		sn.err = fmt.Errorf("%s: a block of %d bytes is too large, at most %d are possible",
			sn.path, len(block), maxBlock)
	}
	return sn.write(uint32(len(block)), block)
}

func (sn *Snapshot) write(length uint32, block []byte) error {
	if sn.err == nil && sn.ended {
		sn.err = fmt.Errorf("%s: the snapshot has ended", sn.path)
	}
	if sn.err != nil {
		return sn.err
	}
	var head [blockHead]byte
	_, err := sn.out.Write(appendBlockHead(head[:0], sn.seed, length, sn.number, block))
	if err == nil {
		_, err = sn.out.Write(block)
	}
	if err != nil {
		sn.err = inFile(sn.path, err)
		return sn.err
	}
	sn.number++
	sn.bytes += blockHead + int64(len(block))
	if sn.unsynced += blockHead + int64(len(block)); sn.unsynced < syncEvery {
		return nil
	}
	sn.unsynced = 0
	if err = sn.out.Flush(); err == nil {
		err = sn.file.Sync()
	}
	if err != nil {
		sn.err = inFile(sn.path, err)
	}
	return sn.err
}

// Finish completes the snapshot and removes what it replaces. It may take as long as the disk needs
// for all of it. After an error nothing is lost, and the rotation is aborted.
func (sn *Snapshot) Finish() error {
	if sn.ended {
		return fmt.Errorf("%s: the snapshot has ended", sn.path)
	}
	s := sn.store
	err := s.usable()
	if err == nil {
		err = sn.write(endMark, nil)
	}
	if err == nil {
		err = sn.complete()
	}
	if err != nil {
		sn.Abort()
		return err
	}
	sn.ended = true
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rotating = false
	s.logBytes.Add(-sn.logsBefore)
	s.dueBytes.Store(max(sn.bytes, minDue))
	return nil
}

// complete syncs and renames the file. Once its name is on disk, nothing older is needed.
func (sn *Snapshot) complete() error {
	s := sn.store
	err := sn.out.Flush()
	if err == nil {
		err = sn.file.Sync()
	}
	err = cmp.Or(err, sn.file.Close())
	sn.file = nil
	if err == nil {
		err = s.disk.Rename(sn.path+unfinished, sn.path)
	}
	if err == nil {
		err = s.disk.SyncDir(s.dir)
	}
	if err != nil {
		return inFile(sn.path, err)
	}
	s.removeBefore(sn.generation)
	return nil
}

// removeBefore removes the complete files of earlier generations. A file that cannot be removed
// does no harm; the next snapshot and the next Load try again.
func (s *Store) removeBefore(generation uint64) {
	entries, err := s.disk.List(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if _, g, complete, ok := parseName(e.name); ok && complete && g < generation {
			_ = s.disk.Remove(filepath.Join(s.dir, e.name))
		}
	}
}

// Abort discards the snapshot. The logs go on without it.
func (sn *Snapshot) Abort() {
	if sn.ended {
		return
	}
	sn.ended = true
	sn.discard()
	s := sn.store
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rotating = false
	s.dueBytes.Store(s.logBytes.Load() + minDue)
}

// discard removes the file. Load removes it later if that fails.
func (sn *Snapshot) discard() {
	if sn.file != nil {
		_ = sn.file.Close()
		sn.file = nil
	}
	_ = sn.store.disk.Remove(sn.path + unfinished)
}

// usable returns why nothing can be committed, nil if it can.
func (s *Store) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.usableLocked()
}
