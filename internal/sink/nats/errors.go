package nats

import (
	"errors"
	"fmt"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/informerd/informerd/internal/sink"
)

var (
	errNotConnected = errors.New("there is no connection to the servers")
	errNotSent      = errors.New("it was not sent: others wait before it, or for the servers")
	errDenied       = errors.New("the credentials do not allow to publish to the subject")
)

// Codes of JetStream's errors, which package jetstream does not name.
const (
	storeFailed     jetstream.ErrorCode = 10077
	messageTooLarge jetstream.ErrorCode = 10054
	headerTooLarge  jetstream.ErrorCode = 10097
	otherStream     jetstream.ErrorCode = 10060
)

// tooLarge is the description of storeFailed for a message larger than the stream can be.
const tooLarge = "message too large"

// refusal returns the error for a message that the client or the server refused.
func refusal(err error) error {
	var answer *jetstream.APIError
	switch {
	case errors.Is(err, natsgo.ErrMaxPayload):
		return sink.Permanent(errors.New(
			"the message is larger than max_payload of the server: send less with data"))
	case errors.Is(err, natsgo.ErrBadSubject):
		return sink.Permanent(errors.New("the client refuses the subject: change its expression"))
	case errors.Is(err, natsgo.ErrReconnectBufExceeded), errors.Is(err, natsgo.ErrConnectionClosed):
		return errNotConnected
	case errors.Is(err, jetstream.ErrNoStreamResponse):
		return errors.New(
			"no stream has this subject, or JetStream is not available: create the stream")
	case errors.Is(err, natsgo.ErrDisconnected):
		return errors.New("the connection broke before the stream confirmed the message")
	case errors.As(err, &answer):
		return answered(answer)
	}
	return errors.New(sink.Quoted(err.Error()))
}

// answered returns the error for what JetStream answered.
func answered(answer *jetstream.APIError) error {
	err := fmt.Errorf("the stream refuses it: %s (%d)",
		sink.Quoted(answer.Description), answer.ErrorCode)
	switch {
	case answer.ErrorCode == messageTooLarge, answer.ErrorCode == headerTooLarge,
		answer.ErrorCode == storeFailed && answer.Description == tooLarge:
		return sink.Permanent(err)
	case answer.ErrorCode == otherStream:
		return fmt.Errorf("another stream has this subject: %w", err)
	}
	return err
}
