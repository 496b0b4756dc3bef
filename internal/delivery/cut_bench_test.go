package delivery

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// everything is a sink that takes everything at once.
type everything struct{}

func (everything) Write(context.Context, []sink.Message) []error { return nil }
func (everything) Pace() sink.Pace                               { return sink.Pace{Batch: 64} }
func (everything) Close(context.Context) error                   { return nil }

// benchmarkOutbox returns an outbox to a sink, and something to offer.
func benchmarkOutbox(b *testing.B, to sink.Sink, keep bool) (*Outbox, []informer.Entry) {
	builder, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "c", Listener: "l", Resource: "pods"})
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	o, err := New(NewOutput("out", to, log), Config{Listener: "l", Capacity: 100_000, Keep: keep,
		Overflow: informer.OverflowBlock, Log: &FailureLog{Logger: log}})
	if err != nil {
		b.Fatal(err)
	}
	by, all := &Maker{Builder: builder}, make([]informer.Entry, 32)
	for i := range all {
		pod, err := (&object.Parser{}).Parse(fmt.Appendf(nil,
			`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","uid":"u"}}`, i))
		if err != nil {
			b.Fatal(err)
		}
		all[i] = (&Pending{Wanted: true, By: by}).Of(event.Event{Op: event.Add, Object: pod})
	}
	return o, all
}

// again returns offerings of the same events.
func again(all []informer.Entry) []informer.Entry {
	for i := range all {
		w := all[i].Progress.(*Pending)
		all[i] = (&Pending{Wanted: true, By: w.By, Observed: w.Observed}).Of(w.event)
	}
	return all
}

// BenchmarkKeep is 32 events that are offered and taken, with a cut for every 1,000.
func BenchmarkKeep(b *testing.B) {
	for _, keep := range []bool{false, true} {
		b.Run(fmt.Sprint("Keep=", keep), func(b *testing.B) {
			o, all := benchmarkOutbox(b, everything{}, keep)
			ended := make(chan error, 1)
			go func() { ended <- o.Run(b.Context()) }()
			cut := &written{}
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				if taken, err := o.OfferAll(again(all)); err != nil || taken < len(all) {
					b.Fatal(taken, err)
				}
				if n++; n%32 == 0 {
					o.Cut(cut, part)
				}
				for o.Stats().Waiting > 10_000 {
					time.Sleep(time.Millisecond)
				}
			}
			o.Stop()
			if err := <-ended; err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkCut is a cut of an outbox in which 10,000 entries wait, of which 32 are new.
func BenchmarkCut(b *testing.B) {
	o, all := benchmarkOutbox(b, everything{}, true)
	for range 10_000 / len(all) {
		if taken, err := o.OfferAll(again(all)); err != nil || taken < len(all) {
			b.Fatal(taken, err)
		}
	}
	cut := &written{}
	o.Cut(cut, part)
	b.Logf("%d bytes for each entry", cut.Len()/10_000)
	b.Run("Changed", func(b *testing.B) {
		for b.Loop() {
			o.keeping.begin(again(all))
			cut.Buffer.Reset()
			o.Cut(cut, part)
			for i := range all {
				o.keeping.end(all[i].Progress.(*Pending))
			}
		}
	})
	b.Run("Whole", func(b *testing.B) {
		for b.Loop() {
			cut.Buffer.Reset()
			o.Whole(cut, part)
		}
	})
}

// written takes records as a checkpoint does.
type written struct {
	bytes.Buffer
	text []byte
}

func (w *written) Reset()                   {}
func (w *written) Clear(string)             {}
func (w *written) Delete(string, event.Key) {}

func (w *written) Put(_ string, key event.Key, value any, objects []*object.Object) {
	record.Encode(&w.Buffer, value)
	for _, o := range objects {
		w.text = appendText(w.text[:0], o)
		w.Write(w.text)
	}
}

func appendText(to []byte, o *object.Object) []byte { return o.AppendJSON(to) }
