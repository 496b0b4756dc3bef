package sharedstate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Headers of this package.
const (
	epochHeader   = "Informerd-Epoch"   // on each message of a part
	holdHeader    = "Informerd-Hold"    // on a fence: which hold it is of
	expiresHeader = "Informerd-Expires" // in ns since 1970
)

// Headers of atomic batches, which the client does not name.
const (
	batchID       = "Nats-Batch-Id"
	batchSequence = "Nats-Batch-Sequence"
	batchCommit   = "Nats-Batch-Commit"
)

// operation is the header of what a bucket's clients do not take for a value, with the word
// deleted.
const (
	operation = "KV-Operation"
	deleted   = "DEL"
)

// directGet is what the API for direct gets begins with.
const directGet = "$JS.API.DIRECT.GET."

// maxSubject bounds subjects: what a client sends in a line before a message is at most 4 KiB.
const maxSubject = 3 << 10

// token returns a level of a subject for any text: a letter, so that it is not empty, and the text,
// with =XX for bytes that a level or a key of a bucket may not have.
func token(letter, text string) string {
	var b strings.Builder
	b.WriteString(letter)
	for _, c := range []byte(text) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_',
			c == '/':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "=%02X", c)
		}
	}
	return b.String()
}

// textOf is the reverse of token, without the letter.
func textOf(token string) (string, error) {
	parts := strings.Split(token[1:], "=")
	b := []byte(parts[0])
	for _, part := range parts[1:] {
		if len(part) < 2 {
			return "", errors.New("a byte is cut off")
		}
		c, err := strconv.ParseUint(part[:2], 16, 8)
		if err != nil {
			return "", err
		}
		b = append(append(b, byte(c)), part[2:]...)
	}
	return string(b), nil
}

func newMessage(subject string, data []byte) *natsgo.Msg {
	return &natsgo.Msg{Subject: subject, Data: data, Header: natsgo.Header{}}
}

// expect has a message refused unless the last one of a subject has a sequence, 0 for none.
func expect(m *natsgo.Msg, sequence uint64, subject string) {
	m.Header.Set(jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(sequence, 10))
	m.Header.Set(jetstream.ExpectedLastSubjSeqSubjHeader, subject)
}

// publish publishes messages, all or none of them, and returns the sequence of the last one.
func (s *State) publish(ctx context.Context, all []*natsgo.Msg) (sequence uint64, err error) {
	client, last := s.client.Load(), all[len(all)-1]
	if len(all) > 1 {
		id := rand.Text()
		for i, m := range all {
			m.Header.Set(batchID, id)
			m.Header.Set(batchSequence, strconv.Itoa(i+1))
		}
		last.Header.Set(batchCommit, "1")
	}
	for _, m := range all[:len(all)-1] {
		if err := client.PublishMsg(m); err != nil {
			return 0, explained(err)
		}
	}
	answer, err := client.RequestMsgWithContext(ctx, last)
	if err != nil {
		return 0, explained(err)
	}
	var ack struct {
		Error    *jetstream.APIError `json:"error"`
		Sequence uint64              `json:"seq"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return 0, fmt.Errorf("the answer cannot be read: %w", err)
	}
	if ack.Error != nil {
		return 0, ack.Error
	}
	return ack.Sequence, nil
}

var errNoConnection = errors.New("there is no connection to the servers")

func explained(err error) error {
	switch {
	case errors.Is(err, natsgo.ErrReconnectBufExceeded), errors.Is(err, natsgo.ErrConnectionClosed):
		return errNoConnection
	case errors.Is(err, natsgo.ErrNoResponders):
		return errors.New("no server answers for the stream: it may have no majority, or no server has JetStream")
	case errors.Is(err, natsgo.ErrMaxPayload):
		return errors.New("it is larger than max_payload of the servers")
	}
	return err
}

// tooManyBatches is a code of JetStream's that package jetstream does not name.
const tooManyBatches jetstream.ErrorCode = 10210

// isInTheWay reports whether a message was refused since another one was written before it, or is
// under way.
func isInTheWay(err error) bool {
	var answer *jetstream.APIError
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.ErrorCode {
	case jetstream.JSErrCodeStreamWrongLastSequence,
		jetstream.JSErrCodeStreamWrongLastSequenceConstant, tooManyBatches:
		return true
	}
	return false
}

// stored is a message as it is in a stream.
type stored struct {
	*natsgo.Msg
	subject  string
	sequence uint64
}

// answered returns the message of an answer to a direct get. It has no sequence if there is none.
func answered(m *natsgo.Msg) (stored, error) {
	switch status := m.Header.Get("Status"); status {
	case "":
	case "204", "404": // the end of several, nothing
		return stored{}, nil
	default:
		return stored{}, fmt.Errorf("the stream cannot be read: %s %s", status,
			m.Header.Get("Description"))
	}
	sequence, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	return stored{m, m.Header.Get(jetstream.SubjectHeader), sequence}, err
}

// last returns the last message of a subject, as some replica of the stream knows it, without a
// sequence if there is none.
func (s *State) last(ctx context.Context, stream, subject string) (stored, error) {
	m, err := s.client.Load().RequestWithContext(ctx, directGet+stream+"."+subject, nil)
	if err != nil {
		return stored{}, explained(err)
	}
	return answered(m)
}
