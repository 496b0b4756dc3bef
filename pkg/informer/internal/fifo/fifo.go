// Package fifo holds the first-in-first-out list that the informer's queue, buffers and lanes are
// made of. It is plain data: no lock, no channel, no goroutine. A burst must not hold memory for
// good, so a list that has become empty releases a large ring.
package fifo

// MaxEmpty is the capacity, in elements, above which an emptied container releases its memory.
const MaxEmpty = 4096

// Queue is a first-in-first-out list in a ring that grows. The zero value is empty. Slots that are
// not in use are zero, so that they retain nothing.
type Queue[T any] struct {
	ring []T
	head int
	n    int
}

// Len returns how many elements there are.
func (q *Queue[T]) Len() int { return q.n }

// Cap returns how many elements fit without the ring growing.
func (q *Queue[T]) Cap() int { return len(q.ring) }

// Push appends an element.
func (q *Queue[T]) Push(v T) {
	if q.n == len(q.ring) {
		q.ring = append(q.Snapshot(), make([]T, max(8, q.n))...)
		q.head = 0
	}
	q.ring[(q.head+q.n)%len(q.ring)] = v
	q.n++
}

// Pop removes and returns the oldest element. It reports whether there was one.
func (q *Queue[T]) Pop() (v T, ok bool) {
	if q.n == 0 {
		return v, false
	}
	v, q.ring[q.head] = q.ring[q.head], v
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	if q.n == 0 && len(q.ring) > MaxEmpty {
		*q = Queue[T]{}
	}
	return v, true
}

// First returns the oldest element for which is returns true, nil if there is none.
func (q *Queue[T]) First(is func(*T) bool) *T {
	for i := range q.n {
		if v := &q.ring[(q.head+i)%len(q.ring)]; is(v) {
			return v
		}
	}
	return nil
}

// Snapshot returns the elements in order, in a slice of their own.
func (q *Queue[T]) Snapshot() []T {
	all := make([]T, 0, 2*q.n)
	for i := range q.n {
		all = append(all, q.ring[(q.head+i)%len(q.ring)])
	}
	return all
}

// Each calls f with each element, in order.
func (q *Queue[T]) Each(f func(*T)) {
	for i := range q.n {
		f(&q.ring[(q.head+i)%len(q.ring)])
	}
}

// DeleteFunc removes the elements for which del returns true, and returns how many. The others
// keep their order; the memory of the ring is released.
func (q *Queue[T]) DeleteFunc(del func(*T) bool) (deleted int) {
	var kept Queue[T]
	for v, ok := q.Pop(); ok; v, ok = q.Pop() {
		if del(&v) {
			deleted++
		} else {
			kept.Push(v)
		}
	}
	*q = kept
	return deleted
}
