package restarts

import (
	"math"
	"slices"
)

// requests are those of a life whose messages are not acknowledged yet. The daemon sends some
// messages side by side, and looks at the answers when it has all of them; a batch is one request.
type requests struct{ all []*request }

// request is one that has come.
type request struct {
	output  string
	entries []*entry
	begun   int // the beats
	ended   int // -1: it is under way
}

// siblings is how many beats the messages that are sent side by side come within.
const siblings = 5

// begins notes a request whose answer acknowledges entries, if it does. The result is to be called
// when that is decided.
func (r *receivers) begins(output string, entries []*entry, batch bool) (ends func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := &request{output: output, entries: entries, begun: r.beat, ended: -1}
	if r.all = append(r.all, q); batch {
		q.output = "" // it has no siblings
	}
	for _, e := range entries {
		*e.beat = math.MaxInt
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		q.ended = r.beat
		r.acknowledge(r.beat)
	}
}

// acknowledge notes what is acknowledged by a beat. The caller holds the lock.
func (r *requests) acknowledge(beat int) {
	r.all = slices.DeleteFunc(r.all, func(q *request) bool {
		if q.ended < 0 || q.output != "" && (beat < q.ended+siblings || r.waits(q)) {
			return false
		}
		for _, e := range q.entries {
			*e.beat = beat
		}
		return true
	})
}

// waits reports whether there may be no answer to a sibling yet.
func (r *requests) waits(q *request) bool {
	return slices.ContainsFunc(r.all, func(other *request) bool {
		return other.output == q.output && other.ended < 0 && other.begun <= q.ended+siblings
	})
}
