package checkpoint

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// Store is a checkpoint on disk. It is safe for concurrent use. Call Load before the first Commit,
// and Close at the end.
type Store struct {
	dir   string
	disk  disk
	lock  io.Closer
	chain chain
	rest  []string // paths of files that Load removes

	mu         sync.Mutex // protects what follows, and sequences commits
	log        file       // nil before Load
	generation uint64     // of the log
	next       uint64     // number of the next block
	seed       uint32     // of the log
	failed     error      // why nothing can be done any more
	rotating   bool
	buffer     []byte

	// logBytes is how much the logs have that a snapshot would replace. A rotation pays above
	// dueBytes.
	logBytes, dueBytes atomic.Int64
}

// Open opens the checkpoint of a folder. It makes the folder if there is none, and nothing else
// before Load.
func Open(dir string) (*Store, error) { return open(dir, osDisk{}) }

func open(dir string, d disk) (*Store, error) {
	if err := d.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("making the folder of the checkpoint: %w", err)
	}
	lock, err := d.Lock(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("locking the checkpoint: %w", err)
	}
	s := &Store{dir: dir, disk: d, lock: lock}
	if s.chain, s.rest, err = findChain(d, dir); err != nil {
		_ = lock.Close()
		return nil, err
	}
	return s, nil
}

// Load calls f with each block of the newest snapshot, and then with those that were committed
// after it. A block is valid until f returns. An error of f ends Load and is returned. After any
// error, what f was called with must be forgotten, and the store can only be closed.
func (s *Store) Load(f func(block []byte) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil && s.log != nil {
		return fmt.Errorf("%s: the checkpoint was loaded before", s.dir)
	}
	if s.failed != nil {
		return s.failed
	}
	end, err := s.read(f)
	if err == nil {
		err = s.begin(end)
	}
	if err != nil {
		s.failed = fmt.Errorf("%s: loading the checkpoint has failed: %w", s.dir, err)
	}
	return err
}

// logEnd is where the next block of the last log goes.
type logEnd struct {
	size int64
	torn bool // and what is there is to be cut off
	seed uint32
}

// read reads all files, and changes none.
func (s *Store) read(f func(block []byte) error) (end logEnd, err error) {
	s.next = 1
	var snapshotBytes int64
	if g := s.chain.snapshot; g > 0 {
		r, err := openReader(s.disk, s.dir, snapshotFile, g)
		if err != nil {
			return end, err
		}
		_, err = r.each(false, f)
		r.close()
		if err != nil {
			return end, err
		}
		s.next, snapshotBytes = r.head.first, r.size
	}
	for i, g := range s.chain.logs {
		r, err := openReader(s.disk, s.dir, logFile, g)
		if err != nil {
			return end, err
		}
		if r.head.first != s.next {
			r.close()
			return end, damaged(r.path, 0, fmt.Sprintf(
				"it begins with block %d, the files before end with block %d: they were cut off",
				r.head.first, s.next-1))
		}
		torn, err := r.each(i == len(s.chain.logs)-1, f)
		r.close()
		if err != nil {
			return end, err
		}
		s.next, s.generation, end = r.number, g, logEnd{r.at, torn, r.seed}
		s.logBytes.Add(r.at)
	}
	s.dueBytes.Store(max(snapshotBytes, minDue))
	return end, nil
}

// begin opens the last log for commits, and removes what is not needed. What was loaded may not be
// on disk yet if another process was killed before it synced it: neither a block nor a name.
func (s *Store) begin(end logEnd) error {
	if s.generation == 0 {
		return s.newLog(1)
	}
	if err := s.disk.SyncDir(s.dir); err != nil {
		return err
	}
	path := logFile.path(s.dir, s.generation)
	f, err := s.disk.Append(path)
	if err != nil {
		return inFile(path, err)
	}
	if end.torn {
		err = f.Truncate(end.size)
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Close()
		return inFile(path, err)
	}
	for _, path := range s.rest {
		if err := s.disk.Remove(path); err != nil {
			_ = f.Close()
			return err
		}
	}
	s.log, s.seed = f, end.seed
	return nil
}

// newLog makes the log of a generation and goes on with it. Any error after its rename is one of
// the store: it is unknown whether the log is there.
func (s *Store) newLog(generation uint64) error {
	h := head{logFile, generation, s.next, rand.Uint64()}
	path := logFile.path(s.dir, generation)
	f, err := s.disk.Create(path + unfinished)
	if err != nil {
		return inFile(path, err)
	}
	if _, err = f.Write(h.append(nil)); err == nil {
		err = f.Sync()
	}
	if err != nil {
		_ = f.Close()
		_ = s.disk.Remove(path + unfinished)
		return inFile(path, err)
	}
	if err = s.disk.Rename(path+unfinished, path); err == nil {
		err = s.disk.SyncDir(s.dir)
	}
	if err != nil {
		_ = f.Close()
		return s.failLocked(inFile(path, err))
	}
	if s.log != nil {
		_ = s.log.Close() // all of it was synced
	}
	s.log, s.seed, s.generation = f, h.seed(), generation
	s.logBytes.Add(headSize)
	return nil
}

// keptBuffer is the largest buffer that is kept for the next commit.
const keptBuffer = 4 << 20

// Commit appends a block and waits until it is on disk. After an error it is unknown whether the
// block is there; the store is no longer usable.
func (s *Store) Commit(block []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usableLocked(); err != nil {
		return err
	}
	if len(block) > maxBlock {
		return fmt.Errorf("%s: a block of %d bytes is too large, at most %d are possible", s.dir,
			len(block), maxBlock)
	}
	b := appendBlockHead(s.buffer[:0], s.seed, uint32(len(block)), s.next, block)
	b = append(b, block...)
	if s.buffer = b; cap(b) > keptBuffer {
		s.buffer = nil
	}
	_, err := s.log.Write(b)
	if err == nil {
		err = s.log.Sync()
	}
	if err != nil {
		return s.failLocked(inFile(logFile.path(s.dir, s.generation), err))
	}
	s.next++
	s.logBytes.Add(int64(len(b)))
	return nil
}

// usableLocked returns why nothing can be committed, nil if it can.
func (s *Store) usableLocked() error {
	if s.failed == nil && s.log == nil {
		return fmt.Errorf("%s: %w", s.dir, errNotLoaded)
	}
	return s.failed
}

// failLocked makes the store unusable, for a reason.
func (s *Store) failLocked(reason error) error {
	s.failed = fmt.Errorf("%w: %w; what was committed before is kept: mend the disk and start again",
		ErrFailed, reason)
	return s.failed
}

// Close releases the folder. Whatever was committed is on disk already.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock == nil {
		return nil
	}
	if s.log != nil {
		_ = s.log.Close() // all of it was synced
	}
	err := s.lock.Close()
	s.lock, s.failed = nil, fmt.Errorf("%s: %w", s.dir, errClosed)
	return err
}

// Size returns how many bytes the checkpoint takes on disk.
func (s *Store) Size() (n int64, err error) {
	entries, err := s.disk.List(s.dir)
	for _, e := range entries {
		if _, _, _, ok := parseName(e.name); ok {
			n += e.size
		}
	}
	return n, err
}

// Remove removes the checkpoint of a folder, damaged or not. It returns ErrLocked if a process uses
// it, and nil if there is none.
func Remove(dir string) error {
	if _, err := os.Stat(dir); os.IsNotExist(err) {
		return nil
	}
	return remove(dir, osDisk{})
}

func remove(dir string, d disk) error {
	lock, err := d.Lock(filepath.Join(dir, lockName))
	if err != nil {
		return fmt.Errorf("locking the checkpoint: %w", err)
	}
	defer func() { _ = lock.Close() }()
	entries, err := d.List(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, _, _, ok := parseName(e.name); ok {
			if err := d.Remove(filepath.Join(dir, e.name)); err != nil {
				return err
			}
		}
	}
	return d.SyncDir(dir)
}
