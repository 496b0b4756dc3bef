package slack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
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
		if err := s.write(ctx, &messages[from]); err != nil {
			return 1, fmt.Errorf("slack: %w", err)
		}
		return 1, nil
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
	body, err := json.Marshal(map[string]string{"text": shortened(text)})
	if err != nil {
		return sink.Permanent(fmt.Errorf("text: %w", err))
	}
	answer, err := s.client.Post(ctx, httpsink.Request{Body: body,
		Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}})
	if err != nil {
		return err
	}
	return judge(string(answer.Body))
}

// refusals are texts that Slack sends for what a retry does not mend.
var refusals = []string{
	"action_prohibited", "channel_is_archived", "channel_not_found", "invalid_payload",
	"invalid_token", "no_active_hooks", "no_service", "no_service_id", "no_team", "no_text",
	"posting_to_general_channel_denied", "team_disabled", "too_many_attachments",
	"user_not_found",
}

// troubles are texts that Slack sends for what passes.
var troubles = []string{"fatal_error", "internal_error", "rate_limited", "ratelimited",
	"request_timeout", "rollup_error", "service_unavailable"}

// judge returns nil if the text that came with status 200 means taken. What others than Slack
// write there is their own.
func judge(text string) error {
	text = strings.TrimSpace(text)
	var answer struct {
		OK    *bool
		Error string
	}
	if json.Unmarshal([]byte(text), &answer) == nil && answer.OK != nil && !*answer.OK {
		text = answer.Error
		if !slices.Contains(troubles, text) {
			return sink.Permanent(fmt.Errorf("the receiver answered %s", quote(text)))
		}
	}
	switch {
	case slices.Contains(troubles, text):
		return fmt.Errorf("the receiver answered %q", text)
	case slices.Contains(refusals, text):
		return sink.Permanent(fmt.Errorf("the receiver answered %q", text))
	}
	return nil
}

// quote bounds and quotes what the receiver wrote.
func quote(text string) string {
	const most = 100
	if len(text) > most {
		return fmt.Sprintf("%q and more", text[:most])
	}
	return fmt.Sprintf("%q", text)
}

// Close implements sink.Sink.
func (s *Sink) Close(ctx context.Context) error {
	if err := s.client.Close(ctx); err != nil {
		return fmt.Errorf("slack: %w", err)
	}
	return nil
}
