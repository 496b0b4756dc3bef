package deadletter

import "time"

// Stats are figures of a store. Counters are since it was opened.
type Stats struct {
	Letters   int
	Bytes     int64 // of the letters, those on their way to the disk included
	MaxBytes  int64
	Waiting   int // letters that wait for room, those included that will be put again soon
	Listeners map[string]ListenerStats
}

// ListenerStats are figures of one listener.
type ListenerStats struct {
	Letters    int
	Bytes      int64
	Superseded int       // letters
	Oldest     time.Time // when the oldest letter was stored; zero without letters
	Stored     uint64    // letters that were put
	Dropped    uint64    // given up since the store was full
	Expired    uint64    // removed because of their age
}

// Stats returns the store's figures, with every listener that has had a letter.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := Stats{Letters: s.order.Len(), Bytes: s.bytes, MaxBytes: s.limits.MaxBytes,
		Waiting:   len(s.waiting) + s.lackingLocked(),
		Listeners: make(map[string]ListenerStats, len(s.listeners))}
	oldest, superseded := map[*Listener]int64{}, map[*Listener]int{}
	s.order.Ascend(func(e *entry) bool {
		if first, seen := oldest[e.listener]; !seen || e.stored < first {
			oldest[e.listener] = e.stored
		}
		if e.superseded {
			superseded[e.listener]++
		}
		return true
	})
	for name, l := range s.listeners {
		figures := ListenerStats{Letters: int(l.count.Load()), Bytes: l.bytes, Stored: l.stored,
			Dropped: l.dropped, Expired: l.expired, Superseded: superseded[l]}
		if first, found := oldest[l]; found {
			figures.Oldest = time.Unix(0, first).UTC()
		}
		all.Listeners[name] = figures
	}
	return all
}
