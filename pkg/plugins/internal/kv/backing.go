package kv

import (
	"context"
	"sync"
	"time"
)

// Backing is where tables are kept beyond the end of the daemon. It need not be safe for concurrent
// use, and values like it are compared with ==.
type Backing interface {
	// Load returns a table, with values whose time is over, too, if they are still there.
	Load(ctx context.Context, table string) (map[string]Value, error)
	// Commit makes changes, by tables and keys; nil is a key that is to be gone. It returns nil if
	// all are made for good, else they may be made or not, and are made again.
	Commit(ctx context.Context, changes map[string]map[string]*Value) error
}

// Value is what is kept of a key. The type has no name, so that backings need not know this
// package.
type Value = struct {
	Data    string
	Expires int64 // when it is over, in ns since 1970; 0 is never
}

// patience is how long a backing may take to commit.
const patience = 10 * time.Second

// tables are those that have one backing, or none.
type tables struct {
	backing Backing // nil: memory
	changed func()  // is called when there is something to commit

	// guards what follows; held while committing, so that changes are made in their order
	mu   sync.Mutex
	open map[string]*shared
}

// shared is a table with the number of its stores. One that has none could not be committed.
type shared struct {
	*table
	stores int
}

// take returns a table for one more store.
func (t *tables) take(ctx context.Context, name string) (*table, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sh := t.open[name]
	if sh == nil {
		one, err := t.load(ctx, name)
		if err != nil {
			return nil, err
		}
		sh = &shared{table: one}
		if t.open == nil {
			t.open = map[string]*shared{}
		}
		t.open[name] = sh
	}
	sh.stores++
	return sh.table, nil
}

// load reads a table, without the values whose time is over.
func (t *tables) load(ctx context.Context, name string) (*table, error) {
	one := newTable()
	if t.backing == nil {
		return one, nil
	}
	values, err := t.backing.Load(ctx, name)
	if err != nil {
		return nil, err
	}
	one.changed, one.wake = map[string]struct{}{}, t.changed
	now := time.Now().UnixNano()
	for key, v := range values {
		if v.Expires != 0 && v.Expires <= now {
			one.note(key)
			continue
		}
		one.entries[key] = &entry{key: key, value: v.Data, expires: v.Expires, filed: true}
		one.bytes += int64(len(v.Data))
		one.noteExpiry(v.Expires)
	}
	return one, nil
}

// release takes note that a table has one store less. The last one's changes are committed, and the
// table is forgotten, unless that fails; then it is tried again.
func (t *tables) release(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	sh := t.open[name]
	if sh == nil { // closed
		return nil
	}
	if sh.stores--; sh.stores > 0 {
		return nil
	}
	if err := t.commitLocked(); err != nil {
		t.changed()
		return err
	}
	return nil
}

func (t *tables) flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.commitLocked()
}

// commitLocked commits the changes of all tables at once, and forgets those that have no store.
func (t *tables) commitLocked() error {
	changes := map[string]map[string]*Value{}
	for name, sh := range t.open {
		if c := sh.take(); len(c) > 0 {
			changes[name] = c
		}
	}
	if len(changes) > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := t.backing.Commit(ctx, changes); err != nil {
			for name, c := range changes {
				t.open[name].putBack(c)
			}
			return err
		}
	}
	for name, sh := range t.open {
		if sh.stores == 0 {
			delete(t.open, name)
		}
	}
	return nil
}
