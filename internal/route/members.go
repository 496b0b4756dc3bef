package route

import (
	"sync"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// members remembers which objects are selected, where that does not follow from their states: those
// for which the select has failed, if it looks at the clock or at other objects (moving), all that
// are selected, and after another select, all. It is safe for concurrent use, each object by one
// worker at a time.
type members struct {
	keep bool // changes are noted for cuts

	mu      sync.Mutex // guards what follows
	objects map[event.Key]member
	changed map[event.Key]struct{} // since the last cut
}

// member is what is remembered of an object; the zero member if nothing is.
type member struct {
	in       bool
	failures uint8 // of the select, in a row
	// stale: outputs have the object in a state of another informer, if they have it.
	stale bool
}

// after returns what is remembered after another answer. If that is unknown, the object stays
// selected or not, as it was.
func (m member) after(is answer, was bool) member {
	if is != unknown {
		return member{in: is == in}
	}
	return member{in: was, failures: min(m.failures, maxFailures-1) + 1, stale: m.stale}
}

// selectBackoff is the range of the delays after which a select that failed is evaluated again.
var selectBackoff = backoff.Backoff{Min: rules.FailedInterval, Max: rules.ClockInterval}

// maxFailures is how many failures are counted; after that a select is asked once a minute.
const maxFailures = 7

// retryDelay returns when the select is evaluated again, 0 if not before the next event of the
// object: until then the answer of an expression that reads only the object does not change.
func (m member) retryDelay(is answer, moving bool) time.Duration {
	switch {
	case !moving:
		return 0
	case is == unknown:
		return selectBackoff.Delay(int(m.failures))
	}
	return rules.ClockInterval
}

// get returns what is remembered of an object.
func (m *members) get(key event.Key) (is member, remembered bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	is, remembered = m.objects[key]
	return is, remembered
}

// Remembers reports whether an object is selected, where that is remembered: of a select that looks
// at the clock or at other objects, whatever is not remembered is not selected.
func (r *Route) Remembers(key event.Key) (in, remembered bool) {
	is, remembered := r.members.get(key)
	return is.in, remembered
}

// put remembers an object, or forgets it if nothing has to be remembered of it.
func (m *members) put(key event.Key, is member, keep bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before, there := m.objects[key]
	stays := is.failures > 0 || keep
	if stays == there && is == before || !stays && !there {
		return
	}
	if !there || m.keep {
		key = cloneKey(key)
	}
	if m.keep {
		if m.changed == nil {
			m.changed = map[event.Key]struct{}{}
		}
		m.changed[key] = struct{}{}
	}
	if !stays {
		delete(m.objects, key)
		return
	}
	if m.objects == nil {
		m.objects = map[event.Key]member{}
	}
	m.objects[key] = is
}

// takeChanged appends what has changed since it was called last.
func (m *members) takeChanged(to []savedMember) []savedMember {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.changed) == 0 {
		return to
	}
	for key := range m.changed {
		is, remembered := m.objects[key]
		to = append(to, savedMember{key, is, remembered})
	}
	if len(m.changed) > maxScratch {
		m.changed = nil
	}
	clear(m.changed)
	return to
}

// all returns what is remembered of all objects, in no order.
func (m *members) all() (all []savedMember) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, is := range m.objects {
		all = append(all, savedMember{key, is, true})
	}
	return all
}

// restore remembers what cuts have, unless nothing has to be remembered any more.
func (m *members) restore(saved map[event.Key]member, remembers bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if remembers {
		m.objects = saved
	}
	if !m.keep {
		return
	}
	m.changed = map[event.Key]struct{}{}
	for key, is := range saved {
		if is.stale || !remembers {
			m.changed[key] = struct{}{}
		}
	}
}

// len returns how many objects are remembered.
func (m *members) len() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.objects)
}
