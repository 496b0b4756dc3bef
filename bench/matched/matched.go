package matched

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/informerd/informerd/bench/measure"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/file"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Limit is the maximum ratio, with File.
const Limit = 3

// Result is the cost of one event: the median over the batches.
type Result struct {
	Events int // in total
	Bytes  int // of a line
	// CPU time: of an event, and of writing as many bytes.
	Event, Write time.Duration
}

// Ratio returns the cost of an event as a multiple of that of writing.
func (r Result) Ratio() float64 { return float64(r.Event) / float64(r.Write) }

// batch is how many events are measured together.
const batch = 2000

// filter passes nearly all events.
const filter = `object.status.phase in ["Pending", "Running", "Failed"] && object.spec.nodeName startsWith "ip-"`

// Measure measures so many batches of both sides, which alternate. The file is created in dir; ""
// is the system's folder for temporary files.
func Measure(ctx context.Context, to Destination, dir string, batches int) (r Result, err error) {
	b, err := newBench(to, dir)
	if err != nil {
		return Result{}, fmt.Errorf("cannot measure matched events: %w", err)
	}
	defer func() { err = errors.Join(err, b.close()) }()
	var event, write []time.Duration
	for n := range batches + 1 {
		e, err := b.cpu(func() error { return b.route(ctx) })
		if err != nil {
			return Result{}, fmt.Errorf("cannot measure matched events: %w", err)
		}
		w, err := b.cpu(b.write)
		if err != nil {
			return Result{}, fmt.Errorf("cannot measure writing: %w", err)
		}
		if n > 0 { // the first one is a warm-up
			event, write = append(event, e), append(write, w)
		}
	}
	return Result{Events: batches * batch, Bytes: b.bytes / batch, Event: median(event) / batch,
		Write: median(write) / batch}, nil
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// bench is the destination and the data of both sides.
type bench struct {
	to       *target
	out      *sink.Serial
	events   []event.Event
	filter   *filters.Filter
	messages *cloudevent.Builder
	line     []byte // as long as the longest
	lengths  []int  // of the lines
	bytes    int    // of a batch
}

func newBench(to Destination, dir string) (b *bench, err error) {
	b = &bench{}
	if b.filter, err = filters.Compile(filters.Expression{Text: filter,
		Listener: "matched"}); err != nil {
		return nil, err
	}
	if b.messages, err = cloudevent.NewBuilder(
		sink.Origin{Cluster: "bench", Listener: "matched", Resource: "pods"}); err != nil {
		return nil, err
	}
	if b.events, err = updates(b.filter); err != nil {
		return nil, err
	}
	var line []byte
	for i := range batch {
		line = append(cloudevent.Append(line[:0],
			b.messages.Event(b.events[i%len(b.events)], time.Now())), '\n')
		b.lengths = append(b.lengths, len(line))
		b.bytes += len(line)
	}
	b.line = slices.Grow(line, slices.Max(b.lengths))
	if b.to, err = to.open(dir); err != nil {
		return nil, err
	}
	b.out = file.NewStdout(b.to)
	return b, nil
}

func (b *bench) close() error {
	return errors.Join(b.out.Close(context.Background()), b.to.close())
}

// cpu returns how much CPU time f takes.
func (b *bench) cpu(f func() error) (time.Duration, error) {
	if err := b.to.empty(); err != nil {
		return 0, err
	}
	before, err := measure.Self().CPU()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := measure.Self().CPU()
	return after - before, err
}

// route passes a batch of events through a route.
func (b *bench) route(ctx context.Context) error {
	s := &source{events: b.events, left: batch}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	r, err := route.New(route.Config{
		Name: "matched", Subscription: s, Retry: route.Retry{Attempts: 1},
		Letters: noLetters{}, Log: log,
		Pipeline: &route.Pipeline{Filter: b.filter, Messages: b.messages,
			Outputs: []route.Output{{To: delivery.NewOutput("stdout", b.out, log)}}},
	})
	if err != nil {
		return err
	}
	if err := r.Run(ctx); err != nil {
		return err
	}
	if written := r.Stats().Written; s.done != batch || written != batch {
		return fmt.Errorf("of %d events, %d are done and %d written", batch, s.done, written)
	}
	return nil
}

// noLetters fails when something is given up.
type noLetters struct{}

func (noLetters) Put(_ context.Context, l deadletter.Letter) (string, error) {
	return "", fmt.Errorf("%s was given up: %s", l.Name, l.Error)
}

// write writes lines of the same lengths. Their text is in the processor's cache, like that of a
// line just built.
func (b *bench) write() error {
	for _, n := range b.lengths {
		if _, err := b.to.Write(b.line[:n]); err != nil {
			return err
		}
	}
	return nil
}
