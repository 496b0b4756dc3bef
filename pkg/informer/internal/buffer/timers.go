package buffer

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Timers end the waiting of parked events. The zero value has none. It is not safe for concurrent
// use.
type Timers map[event.Key]Timer

// Timer is one of them.
type Timer struct {
	*time.Timer
	due time.Time
}

// Add has a function called with an object after a delay.
func (t *Timers) Add(key event.Key, after time.Duration, unpark func(event.Key)) {
	if *t == nil {
		*t = Timers{}
	}
	(*t)[key] = Timer{time.AfterFunc(after, func() { unpark(key) }), time.Now().Add(after)}
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
