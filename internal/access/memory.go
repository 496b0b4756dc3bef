package access

import (
	"sync"
	"time"
)

// memory remembers answers, the most recently used ones. It has room for twice its maximum: when
// one half is full, what the other one has is forgotten.
type memory[K comparable, V any] struct {
	most int

	mu          sync.Mutex // guards what follows
	now, before map[K]remembered[V]
}

type remembered[V any] struct {
	answer V
	until  time.Time
}

func newMemory[K comparable, V any](most int) *memory[K, V] {
	return &memory[K, V]{most: most, now: map[K]remembered[V]{}}
}

// fresh returns an answer that may be used.
func (m *memory[K, V]) fresh(key K) (answer V, found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, found := m.lookLocked(key)
	return r.answer, found && time.Now().Before(r.until)
}

// has reports whether there is an answer, even if it is too old to be used.
func (m *memory[K, V]) has(key K) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, found := m.lookLocked(key)
	return found
}

func (m *memory[K, V]) lookLocked(key K) (r remembered[V], found bool) {
	if r, found = m.now[key]; found {
		return r, true
	}
	if r, found = m.before[key]; found {
		m.putLocked(key, r)
	}
	return r, found
}

func (m *memory[K, V]) put(key K, answer V, until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.putLocked(key, remembered[V]{answer, until})
}

func (m *memory[K, V]) putLocked(key K, r remembered[V]) {
	if _, there := m.now[key]; !there && len(m.now) >= m.most {
		m.before, m.now = m.now, map[K]remembered[V]{}
	}
	m.now[key] = r
	delete(m.before, key)
}

func (m *memory[K, V]) drop(key K) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.now, key)
	delete(m.before, key)
}
