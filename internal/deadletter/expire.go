package deadletter

import "time"

const (
	maxExpired = 4096        // letters removed in one transaction because of their age
	scanEvery  = time.Minute // at least, since the clock may jump
)

// expireLocked returns letters whose time is over, at most a transaction of them.
func (s *Store) expireLocked() (expired []*entry) {
	now := s.now().UnixNano()
	if s.limits.MaxAge < 0 || s.order.Len() == 0 || s.nextScan > now {
		return nil
	}
	s.nextScan = now + int64(scanEvery)
	s.order.Ascend(func(e *entry) bool {
		e.stored = min(e.stored, now) // a letter from the future is new
		end := e.stored + int64(s.limits.MaxAge)
		switch {
		case e.gone:
		case end > now:
			s.nextScan = min(s.nextScan, end)
		case len(expired) == maxExpired:
			s.nextScan = now
			return false
		default:
			e.gone = true
			expired = append(expired, e)
		}
		return true
	})
	return expired
}

// untilNext returns when the writer has something to do without being woken.
func (s *Store) untilNext() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.marks)+len(s.undo) > 0:
		return pause
	case s.limits.MaxAge < 0 || s.order.Len() == 0:
		return time.Hour
	}
	return max(time.Duration(s.nextScan-s.now().UnixNano()), time.Millisecond)
}
