package lease

import (
	"testing"
	"testing/synctest"
	"time"
)

// An answer that comes when others may have taken over renews nothing, also if the timer that ends
// the lead is later than that: the machine has slept.
func TestAnAnswerThatIsTooLateRenewsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCandidate(nil, Config{RenewDeadline: 10 * time.Second})
		c.end = func() {}
		c.lead(time.Now())
		c.timer.Stop()
		begun := time.Now().Add(9 * time.Second)
		time.Sleep(18 * time.Second)
		c.lead(begun)
		if c.Check() == nil {
			t.Error("it leads again")
		}
		c.expire()
		if !c.isLost() {
			t.Error("it is not lost")
		}
	})
}
