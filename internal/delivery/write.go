package delivery

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/informerd/informerd/internal/sink"
)

// CrashesBeforeLetter is with how many crashes of the sink a message is a dead letter.
const CrashesBeforeLetter = 5

// write writes the messages of the live parcels. When the sink crashes, each is written once more,
// by itself, so that only those fail that make it crash. If the output is paused by then, they are
// tried again later.
func (s *sender) write(ctx context.Context, out *Output) []error {
	errs, crash := write(ctx, out.Sink, s.messages)
	if crash == nil {
		return errs
	}
	errs = make([]error, len(s.messages))
	for i := range s.messages {
		if len(s.messages) > 1 {
			if s.away(ctx, out) {
				errs[i] = sink.Alone(errAway)
				continue
			}
			var one []error
			if one, crash = write(ctx, out.Sink, s.messages[i:i+1]); one != nil {
				errs[i] = one[0]
			}
		}
		if crash != nil {
			errs[i] = s.crashed(s.live[i], crash)
		}
	}
	return errs
}

// crashed logs a crash of the sink, and returns the error of the message it crashed with.
func (s *sender) crashed(p *parcel, c *crash) error {
	err := fmt.Errorf("the output crashed, which is a defect of it: %v", c.reason)
	s.outbox.cfg.Log.Failure(slog.LevelError, p.Delivery, "an output crashed",
		s.outbox.wrapped(err), slog.String("stack", c.stack))
	if p.Attempt >= CrashesBeforeLetter {
		return sink.Permanent(err)
	}
	return sink.Alone(err)
}

// crash is a panic of a sink.
type crash struct {
	reason any
	stack  string
}

// write writes messages. The errors are nil, or there is one, or nil, for each message.
func write(ctx context.Context, to sink.Sink, messages []sink.Message) (errs []error,
	crashed *crash) {
	defer func() {
		if reason := recover(); reason != nil {
			errs, crashed = nil, &crash{reason, string(debug.Stack())}
		}
	}()
	errs = to.Write(ctx, messages)
	if errs != nil && len(errs) != len(messages) {
		// What was taken comes again.
		return sink.AllFailed(len(messages), fmt.Errorf(
			"the output returned %d results for %d messages, which is a defect of it", len(errs),
			len(messages))), nil
	}
	return errs, nil
}
