package once

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/route"
)

// Once is what is wanted of a run.
type Once struct {
	// Timeout is how long all of it may take; 0: there is no limit.
	Timeout time.Duration
	// Done receives what was done. May be nil.
	Done func(Summary)
}

// Summary is what a run has done.
type Summary struct {
	Listeners   int
	Events      uint64
	Messages    uint64 // that outputs took
	DeadLetters uint64
	Unfinished  int // events and messages that nobody took
	Violations  int // that are open
}

// String returns the summary as one line.
func (s Summary) String() string {
	var all []string
	for _, c := range []struct {
		n           uint64
		noun, taken string
		always      bool
	}{
		{uint64(s.Listeners), "listener", "", true}, {s.Events, "event", "", true},
		{s.Messages, "message", " taken", true},
		{uint64(s.Violations), "open violation", "", false},
		{s.DeadLetters, "dead letter", "", false},
	} {
		if c.n == 0 && !c.always {
			continue
		}
		if c.n != 1 {
			c.noun += "s"
		}
		all = append(all, fmt.Sprintf("%d %s%s", c.n, c.noun, c.taken))
	}
	if s.Unfinished > 0 {
		all = append(all, fmt.Sprintf("%d unfinished", s.Unfinished))
	}
	return strings.Join(all, ", ")
}

// UnfinishedError is the error of a run that could not do everything.
type UnfinishedError struct{ Reasons []string }

func (e *UnfinishedError) Error() string {
	return "not everything is done:\n  " + strings.Join(e.Reasons, "\n  ")
}

// Run is one run. Make one with Begin.
type Run struct {
	once   Once
	parent context.Context // ends with a signal
	end    context.CancelFunc
	until  time.Time // zero: there is no limit
	reason string    // why not all listeners are through; "": they are
	looked bool
	stuck  map[string]State // of the listeners that are not through
}

// Begin returns a context for the intake, which ends when all listeners are through.
func (o Once) Begin(parent context.Context) (context.Context, *Run) {
	r := &Run{once: o, parent: parent, reason: "it was stopped before all was through"}
	if o.Timeout <= 0 {
		ctx, end := context.WithCancel(parent)
		r.end = end
		return ctx, r
	}
	r.until = time.Now().Add(o.Timeout)
	ctx, end := context.WithDeadline(parent, r.until)
	r.end = end
	return ctx, r
}

// End ends the intake.
func (r *Run) End() { r.end() }

// State is why a listener is not through.
type State struct {
	Reason string
	Final  bool // waiting does not help
}

// lookEach is how often a run looks whether it may end.
const lookEach = 50 * time.Millisecond

// Wait ends the intake once no listener is waited for. The function returns the listeners that are
// not through, by name.
func (r *Run) Wait(ctx context.Context, look func() map[string]State) {
	defer r.end()
	again := time.NewTicker(lookEach)
	defer again.Stop()
	for {
		r.looked, r.stuck = true, look()
		waiting := false
		for _, s := range r.stuck {
			waiting = waiting || !s.Final
		}
		if !waiting {
			r.reason = ""
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			if r.parent.Err() == nil {
				r.reason = fmt.Sprintf("the time of %v is over", r.once.Timeout)
			}
			return
		}
	}
}

// Draining returns the context in which listeners finish what they have. The grace is the time that
// they have after a signal.
func (r *Run) Draining(ctx context.Context, grace time.Duration) (context.Context,
	context.CancelFunc) {
	ctx = context.WithoutCancel(ctx)
	end := func() {}
	if !r.until.IsZero() {
		ctx, end = context.WithDeadline(ctx, r.until)
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.parent, func() { time.AfterFunc(grace, cancel) })
	return ctx, func() { stop(); cancel(); end() }
}

// Result is what a listener has done.
type Result struct {
	Listener               string
	Done                   route.Stats
	Unfinished, Violations int
}

// Result returns an error if the listeners have not done all there was to do.
func (r *Run) Result(all []Result) error {
	sum := Summary{Listeners: len(all)}
	var reasons []string
	for _, l := range all {
		for _, n := range l.Done.Events {
			sum.Events += n
		}
		sum.Messages += l.Done.Written
		sum.DeadLetters += l.Done.DeadLetters
		sum.Unfinished += l.Unfinished
		sum.Violations += l.Violations
		for _, why := range r.lacking(l) {
			reasons = append(reasons, fmt.Sprintf("listener %q: %s", l.Listener, why))
		}
	}
	if r.once.Done != nil {
		r.once.Done(sum)
	}
	if r.reason != "" && (len(reasons) > 0 || r.parent.Err() != nil || !r.looked) {
		reasons = append([]string{r.reason}, reasons...)
	}
	if len(reasons) == 0 {
		return nil
	}
	return &UnfinishedError{reasons}
}

// lacking returns what a listener has not done.
func (r *Run) lacking(l Result) (why []string) {
	if s, stuck := r.stuck[l.Listener]; stuck {
		why = append(why, s.Reason)
	}
	if n := l.Done.DeadLetters; n > 0 {
		why = append(why, fmt.Sprintf("could not be delivered: %d", n))
	}
	for _, out := range l.Done.Outputs {
		if out.Dropped > 0 {
			why = append(why, fmt.Sprintf("dropped for output %q: %d", out.Output, out.Dropped))
		}
		if out.Queued > 0 {
			text := fmt.Sprintf("waiting for output %q: %d", out.Output, out.Queued)
			if out.Trouble != nil {
				text += fmt.Sprintf(" (%v)", out.Trouble)
			}
			why = append(why, text)
		}
	}
	if l.Unfinished > 0 {
		why = append(why, fmt.Sprintf("unfinished: %d", l.Unfinished))
	}
	return why
}
