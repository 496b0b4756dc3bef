package webhook

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/internal/sink/httpsink"
)

// Mode is how messages are put into requests.
type Mode uint8

// The modes of CloudEvents' HTTP protocol binding.
const (
	Structured Mode = iota // one message, with its attributes in the body
	Binary                 // one message, with its attributes in headers
	Batch                  // many messages
)

const (
	// DefaultBatch is how many messages a batch has if nothing else is configured.
	DefaultBatch = 100

	// single is how many messages are written at a time where each has its own request, and
	// writes how many such groups, or batches, there may be for one listener.
	single = 16
	writes = 4
	// maxBatchBytes is the length of a batch that no message is added beyond.
	maxBatchBytes = 4 << 20
)

// Config is what a webhook is made from.
type Config struct {
	// Output is its name in the configuration.
	Output string
	URL    secret.Value
	Mode   Mode
	// Events is the most messages of a batch; default DefaultBatch. Wait is how long one waits for
	// more of them.
	Events int
	Wait   time.Duration
	// Timeout is for each request; default 10 s.
	Timeout time.Duration
	Headers map[string]secret.Value
	TLS     *secret.TLSFiles
	Sign    Sign
	// Resolver is nil, unless names are to be looked up in another way than the system's.
	Resolver *net.Resolver
	// Fence is what requests have to pass; nil: none.
	Fence *sink.Fence
	// Show takes requests in place of the receiver; nil: they are sent.
	Show sink.Show
}

// Sink is the output. Make one with New, and Close it.
type Sink struct {
	config  Config
	client  *httpsink.Client
	batches *httpsink.Batches
}

var _ sink.Sink = (*Sink)(nil)

// New checks a configuration. What it reads must be readable now.
func New(config Config) (*Sink, error) {
	config.Events = cmp.Or(config.Events, DefaultBatch)
	config.Timeout = cmp.Or(config.Timeout, httpsink.DefaultTimeout)
	for name := range config.Headers {
		if isOwn(name) {
			return nil, fmt.Errorf("header %q: informerd sets it itself", name)
		}
	}
	if _, err := config.Sign.keys(); err != nil {
		return nil, err
	}
	client, err := httpsink.New(httpsink.Config{URL: config.URL, Timeout: config.Timeout,
		Headers: config.Headers, TLS: config.TLS, Resolver: config.Resolver,
		Fence: config.Fence, Show: config.Show})
	if err != nil {
		return nil, err
	}
	return &Sink{config: config, client: client, batches: httpsink.NewBatches(config.Events)}, nil
}

// isOwn reports whether a header is informerd's own.
func isOwn(name string) bool {
	name = strings.ToLower(name)
	switch name {
	case "content-type", "content-encoding", "webhook-id", "webhook-timestamp",
		"webhook-signature", "traceparent", "tracestate":
		return true
	}
	return strings.HasPrefix(name, "ce-")
}

// Pace implements sink.Sink.
func (s *Sink) Pace() sink.Pace {
	if s.config.Mode == Batch {
		return sink.Pace{Batch: s.config.Events, Writes: writes, Wait: s.config.Wait}
	}
	return sink.Pace{Batch: single, Writes: writes}
}

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	if s.config.Mode == Batch {
		return s.writeBatch(ctx, messages)
	}
	var group sync.WaitGroup
	errs := make([]error, len(messages))
	one := func(i int) { errs[i] = s.writeOne(ctx, &messages[i]) }
	for i := 1; i < len(messages); i++ {
		group.Go(func() { one(i) })
	}
	if len(messages) > 0 {
		one(0)
	}
	group.Wait()
	return sink.Results(errs)
}

// writeOne sends one message in a request of its own.
func (s *Sink) writeOne(ctx context.Context, m *sink.Message) error {
	header := http.Header{}
	body := make([]byte, 0, estimate(m))
	if s.config.Mode == Binary {
		for name, value := range cloudevent.Attributes(*m) {
			header.Set("Ce-"+name, cloudevent.HeaderValue(value))
		}
		if m.HasData() {
			header["Content-Type"] = []string{cloudevent.DataContentType}
			body = cloudevent.AppendData(body, *m)
		}
	} else {
		header["Content-Type"] = []string{cloudevent.ContentType}
		body = cloudevent.Append(body, *m)
	}
	if m.TraceParent != "" {
		header["Traceparent"] = []string{m.TraceParent}
	}
	return sink.ErrorOf("webhook",
		s.post(ctx, httpsink.Request{Header: header, Body: body}, s.messageID(m)))
}

// estimate returns about how long a message will be.
func estimate(m *sink.Message) int {
	n := 1024 + len(m.Data)
	if m.Body != sink.BodyData {
		n += m.Object.Size()
		if m.Old != nil {
			n += m.Old.Size()
		}
	}
	return n
}

// post signs a request and sends it. The id is that of a signed request.
func (s *Sink) post(ctx context.Context, r httpsink.Request, id string) error {
	keys, err := s.config.Sign.keys()
	if err != nil {
		return err
	}
	if len(keys) > 0 {
		sign(r.Header, keys, id, time.Now(), r.Body)
	}
	_, err = s.client.Post(ctx, r)
	return err
}

// Close implements sink.Sink.
func (s *Sink) Close(ctx context.Context) error {
	return sink.ErrorOf("webhook", s.client.Close(ctx))
}
