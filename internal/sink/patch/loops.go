package patch

import (
	"sync"
	"time"
)

const (
	maxChanges    = 10 // of an object within changesWithin
	changesWithin = time.Minute
	firstPause    = time.Minute
	longestPause  = 16 * time.Minute
	maxObjects    = 20_000 // of which changes are known
)

// loops finds objects that patches change too often. The zero value is ready, and safe for
// concurrent use.
type loops struct {
	mu      sync.Mutex // guards objects
	objects map[string]*changes
}

// changes are the last ones of an object.
type changes struct {
	times [maxChanges]time.Time // a ring
	next  int                   // the oldest of times
	until time.Time             // the end of the last pause
	pause time.Duration         // how long that was
}

// check returns how long patches of an object have to wait, 0 if they need not. pause is the length
// of a pause that begins with this call, or 0.
func (l *loops) check(id string, now time.Time) (wait, pause time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.objects[id]
	switch {
	case c == nil:
		return 0, 0
	case now.Before(c.until):
		return c.until.Sub(now), 0
	case c.times[c.next].IsZero() || now.Sub(c.times[c.next]) >= changesWithin:
		return 0, 0
	}
	if c.pause > 0 && now.Sub(c.until) < c.pause+changesWithin {
		c.pause = min(2*c.pause, longestPause)
	} else {
		c.pause = firstPause
	}
	c.until = now.Add(c.pause)
	c.times = [maxChanges]time.Time{}
	return c.pause, c.pause
}

// changed records that a patch has changed an object.
func (l *loops) changed(id string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.objects[id]
	if c == nil {
		l.makeRoom(now)
		c = &changes{}
		if l.objects == nil {
			l.objects = map[string]*changes{}
		}
		l.objects[id] = c
	}
	c.times[c.next] = now
	c.next = (c.next + 1) % maxChanges
}

// makeRoom forgets objects that have not changed for some time and, if those are too few, others.
func (l *loops) makeRoom(now time.Time) {
	if len(l.objects) < maxObjects {
		return
	}
	for id, c := range l.objects {
		last := c.times[(c.next+maxChanges-1)%maxChanges]
		if now.Sub(last) >= changesWithin && now.Sub(c.until) >= c.pause+changesWithin {
			delete(l.objects, id)
		}
	}
	for id, c := range l.objects {
		if len(l.objects) < maxObjects*9/10 {
			return
		}
		if !now.Before(c.until) {
			delete(l.objects, id)
		}
	}
	for id := range l.objects {
		if len(l.objects) < maxObjects {
			return
		}
		delete(l.objects, id)
	}
}
