package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/httpsink"
)

// Config is what a Sink is made from.
type Config struct {
	URL secret.Value
	// Text returns the text of a message; nil is the default text.
	Text func(*sink.Message) (string, error)
	// Notifies is set if Text means to notify a channel, as with <!here>. Otherwise what does so
	// comes from an object, and is escaped.
	Notifies bool
	// Timeout is for each request; default 10 s.
	Timeout time.Duration
	TLS     *secret.TLSFiles
	// Resolver is nil, unless names are to be looked up in another way than the system's.
	Resolver *net.Resolver
	// Fence is what requests have to pass; nil: none.
	Fence *sink.Fence
	// Show takes requests in place of the receiver; nil: they are sent.
	Show sink.Show
}

// Sink is the output. Make one with New, and Close it.
type Sink struct {
	text     func(*sink.Message) (string, error)
	notifies bool
	client   *httpsink.Client
	batches  *httpsink.Batches // of one message
}

var _ sink.Sink = (*Sink)(nil)

// New checks a configuration. What it reads must be readable now.
func New(config Config) (*Sink, error) {
	client, err := httpsink.New(httpsink.Config{URL: config.URL, Timeout: config.Timeout,
		TLS: config.TLS, Resolver: config.Resolver, Fence: config.Fence, Show: config.Show})
	if err != nil {
		return nil, err
	}
	s := &Sink{text: config.Text, notifies: config.Notifies, client: client,
		batches: httpsink.NewBatches(1)}
	if s.text == nil {
		s.text = func(m *sink.Message) (string, error) { return text(m), nil }
	}
	return s, nil
}

// Pace implements sink.Sink. Slack takes about one message per second.
func (s *Sink) Pace() sink.Pace { return sink.Pace{Batch: 1, Writes: 1} }

// Write implements sink.Sink. After a message that is worth a retry, no further one is sent.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	return s.batches.Write(len(messages), func(from, _ int) (int, error) {
		return 1, sink.ErrorOf("slack", s.write(ctx, &messages[from]))
	})
}

func (s *Sink) write(ctx context.Context, m *sink.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := s.text(m)
	if err != nil {
		return sink.Permanent(fmt.Errorf("text: %w", err))
	}
	if !s.notifies {
		text = strings.ReplaceAll(text, "<!", "&lt;!")
	}
	if strings.TrimSpace(text) == "" {
		return sink.Permanent(errors.New("text: it is empty, which Slack refuses"))
	}
	body, _ := json.Marshal(map[string]string{"text": shortened(text)}) // it always has a JSON form
	_, err = s.client.Post(ctx, httpsink.Request{Body: body,
		Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}})
	return err
}

// Close implements sink.Sink.
func (s *Sink) Close(ctx context.Context) error {
	return sink.ErrorOf("slack", s.client.Close(ctx))
}
