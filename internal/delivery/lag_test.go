package delivery

import (
	"errors"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer/event"
)

// arrive offers events as they are, which arrive now.
func (s *story) arrive(texts ...string) {
	s.t.Helper()
	for _, text := range texts {
		e := s.event(text)
		e.Arrived = event.Now()
		s.put(e, s.entry(e, nil))
	}
}

func (s *stage) do(does func([]sink.Message) []error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.does = does
}

// oldest reports for how long the oldest event should wait, within a second.
func (s *story) oldest(want time.Duration) {
	s.t.Helper()
	at := s.Oldest()
	if want < 0 {
		if at != 0 {
			s.t.Errorf("something is %v old", time.Duration(event.Now()-at))
		}
		return
	}
	if got := time.Duration(event.Now() - at); at == 0 || got < want || got > want+time.Second {
		s.t.Errorf("the oldest is %v old, want %v", got, want)
	}
}

// The lag is from the arrival of an event to its delivery, retries included. What never arrived and
// what the output refuses has none.
func TestLag(t *testing.T) {
	tell(t, Config{Capacity: 10}, sink.Pace{}, func(s *story) {
		s.oldest(-1)
		s.out.do(all(errDown))
		s.offer("x1")
		s.arrive("a1")
		s.wait(time.Minute)
		s.arrive("b1")
		s.wait(time.Minute)
		s.oldest(2 * time.Minute)
		if lag := s.Lag(); lag.Count() != 0 {
			t.Errorf("%d were delivered", lag.Count())
		}
		if stats := s.Stats(); stats.Failed < 2 || stats.Refused != 0 || stats.Written != 0 {
			t.Errorf("%+v", stats)
		}
		s.out.do(one("b1", sink.Permanent(errors.New("no"))))
		for s.Stats().Waiting > 0 {
			s.wait(time.Second)
		}
		s.oldest(-1)
		lag := s.Lag()
		if lag.Count() != 1 || lag.Sum < 2*time.Minute || lag.Sum > 5*time.Minute {
			t.Errorf("%d were delivered, after %v", lag.Count(), lag.Sum)
		}
		if stats := s.Stats(); stats.Refused != 1 || stats.Written != 2 {
			t.Errorf("%+v", stats)
		}
	})
}

// What is merged into a later event counts from its own arrival on.
func TestLagOfMergedEvents(t *testing.T) {
	tell(t, Config{}, sink.Pace{}, func(s *story) {
		for _, c := range []struct{ earlier, later, want event.Instant }{
			{10, 20, 10}, {0, 20, 20}, {10, 0, 10}, {0, 0, 0},
		} {
			earlier, later := s.event("a1"), s.event("a2")
			earlier.Arrived, later.Arrived = c.earlier, c.later
			if got := merged(earlier, later).Arrived; got != c.want {
				t.Errorf("%d and %d arrived at %d, want %d", c.earlier, c.later, got, c.want)
			}
		}
	})
}
