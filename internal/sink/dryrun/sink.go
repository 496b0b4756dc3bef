package dryrun

import (
	"context"

	"github.com/informerd/informerd/internal/sink"
)

// Of is which output a sink is made for.
type Of struct {
	Output, Kind string
	// Together: the output sends several messages in one request.
	Together bool
}

// Sink returns the sink that make makes. What that sink shows becomes a line of the report.
func (r *Report) Sink(of Of, make func(Show) (sink.Sink, error)) (sink.Sink, error) {
	s := &shown{of: of, report: r, turn: newTurn()}
	inner, err := make(s.show)
	if err != nil {
		return nil, err
	}
	s.Sink = inner
	return s, nil
}

// shown is a sink that sends nothing.
type shown struct {
	sink.Sink
	of     Of
	report *Report
	turn   chan struct{}  // has a value while nobody writes
	now    []sink.Message // that are written
}

func newTurn() chan struct{} {
	turn := make(chan struct{}, 1)
	turn <- struct{}{}
	return turn
}

// show is what the sink calls within Write.
func (s *shown) show(w Write) error {
	return s.report.show(s.of.Output, s.of.Kind, s.now, w)
}

// Write implements sink.Sink. One write runs at a time, so that it is known what a line is about.
func (s *shown) Write(ctx context.Context, messages []sink.Message) []error {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return sink.AllFailed(len(messages), ctx.Err())
	}
	defer func() { s.now = nil; s.turn <- struct{}{} }()
	if s.of.Together {
		s.now = messages
		return s.Sink.Write(ctx, messages)
	}
	errs, failed := make([]error, len(messages)), false
	for i := range messages {
		s.now = messages[i : i+1]
		if one := s.Sink.Write(ctx, s.now); one != nil {
			errs[i], failed = one[0], true
		}
	}
	if !failed {
		return nil
	}
	return errs
}

// New returns a sink that shows each message by itself.
func New(show Show, write func(*sink.Message) (Write, error)) sink.Sink {
	return plain{show, write}
}

// plain is a sink of an output whose client is not used.
type plain struct {
	show  Show
	write func(*sink.Message) (Write, error)
}

// Pace implements sink.Sink.
func (plain) Pace() sink.Pace { return sink.Pace{Batch: 32} }

// Close implements sink.Sink.
func (plain) Close(context.Context) error { return nil }

// Write implements sink.Sink.
func (p plain) Write(ctx context.Context, messages []sink.Message) []error {
	errs, failed := make([]error, len(messages)), false
	for i := range messages {
		err := ctx.Err()
		if err == nil {
			var w Write
			if w, err = p.write(&messages[i]); err == nil {
				err = p.show(w)
			}
		}
		errs[i], failed = err, failed || err != nil
	}
	if !failed {
		return nil
	}
	return errs
}
