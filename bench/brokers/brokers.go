package brokers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/informerd/informerd/bench/measure"
	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Least is the required ratio.
const Least = 0.7

// Broker is where messages are sent to.
type Broker string

// The brokers.
const (
	JetStream Broker = "NATS JetStream"
	Kafka     Broker = "Kafka"
)

// Result is how many messages a second each side has delivered: the medians of the rounds.
type Result struct {
	Messages     int // of each side, in all rounds
	Bytes        int // of a message
	Ours, Client float64
	Ready        float64 // the client's, with payloads that are made before
	// Ratio is what the output reaches of the client's figure in the same round: the median, and
	// the extremes.
	Ratio, Lowest, Highest float64
	// OursCPU and ClientCPU are the CPU time of a message, the server's share included.
	OursCPU, ClientCPU time.Duration
}

// side sends messages and returns when all are acknowledged.
type side func(ctx context.Context, messages []sink.Message) error

// target is a server and both ways to it.
type target struct {
	ours, client, ready side
	close               func() error
}

// Measure sends so many messages in each of so many rounds, with both sides.
func Measure(ctx context.Context, to Broker, messages, rounds int) (r Result, err error) {
	open := map[Broker]func([][]byte) (*target, error){
		JetStream: openJetStream, Kafka: openKafka}[to]
	if open == nil {
		return Result{}, fmt.Errorf("unknown broker %q", to)
	}
	all, err := newMessages(messages)
	if err != nil {
		return Result{}, err
	}
	t, err := open(payloads(all))
	if err != nil {
		return Result{}, fmt.Errorf("cannot measure %s: %w", to, err)
	}
	defer func() { err = errors.Join(err, t.close()) }()
	sides := []side{t.ours, t.client, t.ready}
	var rates [3][]float64
	var costs [3][]time.Duration
	var ratios []float64
	for round := range rounds + 1 {
		for n := range sides {
			i := n
			if round%2 == 1 { // what a side leaves behind is not always the same one's burden
				i = len(sides) - 1 - n
			}
			// The stream must not take them for duplicates.
			for j := range all {
				all[j].ID = strconv.FormatUint(1<<60+uint64((3*round+i)*messages+j), 16)
			}
			rate, cpu, err := measured(ctx, sides[i], all)
			if err != nil {
				return Result{}, fmt.Errorf("cannot measure %s: %w", to, err)
			}
			if round > 0 { // the first one is a warm-up
				rates[i], costs[i] = append(rates[i], rate), append(costs[i], cpu)
			}
		}
		if round > 0 {
			ratios = append(ratios, rates[0][round-1]/rates[1][round-1])
		}
	}
	return Result{Messages: rounds * messages, Bytes: len(cloudevent.Append(nil, all[0])),
		Ours: median(rates[0]), Client: median(rates[1]), Ready: median(rates[2]),
		Ratio: median(ratios), Lowest: slices.Min(ratios), Highest: slices.Max(ratios),
		OursCPU: median(costs[0]), ClientCPU: median(costs[1])}, nil
}

// measured returns how many messages a second a side delivers, and the CPU time of one.
func measured(ctx context.Context, s side, messages []sink.Message) (rate float64,
	cpu time.Duration, err error) {
	runtime.GC() // what others have left behind is not the side's
	before, err := measure.Self().CPU()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := s(ctx, messages); err != nil {
		return 0, 0, err
	}
	rate = float64(len(messages)) / time.Since(began).Seconds()
	after, err := measure.Self().CPU()
	return rate, (after - before) / time.Duration(len(messages)), err
}

func median[T float64 | time.Duration](all []T) T {
	slices.Sort(all)
	return all[len(all)/2]
}

// listed is the number of objects that the messages are about.
const listed = 1000

// newMessages makes messages about objects as an informer keeps them.
func newMessages(n int) ([]sink.Message, error) {
	builder, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "bench", Listener: "brokers", Resource: "pods"})
	if err != nil {
		return nil, err
	}
	kind := objects.Pods
	p := object.Parser{APIVersion: kind.APIVersion(), Kind: kind.Name}
	var all []sink.Message
	for i := range n {
		if i >= listed {
			all = append(all, all[i-listed])
			continue
		}
		o, _, err := p.ParseItem(kind.At(uint64(i), objects.Small,
			objects.Revision{ResourceVersion: objects.FirstFreeVersion + uint64(i)}))
		if err != nil {
			return nil, err
		}
		all = append(all, builder.Event(event.Event{Op: event.Add, Object: o}, time.Now()))
	}
	return all, nil
}

// through returns the side that sends through an outbox, as a listener with one output does.
func through(s sink.Sink) side {
	log := slog.New(slog.DiscardHandler)
	out := delivery.NewOutput("broker", s, log)
	return func(ctx context.Context, messages []sink.Message) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		o, err := delivery.New(out,
			delivery.Config{Listener: "brokers", Capacity: max(leastRoom, out.Room()),
				Overflow: informer.OverflowBlock, Letters: noLetters{},
				Log: &delivery.FailureLog{Logger: log}})
		if err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- o.Run(ctx) }()
		if err := offer(ctx, o, messages); err != nil {
			cancel()
			return errors.Join(err, <-ended)
		}
		o.Stop()
		if err := <-ended; err != nil {
			return err
		}
		if st := o.Stats(); st.Retried > 0 || st.Written != uint64(len(messages)) {
			return fmt.Errorf("%d of %d messages were written, %d failures", st.Written,
				len(messages), st.Retried)
		}
		return nil
	}
}

// turn is how many events a worker hands over at once.
const turn = 32

// offer offers messages as a worker does.
func offer(ctx context.Context, o *delivery.Outbox, messages []sink.Message) error {
	var all []informer.Entry
	for len(messages) > 0 {
		all = all[:0]
		n := min(turn, len(messages))
		for i := range messages[:n] {
			m := &messages[i]
			all = append(all, (&delivery.Pending{Wanted: true, Observed: m.Time,
				Extra: &delivery.Extra{Messages: messages[i : i+1]}}).Of(
				event.Event{Op: m.Op, Object: m.Object}))
		}
		taken, err := o.OfferAll(all)
		if err != nil {
			return err
		}
		for _, one := range all[taken:] {
			if err := o.OfferWait(ctx, one); err != nil {
				return err
			}
		}
		messages = messages[n:]
	}
	return nil
}

// leastRoom is how many messages may wait in the outbox, if the output does not need more, by
// default.
const leastRoom = 1024

// noLetters fails when something is given up.
type noLetters struct{}

func (noLetters) Put(_ context.Context, l deadletter.Letter) (string, error) {
	return "", fmt.Errorf("%s was given up: %s", l.Name, l.Error)
}

// payload returns the bytes of the i-th message: those that were made before, if there are any.
func payload(ready [][]byte, messages []sink.Message, i int) []byte {
	if ready != nil {
		return ready[i]
	}
	return cloudevent.Append(make([]byte, 0, 3*objects.Small/2), messages[i])
}

// payloads returns the bytes of messages. Their ids are as long as those that are sent.
func payloads(messages []sink.Message) (all [][]byte) {
	for i, m := range messages {
		if i >= listed {
			all = append(all, all[i-listed])
			continue
		}
		m.ID = m.ID[:16]
		all = append(all, cloudevent.Append(nil, m))
	}
	return all
}
