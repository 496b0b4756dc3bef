package route

import (
	"cmp"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/tracing"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// stats are counted by the workers.
type stats struct {
	byOp [event.Resync + 1]atomic.Uint64

	unselected                   atomic.Uint64
	filtered, filterErrors       atomic.Uint64
	violated, resolved           atomic.Uint64
	ruleErrors                   atomic.Uint64
	handlerCalls, handlerCrashes atomic.Uint64
	dropped, emitted             atomic.Uint64
	emissionsRefused             atomic.Uint64
	matched, own                 atomic.Uint64
	retried, deadLetters         byReason
	handled                      handlerCounts
	// What fails at present.
	selects, filters, rules, crashes, unstored backoff.Failures
}

// early are the reasons of events that do not come to the outputs, in the order of their path.
var early = [...]string{reasonFilter, reasonRule, reasonHandler, reasonRefused}

// byReason counts events by these reasons.
type byReason [len(early)]atomic.Uint64

func (b *byReason) add(reason string) {
	for i := range early {
		if early[i] == reason {
			b[i].Add(1)
		}
	}
}

// reported counts a transition once, however often it is offered.
func (s *stats) reported(t rules.Transition) {
	switch {
	case !t.New:
	case t.State == rules.Violated:
		s.violated.Add(1)
	default:
		s.resolved.Add(1)
	}
}

func (s *stats) received(op event.Op) { s.byOp[op].Add(1) }

// Stats is what a route has done since it began.
type Stats struct {
	Events         map[event.Op]uint64 // taken from the subscription, retries not counted
	Unselected     uint64              // of objects that are not selected
	Filtered       uint64              // refused by the filter
	Own            uint64              // caused by the listener's own outputs
	FilterErrors   uint64              // times that the filter or the select failed
	RuleErrors     uint64              // times that a rule failed
	Violated       uint64              // reports of violated rules, repeated ones included
	Resolved       uint64              // reports of resolved rules
	HandlerCalls   uint64              // a batch is one call
	HandlerCrashes uint64
	HandlerPauses  uint64        // times that the workers paused because the handler kept crashing
	Paused         backoff.Pause // the pause that there is now; the zero Pause if there is none
	HandlerTrouble error         // why it crashes, or pauses; nil if it does neither
	// Troubles are how expressions fail, if they do.
	Troubles []error
	Dropped  uint64        // refused by the handler
	Emitted  uint64        // events the handler made
	Handler  *HandlerStats // nil if there has been no handler
	// EmissionsRefused are emissions of the handler that were refused: denied by its grant, too
	// many or too large, or malformed.
	EmissionsRefused uint64
	// Matched are the events that were for the handler and the outputs. One that is tried again
	// since the handler failed counts again.
	Matched  uint64
	Unwanted uint64 // of all outputs
	Written  uint64 // messages outputs took, counted per output
	Retried  uint64 // of all reasons and outputs
	Members  int    // objects of which it is remembered whether they are selected
	// Working is when the step of a worker began that has been under way for longest, such as a
	// call of the handler; zero if no worker has an event.
	Working time.Time
	// DeadLetters are events given up, those on which a rule failed, and reports of rules that an
	// output refuses permanently.
	DeadLetters uint64
	// Early are events that did not come to the outputs, by reason.
	Early []EarlyStats
	// Outputs are in the order of the pipeline. Those that it does not have any more are left out,
	// and their counts stay in the sums above.
	Outputs []OutputStats
	// Leaving are entries that wait for outputs that the pipeline does not have any more.
	Leaving int
}

// EarlyStats are events that did not come to the outputs, for one reason.
type EarlyStats struct {
	Reason      string // as dead letters have it
	Retried     uint64 // times that one was put back
	DeadLetters uint64
}

// OutputStats is what a route has done for one output.
type OutputStats struct {
	Output string
	delivery.Stats
	Unwanted uint64        // events of which it wants nothing
	Paused   backoff.Pause // of the output; the zero Pause if there is none
	Pauses   uint64
	Trouble  error // why the last pause began; nil since a write has worked
	// Lag is how long it took from the arrival of events until the output had taken them, and
	// Oldest since when the oldest of what waits for it does, 0 if nothing waits.
	Lag    tracing.Snapshot
	Oldest event.Instant
}

// Stats returns the counters.
func (r *Route) Stats() Stats {
	s := &r.stats
	paused, pauses := r.breaker.State()
	out := Stats{
		HandlerPauses: pauses, Paused: paused,
		HandlerTrouble: cmp.Or(r.breaker.Cause(), s.crashes.Err("crashes")),
		Events:         map[event.Op]uint64{},
		Unselected:     s.unselected.Load(), Filtered: s.filtered.Load(),
		Own: s.own.Load(), FilterErrors: s.filterErrors.Load(),
		RuleErrors: s.ruleErrors.Load(), Violated: s.violated.Load(), Resolved: s.resolved.Load(),
		HandlerCalls: s.handlerCalls.Load(), HandlerCrashes: s.handlerCrashes.Load(),
		Dropped: s.dropped.Load(), Emitted: s.emitted.Load(),
		EmissionsRefused: s.emissionsRefused.Load(), Matched: s.matched.Load(),
		Members: r.members.len(), Handler: s.handled.stats(), Working: r.busy.longest(),
	}
	for _, err := range []error{s.unstored.Err("dead letters not stored"),
		s.selects.Err("failures of the select"), s.filters.Err("failures of the filter"),
		s.rules.Err("failures of rules")} {
		if err != nil {
			out.Troubles = append(out.Troubles, err)
		}
	}
	for i, reason := range early {
		e := EarlyStats{reason, s.retried[i].Load(), s.deadLetters[i].Load()}
		out.Early = append(out.Early, e)
		out.Retried += e.Retried
		out.DeadLetters += e.DeadLetters
	}
	if p := r.pipeline.Load(); p != nil {
		for _, destination := range p.destinations {
			o := OutputStats{Output: destination.Name(), Stats: destination.Stats(),
				Unwanted: destination.unwanted.Load()}
			o.Paused, o.Pauses = destination.Output().Pause()
			o.Trouble = destination.Output().Trouble()
			o.Lag, o.Oldest = destination.Lag(), destination.Oldest()
			out.Outputs = append(out.Outputs, o)
		}
	}
	sum := r.outboxes.totals()
	out.Written, out.Unwanted, out.Leaving = sum.written, sum.unwanted, sum.leaving
	out.Retried += sum.retried
	out.DeadLetters += sum.letters
	for _, op := range event.Ops {
		out.Events[op] = s.byOp[op].Load()
	}
	return out
}

// LogValue returns the counters that are not 0 as one group, in a fixed order.
func (s Stats) LogValue() slog.Value {
	counters := slices.DeleteFunc([]slog.Attr{
		slog.Uint64("add", s.Events[event.Add]), slog.Uint64("update", s.Events[event.Update]),
		slog.Uint64("delete", s.Events[event.Delete]), slog.Uint64("resync",
			s.Events[event.Resync]),
		slog.Uint64("unselected", s.Unselected), slog.Uint64("filtered", s.Filtered),
		slog.Uint64("own", s.Own),
		slog.Uint64("filterErrors", s.FilterErrors),
		slog.Uint64("violated", s.Violated), slog.Uint64("resolved", s.Resolved),
		slog.Uint64("ruleErrors", s.RuleErrors),
		slog.Uint64("handlerCalls", s.HandlerCalls), slog.Uint64("handlerCrashes",
			s.HandlerCrashes),
		slog.Uint64("handlerPauses", s.HandlerPauses), slog.Uint64("handlerRefused",
			s.Dropped),
		slog.Uint64("emitted", s.Emitted),
		slog.Uint64("emissionsRefused", s.EmissionsRefused), slog.Uint64("written", s.Written),
		slog.Uint64("retried", s.Retried),
		slog.Uint64("deadLetters", s.DeadLetters),
	}, func(counter slog.Attr) bool { return counter.Value.Uint64() == 0 })
	return slog.GroupValue(counters...)
}
