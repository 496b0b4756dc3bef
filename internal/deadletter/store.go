package deadletter

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/btree"
)

// FileName is the name of the file in the folder for state.
const FileName = "deadletters.db"

// Config is where a Store keeps its letters.
type Config struct {
	Path string // of the file; empty: in memory
	// InMemory is called with the first letter that is stored in memory only. Nil: nobody is.
	InMemory func()
	// Full is called when a letter begins to wait for room and no other one waits, at most once a
	// minute. Nil: nobody is.
	Full func()
	// Patience is how long Put waits for room. 0: 2 s.
	Patience time.Duration
	Limits
}

// Store holds letters. Its methods may be called concurrently.
type Store struct {
	disk     *disk  // nil in memory
	inMemory func() // called at most once
	full     func() // may be nil
	now      func() time.Time
	patience time.Duration

	mu        sync.Mutex // guards what follows
	limits    Limits
	order     *btree.BTreeG[*entry] // by ID
	listeners map[string]*Listener
	names     map[string]string   // strings that many entries share
	pending   map[uint64]struct{} // IDs of letters on their way to the disk
	last      uint64              // the highest ID so far, without those of replacements
	bytes     int64               // of all letters, those on their way included
	evicting  int64               // bytes of those that are on their way out
	// superseded is how many letters are.
	superseded int
	waiting    []*waiter
	lacking    map[place]time.Time // which letters had no room, and since when
	crowded    bool                // the last one that waited for room found none
	toldFull   time.Time           // when Full was called last
	closed     bool

	queue    []*operation // for the writer
	marks    []*entry     // to be written as superseded
	undo     []uint64     // IDs whose write failed, and which are in the file all the same
	nextScan int64        // when letters may expire, in ns since 1970

	wake, done chan struct{}
}

// entry is what the store knows of a letter without reading it.
type entry struct {
	id               uint64
	stored           int64 // in ns since 1970
	size             int64
	listener         *Listener
	output, reason   string
	object           objectKey
	version, rule    string
	deletion         bool
	superseded, gone bool
	record           []byte // without a disk
}

// objectKey identifies an object of a listener.
type objectKey struct{ resource, namespace, name string }

// Open opens the store, with the letters that are there already. Close it.
func Open(cfg Config) (*Store, error) {
	s := &Store{now: time.Now, limits: cfg.Limits.withDefaults(), inMemory: func() {},
		full:      cfg.Full,
		order:     btree.NewG(32, func(a, b *entry) bool { return a.id < b.id }),
		listeners: map[string]*Listener{}, names: map[string]string{},
		pending: map[uint64]struct{}{}, lacking: map[place]time.Time{},
		patience: cmp.Or(cfg.Patience, 2*time.Second),
		wake:     make(chan struct{}, 1), done: make(chan struct{})}
	if cfg.Path != "" {
		if err := s.load(cfg.Path); err != nil {
			return nil, fmt.Errorf("dead letters: %w", err)
		}
	} else if cfg.InMemory != nil {
		s.inMemory = sync.OnceFunc(cfg.InMemory)
	}
	go s.write()
	return s, nil
}

// load opens the file and reads which letters it has.
func (s *Store) load(path string) (err error) {
	if s.disk, err = openDisk(path); err != nil {
		return err
	}
	err = s.disk.each(func(id uint64, record []byte, superseded bool) error {
		l, err := parseRecord(id, record, true)
		if err != nil {
			return fmt.Errorf("letter %s: %w", idText(id), err)
		}
		e := s.newEntry(&l, int64(len(record)))
		e.id, e.stored, e.superseded = id, l.Stored.UnixNano(), superseded
		s.bytes += e.size
		s.last = max(s.last, baseOf(id))
		s.insert(e)
		return nil
	})
	if err != nil {
		_ = s.disk.close()
	}
	return err
}

// OnDisk reports whether the letters are in a file, and not in memory alone.
func (s *Store) OnDisk() bool { return s.disk != nil }

// Put stores a letter, on disk if there is one, and returns its ID when it is there. If the store
// is full it waits for room, a little, and then returns ErrFull; or it returns ErrDropped, as
// configured. With any error but that the letter is not stored, and the caller should try again
// later.
func (s *Store) Put(ctx context.Context, l Letter) (id string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	record, err := newRecord(&l)
	if err != nil {
		return "", err
	}
	replaced, _ := parseID(l.ID)
	s.mu.Lock()
	e := s.newEntry(&l, int64(len(record)))
	wait, err := s.admitLocked(e, replaced)
	tell := wait != nil && s.tellFullLocked()
	s.mu.Unlock()
	if tell {
		s.full()
	}
	if wait != nil {
		err = s.await(ctx, wait)
	}
	if err != nil {
		return "", err
	}
	seal(record, e.id, time.Unix(0, e.stored))
	if err = s.do(&operation{put: e, record: record}); err != nil {
		return "", err
	}
	s.inMemory()
	return idText(e.id), nil
}

// Delete removes letters, and returns how many of them were there.
func (s *Store) Delete(ids ...string) (n int, err error) {
	op := &operation{}
	s.mu.Lock()
	for _, text := range ids {
		if e := s.findLocked(text); e != nil && !e.gone {
			e.gone = true // for another Delete; it leaves the order when that is on disk
			op.drop = append(op.drop, e)
		}
	}
	s.mu.Unlock()
	if len(op.drop) == 0 {
		return 0, nil
	}
	if err := s.do(op); err != nil {
		return 0, err
	}
	return len(op.drop), nil
}

// SetLimits changes the limits of a store in use. Letters that exceed smaller ones stay until they
// are removed or expire.
func (s *Store) SetLimits(l Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits, s.nextScan = l.withDefaults(), 0
	s.grantLocked()
	s.signal() // letters may be too old now
}

// Close writes what is on its way, and closes the file. It may be called again.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		<-s.done
		return nil
	}
	s.closed = true
	s.grantLocked()
	s.mu.Unlock()
	s.signal()
	<-s.done
	if s.disk == nil {
		return nil
	}
	if err := s.disk.close(); err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	return nil
}

func (s *Store) findLocked(text string) *entry {
	if id, ok := parseID(text); ok {
		e, _ := s.order.Get(&entry{id: id})
		return e
	}
	return nil
}
