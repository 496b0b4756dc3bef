package sink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/informerd/informerd/internal/wording"
)

// Unsent is what an output would have sent or written.
type Unsent struct {
	Do      string            // as in POST, publish or append
	To      string            // the destination, without secrets
	Headers map[string]string // of a request or record, without secrets
	Body    []byte
}

// Show takes a write that is not made. Nil: writes are made.
type Show func(Unsent) error

// Hidden is shown in place of a secret.
const Hidden = "(hidden)"

// ShownURL returns a URL without what may be secret in it.
func ShownURL(u *url.URL) string {
	shown := url.URL{Scheme: u.Scheme, Host: u.Host}
	if u.Path == "" || u.Path == "/" {
		return shown.String()
	}
	return shown.String() + "/…"
}

// DryRun writes the lines of all outputs. It is safe for concurrent use.
type DryRun struct {
	To   io.Writer
	JSON bool
	// Took takes writes in place of To, if it is set.
	Took func(output, kind string, w Unsent)

	mu sync.Mutex // held while a line is written
}

// dryRunLine is a line as JSON.
type dryRunLine struct {
	DryRun   bool              `json:"dryRun"` // always true
	Output   string            `json:"output"`
	Kind     string            `json:"kind"`
	Do       string            `json:"do"`
	To       string            `json:"to"`
	Cluster  string            `json:"cluster,omitempty"` // if there are several
	Listener string            `json:"listener"`
	Objects  []string          `json:"objects"`
	Headers  map[string]string `json:"headers,omitempty"`
	// Body is JSON as it is, and any other text as a string.
	Body json.RawMessage `json:"body,omitempty"`
}

// show writes the line of a write about messages of one listener.
func (r *DryRun) show(s *dryRun, w Unsent) error {
	if r.Took != nil {
		r.Took(s.output, s.kind, w)
		return nil
	}
	l := dryRunLine{DryRun: true, Output: s.output, Kind: s.kind, Do: w.Do, To: w.To,
		Headers: w.Headers}
	for i := range s.now {
		m := &s.now[i]
		if l.Listener = m.Origin.Listener; s.Clusters {
			l.Cluster = m.Origin.Cluster
		}
		l.Objects = append(l.Objects, m.Origin.Resource+"/"+m.Object.Key().String())
	}
	text := l.text(w.Body)
	if r.JSON {
		text = l.json(w.Body)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := io.WriteString(r.To, text+"\n")
	return ErrorOf("dry run", err)
}

func (l *dryRunLine) json(body []byte) string {
	switch {
	case len(body) == 0:
	case json.Valid(body):
		l.Body = body
	default:
		l.Body, _ = json.Marshal(string(body)) // a string always has a JSON form
	}
	return string(wording.MustJSON(l)) // it has texts, and a body that is JSON
}

// maxNamed is how many objects a line of text names.
const maxNamed = 3

func (l *dryRunLine) text(body []byte) string {
	var b strings.Builder
	do := l.Do
	if strings.ToUpper(do) != do { // the method of a request needs no word more
		do += " to"
	}
	fmt.Fprintf(&b, "would %s %s (output %s, %s) of listener %s", do, l.To, l.Output, l.Kind,
		l.Listener)
	if l.Cluster != "" {
		b.WriteString(" in cluster " + l.Cluster)
	}
	b.WriteString(" about " + wording.Some(l.Objects, maxNamed))
	for _, name := range slices.Sorted(maps.Keys(l.Headers)) {
		fmt.Fprintf(&b, " [%s: %s]", name, l.Headers[name])
	}
	if len(body) > 0 {
		b.WriteString(": ")
		b.Write(body)
	}
	return wording.Printable(b.String())
}

// ShowOf is how the writes of an output are shown.
type ShowOf struct {
	Together bool // the output sends several messages in one request
	Clusters bool // messages of several clusters come
}

// Sink returns the sink that a function makes for an output of a kind. What that sink shows becomes
// a line of the report.
func (r *DryRun) Sink(output, kind string, of ShowOf, open func(Show) (Sink, error)) (Sink, error) {
	s := &dryRun{output: output, kind: kind, ShowOf: of, report: r, turn: make(chan struct{}, 1)}
	inner, err := open(s.show)
	if err != nil {
		return nil, err
	}
	s.Sink = inner
	return s, nil
}

// dryRun is a sink that sends nothing.
type dryRun struct {
	Sink
	ShowOf
	output, kind string
	report       *DryRun
	turn         chan struct{} // has room for the one that writes
	now          []Message     // that are written
}

// show is what the sink calls within Write.
func (s *dryRun) show(w Unsent) error { return s.report.show(s, w) }

// Write implements Sink. One write runs at a time, so that it is known what a line is about.
func (s *dryRun) Write(ctx context.Context, messages []Message) []error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return AllFailed(len(messages), ctx.Err())
	}
	defer func() { s.now = nil; <-s.turn }()
	if s.Together {
		s.now = messages
		return s.Sink.Write(ctx, messages)
	}
	return Each(ctx, messages, func(m *Message) error {
		s.now = []Message{*m}
		return errors.Join(s.Sink.Write(ctx, s.now)...)
	})
}

// NewShown returns a sink that shows each message by itself.
func NewShown(show Show, write func(*Message) (Unsent, error)) Sink {
	return plain{show, write}
}

// plain is a sink of an output whose client is not used.
type plain struct {
	show  Show
	write func(*Message) (Unsent, error)
}

// Pace implements Sink.
func (plain) Pace() Pace { return Pace{Batch: 32} }

// Close implements Sink.
func (plain) Close(context.Context) error { return nil }

// Write implements Sink.
func (p plain) Write(ctx context.Context, messages []Message) []error {
	return Each(ctx, messages, func(m *Message) error {
		w, err := p.write(m)
		if err != nil {
			return err
		}
		return p.show(w)
	})
}
