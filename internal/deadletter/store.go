package deadletter

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unique"

	"github.com/google/btree"
	"go.etcd.io/bbolt"

	"github.com/informerd/informerd/internal/boltfile"
)

// FileName is the name of the file in the folder for state.
const FileName = "deadletters.db"

var (
	// ErrDropped is returned by Put of a store that drops letters when it is full. The store has
	// counted it; the caller is done with the event.
	ErrDropped = errors.New("the dead-letter store is full and drops letters, as configured")

	// ErrTooLarge is returned by Put for a letter that an empty store would have no room for. More
	// room, by [Store.SetLimits], is the only help.
	ErrTooLarge = errors.New("the dead letter is larger than all of a namespace may be")

	errClosed = errors.New("the dead-letter store is closed")
	errFull   = errors.New("the dead-letter store is full: replay or drop letters, or raise " +
		"deadLetters.bytes, with a reload")
	errShare = errors.New("the dead letters of one namespace take a quarter of " +
		"deadLetters.bytes: replay or drop some, or raise that, with a reload")
)

// Config is where a Store keeps its letters.
type Config struct {
	Path string // of the file; empty: in memory
	// InMemory is called with the first letter that is stored in memory only. Nil: nobody is.
	InMemory func()
	// Full is called with the error of a letter that has no room, at most once a minute. Nil: nobody
	// is.
	Full func(error)
	// Part names the part of the work that a letter belongs to, "" for none. The letters of parts
	// are mirrored. Nil: none is.
	Part func(*Letter) string
	// Mirror is where letters of parts are written, too. It is for a store in memory. Nil: nowhere.
	Mirror Mirror
	// Clusters: letters may be of several clusters, whose objects and namespaces are different ones.
	Clusters bool
	Limits
}

// Store holds letters. Its methods may be called concurrently.
type Store struct {
	db       *bbolt.DB   // nil in memory
	inMemory func()      // called at most once
	full     func(error) // may be nil
	now      func() time.Time
	partOf   func(*Letter) string // nil without a mirror
	mirror   Mirror
	clusters bool

	mu         sync.Mutex // guards what follows
	limits     Limits
	order      *btree.BTreeG[*entry] // by ID
	listeners  map[string]*Listener
	last       uint64 // the highest ID so far, without those of replacements
	all        usage
	namespaces map[namespace]usage // of those that have letters
	lacking    map[place]time.Time // letters without room, and when they were put last
	toldFull   time.Time           // when Full was called last
	closed     bool
	parts      map[string]*part // none once the store has ended
	running    int              // of their goroutines
	idle       *sync.Cond       // one of those has ended

	queue []*operation // for the writer
	marks []*entry     // to be written as superseded
	timer *time.Timer  // for when letters may expire
	// nextScan is when that is, in ns since 1970.
	nextScan int64

	wake, done chan struct{}
}

// entry is what the store knows of a letter without reading it.
type entry struct {
	id     uint64
	stored int64 // in ns since 1970
	size   int64
	place
	part                 *part // nil for none
	cluster, reason      unique.Handle[string]
	version              string
	deletion, superseded bool
	hidden               bool   // is on its way to the disk, or out of the store
	record               []byte // without a disk, or on the way to it
}

// place is where a letter comes from.
type place struct {
	listener     *Listener
	output, rule unique.Handle[string]
	object       objectKey
}

// objectKey identifies an object of a listener.
type objectKey struct {
	namespace
	resource unique.Handle[string]
	name     string
}

// namespace is one of a cluster, or what the cluster has in none.
type namespace struct {
	cluster unique.Handle[string] // of "" in a store of one cluster, whose name may change
	name    string
}

// Open opens the store, with the letters that are there already. Close it.
func Open(cfg Config) (*Store, error) {
	s := &Store{now: time.Now, inMemory: func() {}, full: cfg.Full, limits: cfg.Limits,
		order:     btree.NewG(32, func(a, b *entry) bool { return a.id < b.id }),
		listeners: map[string]*Listener{}, namespaces: map[namespace]usage{},
		lacking: map[place]time.Time{}, wake: make(chan struct{}, 1), done: make(chan struct{}),
		parts: map[string]*part{}, mirror: cfg.Mirror, clusters: cfg.Clusters}
	s.idle = sync.NewCond(&s.mu)
	if cfg.Mirror != nil {
		if cfg.Path != "" {
			return nil, fmt.Errorf("dead letters: %w", errMirrored)
		}
		s.partOf = cfg.Part
	}
	if cfg.Path != "" {
		if err := s.load(cfg.Path); err != nil {
			return nil, fmt.Errorf("dead letters: %w", err)
		}
	} else if cfg.InMemory != nil {
		s.inMemory = sync.OnceFunc(cfg.InMemory)
	}
	s.timer = time.NewTimer(0)
	go s.write()
	return s, nil
}

// load opens the file and reads which letters it has.
func (s *Store) load(path string) (err error) {
	if s.db, err = boltfile.Open(path, checkRecord); err != nil {
		return err
	}
	err = s.safely(s.db.View, func(tx *bbolt.Tx) error {
		letters, superseded := tx.Bucket(lettersBucket), tx.Bucket(supersededBucket)
		if letters == nil || superseded == nil {
			return nil // nothing was written yet
		}
		return letters.ForEach(func(key, record []byte) error {
			id := binary.BigEndian.Uint64(key)
			l, err := parseRecord(id, record, true)
			if err != nil {
				return fmt.Errorf("letter %s: %w", idText(id), err)
			}
			e := s.newEntry(&l, int64(len(record)))
			e.id, e.stored, e.superseded = id, l.Stored.UnixNano(), superseded.Get(key) != nil
			s.insertLocked(e)
			return nil
		})
	})
	if err != nil {
		_ = s.db.Close()
	}
	return err
}

// insertLocked adds a letter that was stored before.
func (s *Store) insertLocked(e *entry) {
	s.last = max(s.last, baseOf(e.id))
	s.order.ReplaceOrInsert(e)
	s.hide(e, false)
	e.listener.add(e)
}

// removeLocked removes a hidden letter.
func (s *Store) removeLocked(e *entry) {
	s.order.Delete(e)
	e.listener.remove(e)
}

// safely does something in a transaction of a kind. Its error has the file's name, also for a panic
// of the library.
func (s *Store) safely(kind func(func(*bbolt.Tx) error) error, do func(*bbolt.Tx) error) error {
	if err := boltfile.Safely(func() error { return kind(do) }); err != nil {
		return fmt.Errorf("%s: %w", s.db.Path(), err)
	}
	return nil
}

// newEntry returns an entry without its ID and time.
func (s *Store) newEntry(l *Letter, size int64) *entry {
	return &entry{size: size, cluster: unique.Make(l.Cluster), reason: unique.Make(l.Reason),
		version: l.ResourceVersion, deletion: l.Op == "delete",
		place: place{s.Listener(strings.Clone(l.Listener)), unique.Make(l.Output),
			unique.Make(l.Rule), s.keyOfObject(l.Cluster, l.Resource, l.Namespace, l.Name)}}
}

func (s *Store) keyOfObject(cluster, resource, of, name string) objectKey {
	if !s.clusters {
		cluster = ""
	}
	return objectKey{namespace{unique.Make(cluster), of}, unique.Make(resource), name}
}

// OnDisk reports whether the letters are in a file, and not in memory alone.
func (s *Store) OnDisk() bool { return s.db != nil }

// Mirrored reports whether the letters of parts are in a mirror.
func (s *Store) Mirrored() bool { return s.partOf != nil }

// Put stores a letter, on disk if there is one, and in the mirror if it is of a part, and returns its
// ID when it is there. Without room it returns an error; ErrDropped, if that is configured. With any
// error but that the letter is not stored, and the caller should try again later.
func (s *Store) Put(ctx context.Context, l Letter) (id string, err error) {
	// Making a record takes far longer than finding out that there is no room for it, even without
	// its head, and objects that wait for room are put again and again.
	op := &operation{put: s.newEntry(&l, int64(len(l.Object)+len(l.Old)+len(l.Message)))}
	if s.partOf != nil {
		op.part = s.part(s.partOf(&l))
		op.put.part = op.part
	}
	if err := s.admit(ctx, op, parseID(l.ID)); !errors.Is(err, errNoRecord) {
		return "", err
	}
	if op.put.record, err = newRecord(&l); err != nil {
		return "", err
	}
	op.put.size = int64(len(op.put.record))
	if err := s.admit(ctx, op, parseID(l.ID)); err != nil {
		return "", err
	}
	if err := <-op.done; err != nil {
		return "", err
	}
	if op.part == nil {
		s.inMemory()
	}
	return idText(op.put.id), nil
}

// Delete removes letters, from the mirror as well, and returns how many of them were there. It
// removes all of them or none, of each part.
func (s *Store) Delete(ids ...string) (n int, err error) {
	operations := map[*part]*operation{nil: {}}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return 0, errClosed
	}
	for _, id := range ids {
		if e := s.findLocked(id); e != nil {
			if operations[e.part] == nil {
				operations[e.part] = &operation{part: e.part}
			}
			s.evictEntryLocked(operations[e.part], e) // it leaves the order when that is on disk
		}
	}
	for _, op := range operations {
		s.doLocked(op)
	}
	s.mu.Unlock()
	for _, op := range operations {
		if failed := <-op.done; failed != nil {
			err = errors.Join(err, failed)
		} else {
			n += len(op.drop)
		}
	}
	return n, err
}

// hide changes whether a letter in the store is on its way out.
func (s *Store) hide(e *entry, hidden bool) {
	size, superseded := e.size, int64(0)
	if hidden {
		size = -size
	}
	if e.superseded {
		superseded = size
	}
	e.hidden = hidden
	s.useLocked(e, size, superseded)
}

// SetLimits changes the limits of a store in use. Letters that exceed smaller ones stay until they
// are removed or expire.
func (s *Store) SetLimits(l Limits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limits, s.nextScan = l, 0
	s.timer.Reset(0) // letters may be too old now
}

// Close writes what is on its way, what was superseded included, and closes the file. It may be called
// again.
func (s *Store) Close() error {
	s.mu.Lock()
	again := s.closed
	s.closed = true
	for _, p := range s.parts {
		signal(p.wake)
	}
	s.mu.Unlock()
	signal(s.wake)
	<-s.done
	s.mu.Lock()
	for s.running > 0 {
		s.idle.Wait()
	}
	clear(s.parts)
	s.mu.Unlock()
	if again || s.db == nil {
		return nil
	}
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("dead letters: %w", err)
	}
	return nil
}

// findLocked returns nil for a letter that is not there.
func (s *Store) findLocked(id string) *entry {
	if e, ok := s.order.Get(&entry{id: parseID(id)}); ok && !e.hidden {
		return e
	}
	return nil
}

// signal wakes who waits for a channel with one place.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is awake
	}
}

// Stats are figures of a store. Counters are since it was opened.
type Stats struct {
	Letters   int
	Bytes     int64 // of the letters, those on their way to the disk included
	MaxBytes  int64
	Waiting   int // letters that had no room a short time ago and will be put again
	Listeners map[string]ListenerStats
}

// ListenerStats are figures of one listener.
type ListenerStats struct {
	Letters int
	Dropped uint64 // given up since the store was full
	Expired uint64 // removed because of their age
}

// Stats returns the store's figures, with every listener that has had a letter.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := Stats{Bytes: s.all.bytes, MaxBytes: s.limits.MaxBytes, Waiting: s.lackingLocked(),
		Listeners: make(map[string]ListenerStats, len(s.listeners))}
	for name, l := range s.listeners {
		n := int(l.count.Load())
		all.Letters += n
		all.Listeners[name] = ListenerStats{Letters: n, Dropped: l.dropped, Expired: l.expired}
	}
	return all
}
