package route

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
)

// flood is a source that always has an event for any worker, until it has given so many.
type flood struct {
	events []event.Event
	left   atomic.Int64
}

func (f *flood) Next(context.Context) (informer.Delivery, error) {
	left := f.left.Add(-1)
	if left < 0 {
		return informer.Delivery{}, informer.ErrStopped
	}
	return f.delivery(left), nil
}

func (f *flood) delivery(left int64) informer.Delivery {
	return informer.NewDelivery(informer.Entry{Event: f.events[int(left)%len(f.events)],
		Attempt: 1}, f)
}

func (f *flood) More(got []informer.Delivery, n, _ int) []informer.Delivery {
	for ; n > 0; n-- {
		left := f.left.Add(-1)
		if left < 0 {
			break
		}
		got = append(got, f.delivery(left))
	}
	return got
}

func (f *flood) Stop()                    {}
func (f *flood) Stopped() <-chan struct{} { return nil }

func (f *flood) Done(*informer.Delivery)                 {}
func (f *flood) Retry(*informer.Delivery, time.Duration) { panic("an event failed") }
func (f *flood) Again(*informer.Delivery, time.Duration) {}

// nowhere takes everything.
type nowhere struct{ pace sink.Pace }

func (n nowhere) Pace() sink.Pace { return n.pace }

func (nowhere) Write(context.Context, []sink.Message) []error { return nil }
func (nowhere) Close(context.Context) error                   { return nil }

// BenchmarkRoute is an event's way from the source to outputs that take everything: without a
// handler, and with ones that do next to nothing. What counts is cpu-ns/op, the processor time of
// all goroutines.
func BenchmarkRoute(b *testing.B) {
	one, batches := sink.Pace{}, sink.Pace{Batch: 32} // as the stdout output's
	for _, c := range []struct {
		name             string
		guest            string
		outputs, workers int
		pace             sink.Pace
	}{
		{"NoHandler", "", 1, 1, batches},
		{"EachAlone", "", 1, 1, one},
		{"Outputs2", "", 2, 1, batches},
		{"Outputs8", "", 8, 1, batches},
		{"Workers4", "", 1, 4, batches},
		{"Workers4Outputs2", "", 2, 4, batches},
		{"OneByOne", dropsEvents, 1, 1, batches},
		{"Batches", pullsEvents, 1, 1, batches},
	} {
		b.Run(c.name, func(b *testing.B) {
			guest := c.guest
			r := &draft{
				Config: Config{Name: "l", PauseAfter: 5, Retry: Retry{Attempts: 1},
					Workers: c.workers,
					Buffer:  Buffer{Overflow: informer.OverflowBlock},
					Log:     slog.New(slog.DiscardHandler)},
				Pipeline: Pipeline{Batch: 64},
			}
			for i := range c.outputs {
				r.Outputs = append(r.Outputs, to(fmt.Sprint("out", i), nowhere{c.pace}))
			}
			var err error
			if r.Messages, err = cloudevent.NewBuilder(
				sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"}); err != nil {
				b.Fatal(err)
			}
			if guest != "" {
				r.Handler = loaded(b, guest)
			}
			f := &flood{}
			f.left.Store(int64(b.N))
			for i := range 1000 {
				f.events = append(f.events, add(fmt.Sprint("p", i)))
			}
			r.Subscription = f
			ballast := make([]byte, 32<<20) // as a daemon's stores: else the collector always runs
			defer runtime.KeepAlive(ballast)
			b.ReportAllocs()
			b.ResetTimer()
			before := processorTime(b)
			if err := r.Run(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// processorTime returns the processor time that the process has had, in nanoseconds.
func processorTime(b *testing.B) int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// Guests, assembled by hand. Each has a memory and the marker of the interface.
const (
	wasmHead = "0061736d01000000"
	// dropsEvents has on_event, which returns 1.
	dropsEvents = wasmHead + "010c0260000060047f7f7f7f017f030302000105030100010728" +
		"03066d656d6f7279020010696e666f726d6572645f6162695f76310000086f6e5f6576656e7400010a090202000b040041010b"
	// pullsEvents has on_batch: while next(1024, 20) >= 0, unreachable if the length of the object
	// is above 300; return 0.
	pullsEvents = wasmHead + "010f0360000060017f017f60027f7f017f021b0112696e666f726d6572642f6576656e742e7631046e657874000203030200" +
		"010503010001072803066d656d6f7279020010696e666f726d6572645f6162695f76310001086f6e5f626174636800020a2b0202000b26000240" +
		"0340418008411410004100480d0141880828020041ac024b0440000b0c000b0b41000b"
)

// loaded loads a module that was assembled by hand.
func loaded(tb testing.TB, digits string) *plugins.Handler {
	tb.Helper()
	wasm, err := hex.DecodeString(digits)
	if err != nil {
		tb.Fatal(err)
	}
	host := plugins.NewHost(plugins.HostConfig{Log: slog.New(slog.DiscardHandler)})
	tb.Cleanup(func() {
		if err := host.Close(context.Background()); err != nil {
			tb.Error(err)
		}
	})
	h, err := host.Load(tb.Context(), plugins.Spec{Listener: "l", Wasm: wasm})
	if err != nil {
		tb.Fatal(err)
	}
	return h
}
