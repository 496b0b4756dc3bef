package buffer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Timers end the waiting of parked events. The zero value has none. It is not safe for concurrent
// use.
type Timers map[event.Key]timer

// timer is one of them.
type timer struct {
	*time.Timer
	due time.Time
}

// Add has a function called with an object after a delay.
func (t *Timers) Add(key event.Key, after time.Duration, unpark func(event.Key)) {
	if *t == nil {
		*t = Timers{}
	}
	// Of a timer that is due at once, Go 1.26 runs the function on the caller's stack within
	// synctest, of which the race detector may crash.
	wait := max(after, 1)
	(*t)[key] = timer{time.AfterFunc(wait, func() { unpark(key) }), time.Now().Add(after)}
}

// DueBefore reports whether one of them is due before a time.
func (t Timers) DueBefore(limit time.Time) bool {
	for _, one := range t {
		if one.due.Before(limit) {
			return true
		}
	}
	return false
}

// EndAll has unpark called now with the objects of those that are not over, and forgets them.
func (t Timers) EndAll(unpark func(event.Key)) {
	for key, one := range t {
		if one.Stop() { // else it is about to unpark the object
			delete(t, key)
			unpark(key)
		}
	}
}

// Forget stops and forgets those of which is returns true.
func (t Timers) Forget(is func(event.Key) bool) {
	for key, one := range t {
		if is(key) {
			one.Stop()
			delete(t, key)
		}
	}
}
