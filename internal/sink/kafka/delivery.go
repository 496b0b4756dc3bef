package kafka

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
)

// subject is what has an order: an object, for one listener.
type subject struct{ listener, key string }

// delivery is one record on its way.
type delivery struct {
	subject subject
	id      string
	record  kgo.Record
	flight  *flight

	// The sink's lock guards the following.

	settled bool
	err     error
	fate    *fate // nil unless Write has returned before it was settled
}

// fate is what comes of a delivery after its Write. It stays until the subject is written again.
type fate struct {
	id    string
	known chan struct{} // closed when the following is
	err   error
}

// maxFates is how many fates may be kept. Beyond it a retry may be a duplicate.
const maxFates = 100_000

func (f *fate) isKnown() bool {
	select {
	case <-f.known:
		return true
	default:
		return false
	}
}

// flight is the deliveries that a Write waits for together.
type flight struct {
	left int           // of the deliveries; the sink's lock guards it
	done chan struct{} // closed when none is left
}

var (
	// errUnknown is the error of a record that was sent and that no broker has answered.
	errUnknown = errors.New("not answered")
	// errBehind is the error of a message that waits for an earlier one.
	errBehind = errors.New("no broker has answered the object's message before this one")
)

// keepText is the capacity above which memory for values is released.
const keepText = 4 << 20

// texts are the memory of values, used again when no client has them any more.
var texts = sync.Pool{New: func() any { return new([]byte) }}

// newDeliveries makes the records, whose values are in text.
func (config *Config) newDeliveries(messages []sink.Message, text *[]byte) []*delivery {
	all := make([]delivery, len(messages))
	headers := make([]kgo.RecordHeader, 0, 2*len(messages))
	deliveries := make([]*delivery, len(messages))
	values, start := (*text)[:0], 0
	ends := make([]int, len(messages))
	for i := range messages {
		values = cloudevent.Append(values, messages[i])
		ends[i] = len(values)
	}
	*text = values
	for i := range messages {
		m, d := &messages[i], &all[i]
		key := m.Origin.Resource + "/" + m.Object.Namespace() + "/" + m.Object.Name()
		if config.Clusters {
			key = m.Origin.Cluster + "/" + key
		}
		headers = append(headers,
			kgo.RecordHeader{Key: "content-type", Value: contentType},
			kgo.RecordHeader{Key: "ce_id", Value: []byte(m.ID)})
		d.subject = subject{m.Origin.Listener, key}
		d.id = m.ID
		d.record = kgo.Record{Key: []byte(key), Value: values[start:ends[i]:ends[i]],
			Headers: headers[2*i : 2*i+2 : 2*i+2]}
		start = ends[i]
		deliveries[i] = d
	}
	return deliveries
}

// release lets the memory of values be used again, unless a client still has some of them.
func release(text *[]byte, errs []error) {
	unknown := func(err error) bool { return errors.Is(err, errUnknown) }
	if cap(*text) <= keepText && !slices.ContainsFunc(errs, unknown) {
		texts.Put(text)
	}
}

var contentType = []byte(cloudevent.ContentType)

// deliver sends records and returns what came of each.
func (s *Sink) deliver(ctx context.Context, deliveries []*delivery) []error {
	errs := make([]error, len(deliveries))
	earlier := s.earlier(deliveries)
	now := deliveries
	if earlier != nil {
		now = slices.DeleteFunc(slices.Clone(deliveries), func(d *delivery) bool {
			return earlier[d] != nil
		})
	}
	f := s.send(s.client, now)
	var later []*delivery
	skipped := map[*delivery]error{}
	for d, before := range earlier {
		if again, err := s.await(ctx, d, before); again {
			later = append(later, d)
		} else {
			skipped[d] = err
		}
	}
	g := s.send(s.client, later)
	s.wait(ctx, f)
	s.wait(ctx, g)
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, d := range deliveries {
		if err, ok := skipped[d]; ok {
			errs[i] = err
			continue
		}
		errs[i] = s.outcome(d)
	}
	return errs
}

// earlier returns the fates of deliveries about the same subjects, nil if there are none.
func (s *Sink) earlier(deliveries []*delivery) map[*delivery]*fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.fates) == 0 {
		return nil
	}
	earlier := map[*delivery]*fate{}
	for _, d := range deliveries {
		if before := s.fates[d.subject]; before != nil {
			earlier[d] = before
		}
	}
	return earlier
}

// await waits for the earlier delivery of d's subject. It reports whether d must be sent now, and
// otherwise returns what came of d.
func (s *Sink) await(ctx context.Context, d *delivery, before *fate) (again bool, err error) {
	same := before.id == d.id
	select {
	case <-before.known:
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.fates, d.subject)
		return !same || before.err != nil, nil
	case <-ctx.Done():
	}
	if same {
		return false, errUnknown
	}
	return false, errBehind
}

// send passes records to a client, and returns what to wait for.
func (s *Sink) send(client *kgo.Client, deliveries []*delivery) *flight {
	f := &flight{left: len(deliveries), done: make(chan struct{})}
	if len(deliveries) == 0 {
		close(f.done)
	}
	for _, d := range deliveries {
		d.flight = f
		if err := s.config.Fence.Check(); err != nil {
			s.settle(d, err)
			continue
		}
		// The context of Write is not the record's: when it ends, the client would also fail
		// records of other Writes in the same partition.
		client.TryProduce(context.Background(), &d.record, func(_ *kgo.Record, err error) {
			s.settle(d, err)
		})
	}
	return f
}

// settle takes note of what came of a delivery.
func (s *Sink) settle(d *delivery, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.settled, d.err = true, err
	if d.fate != nil {
		d.fate.err = err
		close(d.fate.known)
	}
	d.flight.left--
	if d.flight.left == 0 {
		close(d.flight.done)
	}
}

// wait waits for a flight or ctx.
func (s *Sink) wait(ctx context.Context, f *flight) {
	select {
	case <-f.done:
	case <-ctx.Done():
	}
}

// outcome returns what came of a delivery. If that is not known, its fate is kept. The lock is
// held.
func (s *Sink) outcome(d *delivery) error {
	if d.settled {
		return d.err
	}
	if len(s.fates) >= maxFates {
		maps.DeleteFunc(s.fates, func(_ subject, f *fate) bool { return f.isKnown() })
	}
	d.fate = &fate{id: d.id, known: make(chan struct{})}
	s.fates[d.subject] = d.fate
	return errUnknown
}

// isolate sends again what was refused, one by one: brokers refuse all that they got together.
func (s *Sink) isolate(ctx context.Context, deliveries []*delivery, errs []error) {
	for i, err := range errs {
		if refused(err) {
			errs[i] = s.alone(ctx, deliveries[i])
		}
	}
}

// alone sends the record of a delivery that has failed and nothing else.
func (s *Sink) alone(ctx context.Context, d *delivery) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	again := &delivery{subject: d.subject, id: d.id, record: kgo.Record{Key: d.record.Key,
		Value: d.record.Value, Headers: d.record.Headers}}
	s.wait(ctx, s.send(s.single, []*delivery{again}))
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outcome(again)
}
