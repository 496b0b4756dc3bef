package backoff

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What fails now and then stays failing, with the first time and the last cause; what works again
// is over a minute later, and what nobody has tried since is not.
func TestWhenFailuresAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Failures
		expect := func(want string) {
			t.Helper()
			got := ""
			if err := f.Err("letters"); err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		f.Worked()
		expect("")
		f.Failed(errors.New("a"))
		expect("1 letters since 2000-01-01T00:00:00Z: a")
		time.Sleep(time.Hour)
		expect("1 letters since 2000-01-01T00:00:00Z: a")
		for range 10 {
			f.Failed(errors.New("b"))
			f.Worked()
			time.Sleep(FailuresEnd - time.Second)
		}
		expect("11 letters since 2000-01-01T00:00:00Z: b")
		time.Sleep(time.Second)
		expect("")
		cause := errors.New("c")
		f.Failed(cause)
		if err := f.Err("letters"); !errors.Is(err, cause) ||
			!strings.HasPrefix(err.Error(), "1 letters since 2000-01-01T01:09:51Z") {
			t.Error(err)
		}
		f.Worked()
		time.Sleep(FailuresEnd)
		f.Failed(cause) // before anybody has asked
		expect("1 letters since 2000-01-01T01:10:51Z: c")
	})
}
