package delivery

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
)

// Objects that the receiver never takes, such as ones that it crashes with, do not keep others from
// it. They fail in a row, so that the output is paused all the time.
func TestObjectsThatAlwaysFailHoldUpOthersForAFewPauses(t *testing.T) {
	paces := []sink.Pace{{}, {Batch: 16, Writes: 4}, {Batch: 512}, {Writes: 16},
		{Batch: 64, Writes: 2}}
	for _, failing := range []string{"p1", "p1 q1 r1", "p1 q1 r1 s1 u1 v1 w1 x1 y1 z1"} {
		for i, pace := range paces {
			policy := Policy{MinBackoff: time.Second, MaxBackoff: time.Minute}
			if i%2 == 0 {
				policy.GiveUpAfter = 1000 * time.Hour
			}
			tell(t, Config{Capacity: 100, Policy: policy}, pace, func(s *story) {
				s.out.set(func(messages []sink.Message) []error {
					errs := make([]error, len(messages))
					for i := range messages {
						if strings.Contains(failing, textOfMessage(&messages[i])) {
							errs[i] = errDown
						}
					}
					return errs
				})
				s.offer(failing)
				s.wait(10 * time.Minute)
				for version := 1; version <= 30; version++ {
					s.offer(fmt.Sprint("a", version))
					s.wait(3 * pauses.Max)
					if got := len(strings.Fields(s.out.taken())); got != version {
						t.Fatalf("%s fail, %+v: %d of %d messages were taken", failing, pace, got,
							version)
					}
				}
			})
		}
	}
}
