package delivery

import (
	"sync/atomic"
	"time"
)

// senders counts those that have entries. The zero value is ready.
type senders struct {
	working atomic.Int32 // they do something with them
	waiting atomic.Int32 // for the end of a pause of the output
}

func (s *senders) begin() { s.working.Add(1) }
func (s *senders) end()   { s.working.Add(-1) }

func (s *senders) wait() {
	s.waiting.Add(1)
	s.working.Add(-1)
}

func (s *senders) goOn() {
	s.working.Add(1)
	s.waiting.Add(-1)
}

// Late reports whether nothing that waits is sent before a time: the output is paused until then,
// or all of it has failed and is tried again later. A sender that is about to do something may be
// overlooked, for a moment.
func (o *Outbox) Late(until time.Time) bool {
	switch {
	case o.queue.Waiting() == 0:
		return true
	case o.retired.Load() || o.leaving.Load() || o.senders.working.Load() > 0:
		return false
	}
	if pause, _ := o.Output().Pause(); pause.End.After(until) {
		return true
	}
	return o.senders.waiting.Load() == 0 && o.queue.Ready() == 0 && !o.queue.RetriesBefore(until)
}
