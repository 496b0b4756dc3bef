package throughput

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/informerd/informerd/bench/objects"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/webhook"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// listed is the number of objects that the events are about.
const listed = 20_000

// adds returns events about objects as an informer stores them.
func adds(n int) (all []event.Event, err error) {
	kind := objects.Pods
	p := object.Parser{APIVersion: kind.APIVersion(), Kind: kind.Name}
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
		all = append(all, event.Event{Op: event.Add, Object: o.Stored()})
	}
	return all, nil
}

// openOutputs opens the outputs of the way.
func (b *bench) openOutputs() error {
	for i := range b.way.Outputs {
		b.outputs = append(b.outputs, newOutput(fmt.Sprint("everything", i), everything{}))
	}
	if !b.way.Webhook {
		return nil
	}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // a sender that ends early has an error, too
	}))
	b.close = append(b.close, func() error {
		server.Close()
		return nil
	})
	s, err := webhook.New(webhook.Config{URL: secret.Literal(server.URL), Mode: webhook.Batch})
	if err != nil {
		return err
	}
	b.close = append(b.close, func() error { return s.Close(context.Background()) })
	b.outputs = append(b.outputs, newOutput("webhook", s))
	return nil
}

// everything is a sink that takes everything.
type everything struct{}

func (everything) Pace() sink.Pace                               { return sink.Pace{Batch: 100} }
func (everything) Write(context.Context, []sink.Message) []error { return nil }
func (everything) Close(context.Context) error                   { return nil }
