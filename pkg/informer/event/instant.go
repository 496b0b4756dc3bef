package event

import "time"

// Instant is a moment of this process, in nanoseconds since it began. It takes a third of a
// time.Time and does not jump when the clock is set. 0 is an unknown moment.
type Instant int64

// began is before any Instant.
var began = time.Now().Add(-1)

// Now returns the present moment.
func Now() Instant { return Instant(time.Since(began)) }

// At returns the moment of a time that a clock has shown, perhaps before this process began. One
// that is still to come is now.
func At(t time.Time) Instant { return Now() - Instant(max(0, time.Since(t))) }

// Time returns the moment as a time.
func (i Instant) Time() time.Time { return began.Add(time.Duration(i)) }

// Earlier returns the earlier of two moments, or the one that is known.
func (i Instant) Earlier(other Instant) Instant {
	if i == 0 || other != 0 && other < i {
		return other
	}
	return i
}
