package kv

import (
	"sync"
	"time"
)

// table holds the values of one listener in one shard.
type table struct {
	mu      sync.Mutex // guards what follows
	entries map[string]*entry
	bytes   int64 // of all values
	next    int64 // nothing expires before; 0 is never

	// For a table that is kept; changed is nil for others.
	changed map[string]struct{} // keys that the backing has in another way, or not at all
	wake    func()              // says that there are such
}

// entry is one value. Times are nanoseconds since 1970 and not monotonic, as they are kept.
type entry struct {
	key, value string
	expires    int64 // 0 is never
	filed      bool  // the backing may have this key, perhaps with another value
}

func newTable() *table { return &table{entries: map[string]*entry{}} }

// live finds a key whose time is not over.
func (t *table) live(key []byte) *entry {
	e := t.entries[string(key)]
	if e == nil || e.expires == 0 || e.expires > time.Now().UnixNano() {
		return e
	}
	t.remove(e)
	return nil
}

// put stores a value within limits. A value that is no longer than the one it replaces is taken in
// any case.
func (t *table) put(key, value []byte, expires int64, limits Limits) error {
	e := t.live(key)
	keys, grown := 1, int64(len(value))
	if e != nil {
		keys, grown = 0, int64(len(value)-len(e.value))
	}
	fits := func() bool {
		return (keys == 0 || len(t.entries)+keys <= limits.Keys) &&
			(grown <= 0 && keys == 0 || t.bytes+grown <= limits.Bytes)
	}
	if !fits() && (!t.sweep() || !fits()) {
		return ErrQuota
	}
	if e == nil {
		e = &entry{key: string(key)}
		_, e.filed = t.changed[e.key] // it may have been removed a moment ago
		t.entries[e.key] = e
	}
	if e.value != string(value) {
		e.value = string(value)
	}
	e.expires = expires
	t.bytes += grown
	t.noteExpiry(expires)
	t.note(e.key)
	return nil
}

func (t *table) remove(e *entry) {
	delete(t.entries, e.key)
	t.bytes -= int64(len(e.value))
	if e.filed {
		t.note(e.key)
	} else {
		// so that there are no more changes than keys, here and in the backing
		delete(t.changed, e.key)
	}
}

// sweep removes what is over, if there is something. Between two sweeps a value must have come to
// its end, so that a guest which writes to a full table does not have all of it looked through each
// time.
func (t *table) sweep() bool {
	now := time.Now().UnixNano()
	if t.next == 0 || t.next > now {
		return false
	}
	t.next = 0
	for _, e := range t.entries {
		if e.expires != 0 && e.expires <= now {
			t.remove(e)
			continue
		}
		t.noteExpiry(e.expires)
	}
	return true
}

func (t *table) noteExpiry(expires int64) {
	if expires != 0 && (t.next == 0 || expires < t.next) {
		t.next = expires
	}
}

// note marks a key as to be committed.
func (t *table) note(key string) {
	if t.changed == nil {
		return
	}
	t.changed[key] = struct{}{}
	t.wake()
}

// take returns the changes since it was last called. They count as made, unless they are put back.
func (t *table) take() map[string]*Value {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.changed) == 0 {
		return nil
	}
	changes := make(map[string]*Value, len(t.changed))
	for key := range t.changed {
		changes[key] = nil
		if e := t.entries[key]; e != nil {
			e.filed = true
			changes[key] = &Value{e.value, e.expires}
		}
	}
	clear(t.changed)
	return changes
}

// putBack says that changes were not made.
func (t *table) putBack(changes map[string]*Value) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key := range changes {
		t.changed[key] = struct{}{}
		if e := t.entries[key]; e != nil {
			e.filed = true
		}
	}
}
