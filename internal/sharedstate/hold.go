package sharedstate

import (
	"context"
	"crypto/rand"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// rememberGone is how long it is remembered that a key is gone, so that a bucket's other readers
// notice.
const rememberGone = time.Minute

// Hold is what one has who works on a part. It is safe for concurrent use, and needs no end.
type Hold struct {
	name    string
	values  *part
	letters *part
}

// Value is what is kept of a key of a table. The type has no name, so that those who keep values
// know nothing of this package.
type Value = struct {
	Data    string
	Expires int64 // when it is over, in ns since 1970; 0 is never
}

// Letter is a dead letter.
type Letter struct {
	ID   string
	Data []byte
}

// Hold takes a part over from the holds of it that there were, of which none may have a higher
// epoch. An epoch is 1 at least.
func (s *State) Hold(ctx context.Context, name string, epoch int64) (*Hold, error) {
	if epoch < 1 {
		return nil, fmt.Errorf("shared state: part %.100q: the epoch is %d, it must be 1 at least",
			name, epoch)
	}
	id, level := rand.Text(), "."+token("p", name)+"."
	h := &Hold{name: name,
		values: &part{state: s, stream: s.values(), prefix: "$KV." + s.config.Bucket + level,
			epoch: epoch, id: id},
		letters: &part{state: s, stream: s.letters(), prefix: s.letters() + level,
			epoch: epoch, id: id}}
	for _, p := range []*part{h.values, h.letters} {
		if _, err := p.write(ctx, nil); err != nil {
			return nil, h.explain(err)
		}
	}
	return h, nil
}

func (h *Hold) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("shared state: part %.100q: %w", h.name, err)
}

// Load returns what a table has. It may have values whose time is over.
func (h *Hold) Load(ctx context.Context, table string) (map[string]Value, error) {
	until, err := h.values.mark(ctx, table)
	if err != nil {
		return nil, h.explain(err)
	}
	all := map[string]Value{}
	for m, err := range h.values.read(ctx, table, until) {
		if err != nil {
			return nil, h.explain(err)
		}
		key, err := keyOf(m)
		if err != nil {
			return nil, h.explain(err)
		}
		if m.Header.Get(operation) != "" {
			delete(all, key)
			continue
		}
		var expires int64
		if text := m.Header.Get(expiresHeader); text != "" {
			if expires, err = strconv.ParseInt(text, 10, 64); err != nil {
				return nil, h.explain(notWritten(m, err))
			}
		}
		all[key] = Value{string(m.Data), expires}
	}
	return all, nil
}

// Commit changes tables, by their names and keys. Nil is a key that is to be gone. It returns nil
// once all changes are stored.
func (h *Hold) Commit(ctx context.Context, changes map[string]map[string]*Value) error {
	var messages []*natsgo.Msg
	now := time.Now()
	for table, values := range changes {
		for key, v := range values {
			messages = append(messages, h.values.change(h.values.subject(table, key), v, now))
		}
	}
	if len(messages) == 0 {
		return nil
	}
	_, err := h.values.write(ctx, messages)
	return h.explain(err)
}

// change makes the message for a value, nil for one that is to be gone.
func (p *part) change(subject string, v *Value, now time.Time) *natsgo.Msg {
	if v == nil || v.Expires != 0 && v.Expires <= now.UnixNano() {
		m := p.message(subject, nil)
		m.Header.Set(operation, deleted)
		m.Header.Set(jetstream.MsgTTLHeader, rememberGone.String())
		return m
	}
	m := p.message(subject, []byte(v.Data))
	if v.Expires != 0 {
		m.Header.Set(expiresHeader, strconv.FormatInt(v.Expires, 10))
		left := time.Unix(0, v.Expires).Sub(now).Truncate(time.Second) + time.Second // servers cut it
		m.Header.Set(jetstream.MsgTTLHeader, left.String())
	}
	return m
}

// PutLetter keeps a letter, in place of the one of this id if there is one.
func (h *Hold) PutLetter(ctx context.Context, id string, data []byte) error {
	_, err := h.letters.write(ctx, []*natsgo.Msg{h.letters.message(h.letters.subject("", id), data)})
	return h.explain(err)
}

// DeleteLetter removes a letter, if it is there.
func (h *Hold) DeleteLetter(ctx context.Context, id string) error {
	gone := h.letters.change(h.letters.subject("", id), nil, time.Now())
	_, err := h.letters.write(ctx, []*natsgo.Msg{gone})
	return h.explain(err)
}

// Letters yields the letters of the part, the oldest one first, and ends with the first error.
func (h *Hold) Letters(ctx context.Context) iter.Seq2[Letter, error] {
	return func(yield func(Letter, error) bool) {
		until, last, err := h.lastOfLetters(ctx)
		if err != nil {
			yield(Letter{}, h.explain(err))
			return
		}
		for m, err := range h.letters.read(ctx, "", until) {
			if err == nil && last[m.subject] != m.sequence {
				continue
			}
			var l Letter
			if err == nil {
				l.Data = m.Data
				l.ID, err = keyOf(m)
			}
			if !yield(l, h.explain(err)) || err != nil {
				return
			}
		}
	}
}

// lastOfLetters returns which message of a subject is its letter, by its sequence. A letter that
// was deleted or put again may be read before that is, and is not known for what it is in one go.
func (h *Hold) lastOfLetters(ctx context.Context) (until uint64, last map[string]uint64,
	err error) {
	if until, err = h.letters.mark(ctx, ""); err != nil {
		return 0, nil, err
	}
	last = map[string]uint64{}
	for m, err := range h.letters.read(ctx, "", until) {
		if err != nil {
			return 0, nil, err
		}
		if last[m.subject] = m.sequence; m.Header.Get(operation) != "" {
			delete(last, m.subject)
		}
	}
	return until, last, nil
}

// keyOf returns the key that a message is about.
func keyOf(m stored) (string, error) {
	key, err := textOf(m.subject[strings.LastIndexByte(m.subject, '.')+1:])
	if err != nil {
		return "", notWritten(m, err)
	}
	return key, nil
}

func notWritten(m stored, err error) error {
	return fmt.Errorf("message %d is not what was written: %w", m.sequence, err)
}
