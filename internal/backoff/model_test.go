package backoff

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// oracle is what a breaker has to be, in the simplest words. Its pauses begin with a second, and
// are never longer than five.
type oracle struct {
	after  int
	bad    int // results in a row
	down   int // pauses in a row; 0: all go on
	until  time.Time
	trying bool
	pauses int
}

// enter returns what a caller gets that waits for a time at most, and after how long.
func (o *oracle) enter(patience time.Duration) (ok, trial bool, after time.Duration) {
	after = max(time.Until(o.until), 0)
	switch {
	case o.down == 0:
		return true, false, 0
	case o.trying || after > patience:
		return false, false, patience
	}
	o.trying = true
	return true, true, after
}

func (o *oracle) fails(trial bool, asked time.Duration) {
	if trial {
		o.trying = false
	}
	switch {
	case o.after == 0:
		return
	case o.down > 0 && !trial:
		if end := time.Now().Add(asked); asked > 0 && end.After(o.until) {
			o.until = end
		}
		return
	}
	o.bad++
	if o.bad < o.after && asked <= 0 && o.down == 0 {
		return
	}
	o.down++
	o.pauses++
	length := time.Second
	for range o.down - 1 {
		length = min(2*length, 5*time.Second)
	}
	o.until = time.Now().Add(max(length, asked))
}

func (o *oracle) works(trial bool) {
	if trial {
		o.trying = false
	}
	if o.down == 0 || trial {
		o.bad, o.down, o.until = 0, 0, time.Time{}
	}
}

// TestModel: whatever callers do, in whatever order, a breaker is what its oracle is.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		after := rapid.IntRange(0, 3).Draw(rt, "after")
		type step struct {
			what  string
			n     int
			after time.Duration
		}
		var steps []step
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			steps = append(steps, step{rapid.SampledFrom([]string{"enter", "enter", "enter",
				"fail", "fail", "fail", "work", "leave", "sleep", "set"}).Draw(rt, "what"),
				rapid.IntRange(0, 3).Draw(rt, "n"),
				rapid.SampledFrom([]time.Duration{-time.Second, 0, 1, 300 * time.Millisecond,
					1500 * time.Millisecond, 7 * time.Second}).Draw(rt, "after")})
		}
		wrong := ""
		synctest.Test(t, func(t *testing.T) {
			b, o := exact(after), &oracle{after: after}
			var calls []bool // those that have entered, and whether they are the trial
			call := func(n int) (trial, ok bool) {
				if len(calls) == 0 {
					return false, false
				}
				n %= len(calls)
				trial = calls[n]
				calls = append(calls[:n], calls[n+1:]...)
				return trial, true
			}
			for i, s := range steps {
				switch s.what {
				case "enter":
					patience := max(s.after, 0) + 7 // never just when a pause ends
					ctx, cancel := context.WithTimeout(t.Context(), patience)
					wantOK, wantTrial, wantAfter := o.enter(patience)
					ok, trial, after := entered(ctx, b)
					cancel()
					if ok != wantOK || trial != wantTrial || after != wantAfter {
						wrong = fmt.Sprintf("step %d: entered: %t, trial: %t, after %v; want %t, "+
							"%t, %v", i, ok, trial, after, wantOK, wantTrial, wantAfter)
						return
					}
					if ok {
						calls = append(calls, trial)
					}
				case "fail":
					if trial, ok := call(s.n); ok {
						before := o.pauses
						o.fails(trial, s.after)
						p, begins := b.Failed(trial, errDown, s.after)
						if begins != (o.pauses > before) || begins && !p.End.Equal(o.until) {
							wrong = fmt.Sprintf("step %d: %+v, want %+v", i, p, o)
							return
						}
					}
				case "work":
					if trial, ok := call(s.n); ok {
						was := o.down > 0
						o.works(trial)
						if _, recovered := b.Worked(trial); recovered != (was && o.down == 0) {
							wrong = fmt.Sprintf("step %d: recovered: %t", i, recovered)
							return
						}
					}
				case "leave":
					if trial, ok := call(s.n); ok {
						o.trying = o.trying && !trial
						b.Leave(trial)
					}
				case "set":
					if o.after = s.n; s.n == 0 {
						o.bad, o.down, o.until = 0, 0, time.Time{}
					}
					b.SetAfter(s.n)
				case "sleep":
					time.Sleep(max(s.after, 0))
				}
				p, pauses := b.State()
				paused := time.Now().Before(o.until)
				if int(pauses) != o.pauses || b.Away() != (o.down > 0) ||
					paused != !p.IsZero() || b.Troubled() != (o.bad > 0) {
					wrong = fmt.Sprintf("after step %d: %d pauses, now %+v, away: %t, want %+v",
						i, pauses, p, b.Away(), o)
					return
				}
			}
		})
		if wrong != "" {
			rt.Fatalf("after %d: %+v\n%s", after, steps, wrong)
		}
	})
}
