package patch

import (
	"sync"
	"time"

	"k8s.io/utils/lru"
)

const (
	maxChanges    = 10 // of an object within changesWithin
	changesWithin = time.Minute
	firstPause    = time.Minute
	longestPause  = 16 * time.Minute
	maxObjects    = 20_000 // of which changes are known
)

// loops finds objects that patches change too often, among the last ones that were patched. It is
// safe for concurrent use; make it with newLoops.
type loops struct {
	mu      sync.Mutex // guards what is in objects
	objects *lru.Cache // *changes
}

func newLoops() *loops { return &loops{objects: lru.New(maxObjects)} }

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
	known, any := l.objects.Get(id)
	c, _ := known.(*changes)
	switch {
	case !any:
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
	known, any := l.objects.Get(id)
	if !any {
		known = &changes{}
		l.objects.Add(id, known)
	}
	c := known.(*changes)
	c.times[c.next] = now
	c.next = (c.next + 1) % maxChanges
}
