package alertmanager

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/httpsink"
)

// path is that of the API, below the URL.
const path = "api/v2/alerts"

const maxAlerts = 64 // of one request

// Config is what a Sink is made from.
type Config struct {
	URL secret.Value // without the path of the API
	// Labels return the values of further labels, whose names have been checked.
	Labels map[string]func(*sink.Message) (string, error)
	// Sent is shared with the sinks that were there before this one. Default: the sink's own.
	Sent    *Sent
	Headers map[string]secret.Value
	// Timeout is for each Write; default 10 s.
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
	config  Config
	client  *httpsink.Client
	batches *httpsink.Batches
}

var _ sink.Sink = (*Sink)(nil)

// New checks a configuration. What it reads must be readable now.
func New(config Config) (*Sink, error) {
	if config.Labels["alertname"] != nil {
		return nil, errors.New(`label "alertname": it is the name of the rule`)
	}
	for name := range config.Headers {
		if http.CanonicalHeaderKey(name) == "Content-Type" {
			return nil, fmt.Errorf("header %q: informerd sets it itself", name)
		}
	}
	config.Sent = cmp.Or(config.Sent, &Sent{})
	config.Timeout = cmp.Or(config.Timeout, httpsink.DefaultTimeout)
	client, err := httpsink.New(httpsink.Config{URL: config.URL, Path: path,
		Timeout: config.Timeout, Headers: config.Headers, TLS: config.TLS,
		Resolver: config.Resolver, Fence: config.Fence, Show: config.Show})
	if err != nil {
		return nil, err
	}
	return &Sink{config: config, client: client, batches: httpsink.NewBatches(maxAlerts)}, nil
}

// Pace implements sink.Sink.
func (s *Sink) Pace() sink.Pace { return sink.Pace{Batch: maxAlerts, Writes: 2} }

// Write implements sink.Sink.
func (s *Sink) Write(ctx context.Context, messages []sink.Message) []error {
	if err := ctx.Err(); err != nil {
		return sink.AllFailed(len(messages), err)
	}
	deadline := time.Now().Add(s.config.Timeout)
	errs := make([]error, len(messages))
	var alerts []alert
	var of []int // the alerts' messages
	for i := range messages {
		a, err := s.newAlert(&messages[i], time.Now())
		if err != nil {
			errs[i] = fmt.Errorf("alertmanager: %w", err)
			continue
		}
		alerts, of = append(alerts, a), append(of, i)
	}
	results := s.batches.Write(len(alerts), func(from, to int) (int, error) {
		return to - from, s.post(ctx, deadline, alerts[from:to])
	})
	for n, i := range of {
		if results != nil && results[n] != nil {
			errs[i] = results[n]
			continue
		}
		s.remember(&messages[i], alerts[n])
	}
	return sink.Results(errs)
}

// remember keeps the labels of a violation until it is resolved.
func (s *Sink) remember(m *sink.Message, a alert) {
	if !m.Report.Violated {
		a.Labels = nil
	}
	s.config.Sent.set(listenerOf(m), violationOf(m), a.Labels)
}

func (s *Sink) post(ctx context.Context, deadline time.Time, alerts []alert) error {
	body, err := json.Marshal(alerts)
	if err != nil { // a year after 9999
		return sink.Permanent(errors.New("alertmanager: a time cannot be written"))
	}
	_, err = s.client.Post(ctx, httpsink.Request{Body: body, Deadline: deadline,
		Header: http.Header{"Content-Type": {"application/json"}}})
	return sink.ErrorOf("alertmanager", err)
}

// Close implements sink.Sink.
func (s *Sink) Close(ctx context.Context) error {
	return sink.ErrorOf("alertmanager", s.client.Close(ctx))
}
