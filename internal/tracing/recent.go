package tracing

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	lookFor   = 30 * time.Second
	maxEvents = 50
	perSecond = 10
)

// Recorder keeps the last events of a listener for somebody who looks at them.
//
//   - Events are kept only while somebody looks: for 30 seconds after the last look. An event costs
//     the read of one variable otherwise, and nothing of it is kept then.
//   - At most 50 events are kept, and at most 10 of one second.
//   - An event is kept with its object, so that it can be explained, and with what became of it.
//
// The zero value is ready. It is safe for
// concurrent use, and a nil Recorder keeps nothing.
type Recorder struct {
	looked atomic.Bool // somebody looks, or did not long ago

	mu     sync.Mutex // guards what follows
	until  time.Time
	events []*Record // the oldest first
	number uint64    // of the last event
	began  time.Time // the second that is counted
	count  int       // events in it
}

// Record is an event and what became of it. A nil Record is that of an event that is not kept. It
// is safe for concurrent use.
type Record struct {
	number uint64
	event  event.Event
	began  time.Time

	mu      sync.Mutex // guards what follows
	outcome string
	failed  string // the last error
	took    time.Duration
	sent    []string // what became of it at outputs
}

// RecentEvent is a record as it is shown.
type RecentEvent struct {
	Number  uint64    `json:"number"` // of the listener, from 1 on
	Time    time.Time `json:"time"`   // of its turn
	Op      string    `json:"op"`
	Object  string    `json:"object"` // namespace/name
	Outcome string    `json:"outcome"`
	Error   string    `json:"error,omitempty"`
	Seconds float64   `json:"seconds,omitempty"` // from its turn to the last thing known of it
}

// Begin keeps an event that has its turn, and returns nil if it is not kept.
func (r *Recorder) Begin(e *event.Event) *Record {
	if r == nil || !r.looked.Load() {
		return nil
	}
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.expireLocked(now) {
		return nil
	}
	if passed := now.Sub(r.began); passed >= time.Second || passed < 0 {
		r.began, r.count = now, 0
	}
	if r.count++; r.count > perSecond {
		return nil
	}
	if len(r.events) == maxEvents {
		r.events = slices.Delete(r.events, 0, 1)
	}
	r.number++
	record := &Record{number: r.number, event: *e, began: now}
	r.events = append(r.events, record)
	return record
}

// Look returns the events that are kept, the newest first, and has events kept for a while.
func (r *Recorder) Look() []RecentEvent {
	r.mu.Lock()
	r.expireLocked(time.Now())
	r.until = time.Now().Add(lookFor)
	r.looked.Store(true)
	records := slices.Clone(r.events)
	r.mu.Unlock()
	shown := make([]RecentEvent, 0, len(records))
	for _, record := range slices.Backward(records) {
		shown = append(shown, record.show())
	}
	return shown
}

// Event returns an event that is kept, and what became of it.
func (r *Recorder) Event(number uint64) (e event.Event, outcome string, ok bool) {
	r.mu.Lock()
	records := slices.Clone(r.events)
	r.mu.Unlock()
	for _, record := range records {
		if record.number == number {
			return record.event, record.show().Outcome, true
		}
	}
	return e, "", false
}

// Expire forgets the events if nobody looks at them any more. Without it that waits for the next
// event.
func (r *Recorder) Expire() {
	if !r.looked.Load() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.expireLocked(time.Now())
}

// expireLocked reports whether nobody looks any more.
func (r *Recorder) expireLocked(now time.Time) bool {
	if now.Before(r.until) {
		return false
	}
	r.looked.Store(false)
	r.events = nil
	return true
}

// End notes what became of the event in its listener.
func (r *Record) End(outcome string, err error) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = time.Since(r.began)
	if r.outcome = outcome; err != nil {
		r.failed = err.Error()
	}
}

// Sent notes a try of an output, with its error.
func (r *Record) Sent(output string, err error) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.took = time.Since(r.began)
	what := "delivered to " + output
	if err != nil {
		what, r.failed = "failed at "+output, err.Error()
	}
	r.sent = slices.DeleteFunc(r.sent, func(s string) bool { return s == "failed at "+output })
	if !slices.Contains(r.sent, what) {
		r.sent = append(r.sent, what)
	}
}

func (r *Record) show() RecentEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	outcome := r.outcome
	switch {
	case len(r.sent) > 0:
		outcome = strings.Join(r.sent, ", ")
	case outcome == "":
		outcome = "under way"
	}
	o := r.event.Object
	name := o.Name()
	if ns := o.Namespace(); ns != "" {
		name = ns + "/" + name
	}
	return RecentEvent{Number: r.number, Time: r.began, Op: r.event.Op.String(), Object: name,
		Outcome: outcome, Error: fmt.Sprintf("%.300s", r.failed), Seconds: r.took.Seconds()}
}
