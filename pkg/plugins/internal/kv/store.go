package kv

import (
	"errors"
	"time"
)

// ErrQuota is given by writes that would exceed the limits.
var ErrQuota = errors.New("the store is full")

// Limits are what one handler may keep.
type Limits struct {
	Keys  int
	Bytes int64         // of all values together
	TTL   time.Duration // the longest a value is kept; 0 is without end
}

// Store is a handler's way to the table of its listener.
type Store struct {
	*table
	limits Limits
	tables *tables
	name   string
}

// Get returns the value of a key.
func (s *Store) Get(key []byte) (value string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.live(key)
	if e == nil {
		return "", false
	}
	return e.value, true
}

// Set stores a value for some time; 0, or more than the limit, is as long as the limit allows.
func (s *Store) Set(key, value []byte, ttl time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.put(key, value, s.expiry(ttl), s.limits)
}

// Delete removes a key, false if it was not there.
func (s *Store) Delete(key []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.live(key)
	if e == nil {
		return false
	}
	s.remove(e)
	return true
}

// Swap is Set if the key has the value old.
func (s *Store) Swap(key, old, value []byte, ttl time.Duration) (swapped bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.live(key); e == nil || e.value != string(old) {
		return false, nil
	}
	return true, s.put(key, value, s.expiry(ttl), s.limits)
}

// Add is Set if there is no such key.
func (s *Store) Add(key, value []byte, ttl time.Duration) (added bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live(key) != nil {
		return false, nil
	}
	return true, s.put(key, value, s.expiry(ttl), s.limits)
}

// Close releases the store. Close of a table's last one commits what is not kept yet, and forgets
// the table.
func (s *Store) Close() error { return s.tables.release(s.name) }

// expiry returns when a value that is stored now will be gone, 0 for never.
func (s *Store) expiry(ttl time.Duration) int64 {
	if longest := s.limits.TTL; ttl == 0 || longest > 0 && ttl > longest {
		ttl = longest
	}
	if ttl == 0 {
		return 0
	}
	const farthest = 100 * 365 * 24 * time.Hour // the sum has its limits too
	return time.Now().Add(min(ttl, farthest)).UnixNano()
}

// All returns a copy of what is there.
func (s *Store) All() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, now := make(map[string]string, len(s.entries)), time.Now().UnixNano()
	for key, e := range s.entries {
		if e.expires == 0 || e.expires > now {
			all[key] = e.value
		}
	}
	return all
}
