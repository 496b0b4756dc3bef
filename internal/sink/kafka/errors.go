package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/informerd/informerd/internal/sink"
)

// refusals are what no retry can change.
var refusals = []*kerr.Error{
	kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord, kerr.InvalidTimestamp,
	kerr.InvalidTopicException, kerr.UnsupportedVersion, kerr.UnsupportedForMessageFormat,
	kerr.UnsupportedCompressionType, kerr.PolicyViolation,
}

// refused reports whether an error is one of refusals.
func refused(err error) bool {
	var answer *kerr.Error
	return errors.As(err, &answer) && slices.Contains(refusals, answer)
}

// hints are what to do about some answers.
var hints = map[*kerr.Error]string{
	kerr.UnknownTopicOrPartition:    ": create the topic",
	kerr.MessageTooLarge:            ": send less with data, or raise max.message.bytes of the topic",
	kerr.TopicAuthorizationFailed:   ": allow the user to Describe and Write the topic",
	kerr.ClusterAuthorizationFailed: ": allow the user to IdempotentWrite the cluster",
	kerr.SaslAuthenticationFailed:   ": check username, password and mechanism",
}

// explain returns the error of a record for the caller of Write, whose context is ctx.
func (s *Sink) explain(ctx context.Context, err error) error {
	var answer *kerr.Error
	if ctx.Err() == nil && !errors.As(err, &answer) {
		err = s.config.Fence.Explain(err)
	}
	switch {
	case err == nil, errors.Is(err, sink.ErrFenced):
		return err
	case errors.Is(err, errUnknown):
		if ctx.Err() != nil {
			return fmt.Errorf("it may still be produced: %w", ctx.Err())
		}
		return fmt.Errorf("no broker has confirmed it within %v, and it may still be produced%s",
			s.config.Timeout, s.because())
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		if ctx.Err() != nil {
			return fmt.Errorf("it was not sent: %w", ctx.Err())
		}
		return fmt.Errorf("it was not sent within %v%s", s.config.Timeout, s.because())
	case errors.Is(err, errBehind):
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", err, ctx.Err())
		}
		return fmt.Errorf("%w%s", err, s.because())
	case errors.Is(err, kgo.ErrClientClosed):
		return fmt.Errorf("it may still be produced: %w", sink.ErrClosed)
	case errors.Is(err, kgo.ErrMaxBuffered):
		return errors.New("too many messages wait for the brokers" + s.because())
	case errors.As(err, &answer):
		text := fmt.Errorf("the broker refuses it: %s%s", answer.Message, hints[answer])
		if refused(err) {
			return sink.Permanent(text)
		}
		return text
	}
	if p := s.connects.problem(); p != nil && strings.Contains(err.Error(), p.Error()) {
		return fmt.Errorf("it was not produced, and the last connection failed: %s", sink.Quoted(err.Error()))
	}
	return fmt.Errorf("it was not produced: %s%s", sink.Quoted(err.Error()), s.because())
}

// because returns why brokers cannot be reached, if they cannot.
func (s *Sink) because() string {
	if err := s.connects.problem(); err != nil {
		return ": the last connection failed: " + sink.Quoted(err.Error())
	}
	return ""
}
