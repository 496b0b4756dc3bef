package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/route"
)

// Once is what is wanted of a run that ends by itself: once each listener is done with the first lists
// of its informers, the intake ends, and the listeners finish what they have.
//
//   - A listener that cannot begin holds up no other. The run ends when all others are through.
//   - When the time is over, the run ends with what is unfinished and why.
//   - After a signal, listeners have the time to finish that they always have.
//   - The run has failed if a listener is not through, if something is unfinished or was dropped,
//     or if there are dead letters. The error has every reason, by listener.
//   - A run that is stopped by a signal before all listeners are through has failed.
//
// A run with a checkpoint lists all the same: a watch does not say when it has caught up, since
// the next event or bookmark may come in a second or in a minute.
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

// oneRun is a run that ends by itself. Make one with Once.begin.
type oneRun struct {
	once   Once
	parent context.Context // ends with a signal
	end    context.CancelFunc
	until  time.Time // zero: there is no limit
	reason string    // why not all listeners are through; "": they are
	looked bool
	stuck  map[string]stuck // of the listeners that are not through
}

// begin returns a context for the intake, which ends when all listeners are through.
func (o Once) begin(parent context.Context) (context.Context, *oneRun) {
	r := &oneRun{once: o, parent: parent, reason: "it was stopped before all was through"}
	var ctx context.Context
	if o.Timeout > 0 {
		r.until = time.Now().Add(o.Timeout)
		ctx, r.end = context.WithDeadline(parent, r.until)
	} else {
		ctx, r.end = context.WithCancel(parent)
	}
	return ctx, r
}

// stuck is why a listener is not through.
type stuck struct {
	reason string
	final  bool // waiting does not help
}

// wait ends the intake once no listener is waited for. The function returns the listeners that are
// not through, by name.
func (r *oneRun) wait(ctx context.Context, look func() map[string]stuck) {
	defer r.end()
	again := time.NewTicker(lookEach)
	defer again.Stop()
	for {
		r.looked, r.stuck = true, look()
		waiting := false
		for _, s := range r.stuck {
			waiting = waiting || !s.final
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

// draining returns the context in which listeners finish what they have. The grace is the time that
// they have after a signal.
func (r *oneRun) draining(ctx context.Context, grace time.Duration) (context.Context,
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

// result returns an error if the listeners have not done all there was to do. Unfinished is how much
// each of them leaves.
func (r *oneRun) result(all []*listener, unfinished []int) error {
	sum := Summary{Listeners: len(all)}
	var reasons []string
	for i, l := range all {
		done := l.route.Stats()
		for _, n := range done.Events {
			sum.Events += n
		}
		sum.Messages += done.Written
		sum.DeadLetters += done.DeadLetters
		sum.Unfinished += unfinished[i]
		if book := l.setup().book(); book != nil {
			for _, n := range book.Counts() {
				sum.Violations += n
			}
		}
		for _, why := range r.lacking(l.name, done, unfinished[i]) {
			reasons = append(reasons, fmt.Sprintf("listener %q: %s", l.name, why))
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
	return errors.New("not everything is done:\n  " + strings.Join(reasons, "\n  "))
}

// lacking returns what a listener has not done.
func (r *oneRun) lacking(name string, done route.Stats, unfinished int) (why []string) {
	if s, found := r.stuck[name]; found {
		why = append(why, s.reason)
	}
	if n := done.DeadLetters; n > 0 {
		why = append(why, fmt.Sprintf("could not be delivered: %d", n))
	}
	for _, out := range done.Outputs {
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
	if unfinished > 0 {
		why = append(why, fmt.Sprintf("unfinished: %d", unfinished))
	}
	return why
}

// notThrough returns the listeners that are not done with the first lists.
func (s *supervisor) notThrough() map[string]stuck {
	all := map[string]stuck{}
	for _, l := range s.current() {
		if reason, final := s.waitsFor(l); reason != "" {
			all[l.name] = stuck{reason, final}
		}
	}
	return all
}

// waitsFor returns why a listener is not done with the first lists, "" if it is, and whether
// waiting does not help.
func (s *supervisor) waitsFor(l *listener) (reason string, final bool) {
	failed, crippled := l.health.Failed()
	switch {
	case failed != nil:
		return failed.Error(), !errors.As(failed, new(*kube.UnreachableError))
	case crippled != nil:
		return crippled.Error(), true
	}
	for _, reg := range l.health.Bound() {
		if err := reg.Status().Err; err != nil {
			return err.Error(), apierrors.IsForbidden(err)
		}
	}
	state := s.state(l)()
	switch {
	case len(state.Starting) > 0 && !s.dryRun:
		return strings.Join(state.Starting, "; "), false
	case !l.works.Load():
		return "it has not begun yet", false
	}
	for _, reg := range l.registrations() {
		if !reg.HasSynced() {
			return "it is not done with the first list of " + reg.Status().Resource.String(), false
		}
	}
	if l.subscription.Rescanning() || !l.endedAbsent.Load() {
		return "it is not done with what has changed since the checkpoint", false
	}
	return "", false
}
