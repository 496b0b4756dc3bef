package sharedstate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/informerd/informerd/internal/backoff"
)

// asset makes a stream if there is none.
func (s *State) asset(ctx context.Context, name, subjects string) error {
	var told time.Time
	for failures := 1; ; failures++ {
		has, err := call(ctx, s, func(ctx context.Context) (jetstream.StreamConfig, error) {
			return s.look(ctx, name, subjects)
		})
		if err == nil {
			return s.unfit(has, subjects)
		}
		var answer *jetstream.APIError
		if errors.As(err, &answer) && answer.Code < 500 || errors.Is(err, errClosed) ||
			backoff.Sleep(ctx, backoff.Early(reconnects.Delay(failures))) != nil {
			return fmt.Errorf("stream %s: %w", name, explained(err))
		}
		// Who tries to connect says why there is no connection.
		if why := explained(err); why != errNoConnection && time.Since(told) >= remind {
			s.config.Log.Warn("the stream of the shared state is not there yet; will try again",
				"stream", name, "error", why)
			told = time.Now()
		}
	}
}

// look returns how a stream is, which it makes if there is none.
func (s *State) look(ctx context.Context, name, subjects string) (has jetstream.StreamConfig,
	err error) {
	streams, err := jetstream.New(s.client.Load())
	if err != nil {
		return has, err
	}
	stream, err := streams.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = streams.CreateStream(ctx, jetstream.StreamConfig{Name: name,
			Subjects: []string{subjects}, Storage: jetstream.FileStorage, Replicas: s.config.Replicas,
			MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DenyDelete: true, AllowRollup: true,
			AllowDirect: true, AllowMsgTTL: true, AllowAtomicPublish: true})
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another replica was faster
		stream, err = streams.Stream(ctx, name)
	}
	if err != nil {
		return has, err
	}
	return stream.CachedInfo().Config, nil
}

// unfit returns why a stream that is there cannot be used.
func (s *State) unfit(has jetstream.StreamConfig, subjects string) error {
	bounded := has.MaxBytes > 0 || has.MaxMsgs > 0
	for _, one := range []struct {
		wrong bool
		want  string
	}{
		{!slices.Equal(has.Subjects, []string{subjects}), "the subjects " + subjects + " alone"},
		{has.Mirror != nil || len(has.Sources) > 0 || has.SubjectTransform != nil || has.RePublish != nil,
			"no mirror, source, transform or republish"},
		{has.Storage != jetstream.FileStorage, "storage file"},
		{has.Replicas < s.config.Replicas, fmt.Sprint("num_replicas of at least ", s.config.Replicas)},
		{has.Retention != jetstream.LimitsPolicy, "retention limits"},
		{bounded && has.Discard != jetstream.DiscardNew, "discard new, since it has a limit"},
		{has.DiscardNewPerSubject, "no discard_new_per_subject"},
		{has.MaxAge > 0, "no max_age"},
		{has.SubjectDeleteMarkerTTL > 0, "no subject_delete_marker_ttl"},
		{has.NoAck, "no no_ack"},
		{has.Sealed, "no sealed"},
		{!has.AllowDirect, "allow_direct"},
		{!has.AllowMsgTTL, "allow_msg_ttl"},
		{!has.AllowAtomicPublish, "allow_atomic, which nats-server has since 2.12"},
	} {
		if one.wrong {
			return fmt.Errorf("stream %s does not fit: it must have %s", has.Name, one.want)
		}
	}
	return nil
}
