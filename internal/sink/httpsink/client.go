package httpsink

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/informerd/informerd/internal/outbound"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

const (
	// DefaultTimeout is how long a request may take if nothing else is configured.
	DefaultTimeout = 10 * time.Second

	maxRequests = 64 // that run at a time

	idempotencyKey = "Idempotency-Key"

	// goneFor is how long nothing is sent after the answer 410.
	goneFor = 10 * time.Minute
	// pingAfter and pingTimeout find HTTP/2 connections that lead nowhere.
	pingAfter   = 5 * time.Second
	pingTimeout = 5 * time.Second
)

// Config is how to reach a receiver.
type Config struct {
	URL secret.Value
	// Path is added to the path of the URL.
	Path string
	// Timeout of one Post; default DefaultTimeout.
	Timeout time.Duration
	// Headers go with every request. Those that Post is called with take their place. Their names
	// have been checked.
	Headers map[string]secret.Value
	TLS     *secret.TLSFiles // nil: as if all were empty
	// Resolver is nil, unless names are to be looked up in another way than the system's.
	Resolver *net.Resolver
	// Fence is what requests have to pass; nil: none.
	Fence *sink.Fence
	// Show takes requests in place of the receiver; nil: they are sent.
	Show sink.Show
}

// Client posts to one receiver. It is safe for concurrent use. Make it with New, and Close it.
type Client struct {
	config    Config
	tls       *secret.TLS
	transport *http.Transport
	turn      chan struct{} // has room for the requests that run
	gone      atomic.Int64  // until when nothing is sent, in Unix nanoseconds

	lastTLS atomic.Pointer[tls.Config] // of the last request

	gate sink.Gate
}

// New makes a client. URL and headers must be readable now.
func New(config Config) (*Client, error) {
	source, err := secret.OpenTLS(cmp.Or(config.TLS, &secret.TLSFiles{}))
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	config.Timeout = cmp.Or(config.Timeout, DefaultTimeout)
	c := &Client{config: config, tls: source, turn: make(chan struct{}, maxRequests)}
	if _, err := c.prepare(nil); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	c.gate.OnEmpty = func() {
		end() // what still connects
		c.transport.CloseIdleConnections()
	}
	dialer := outbound.Dialer{Resolver: config.Resolver}
	connect := config.Fence.Dial(dialer.DialContext)
	c.transport = dialer.Transport()
	c.transport.DialContext = within(life, heard(connect))
	c.transport.DialTLSContext = within(life, func(ctx context.Context, network,
		address string) (net.Conn, error) {
		return heard(c.tls.Dialer(connect, "h2", "http/1.1"))(ctx, network, address)
	})
	c.transport.ForceAttemptHTTP2 = true
	c.transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout,
		WriteByteTimeout: config.Timeout}
	c.transport.MaxIdleConns = maxRequests
	c.transport.MaxIdleConnsPerHost = maxRequests
	return c, nil
}

// within returns a function that connects as long as life lasts. The transport lets a connection be
// made when the request for it has ended.
func within(life context.Context, dial secret.DialFunc) secret.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		return dial(ctx, network, address)
	}
}

// prepared is the configuration as it is at one moment.
type prepared struct {
	url    *url.URL
	header http.Header
	hidden []string // texts that errors must not have
}

// prepare reads the configured values. Headers that are informerd's own come last.
func (c *Client) prepare(own http.Header) (prepared, error) {
	text, err := c.config.URL.Read()
	if err != nil {
		return prepared{}, fmt.Errorf("url: %w", err)
	}
	u, err := outbound.ParseURL(text)
	if err != nil {
		return prepared{}, fmt.Errorf("url (%s): %w", c.config.URL, err)
	}
	if c.config.Path != "" {
		u = u.JoinPath(c.config.Path)
	}
	p := prepared{url: u, header: http.Header{"User-Agent": {"informerd"}},
		hidden: []string{text, u.RequestURI(), u.RawQuery}}
	for name, value := range c.config.Headers {
		text, err := value.Header()
		if err != nil {
			return prepared{}, fmt.Errorf("header %q: %w", name, err)
		}
		p.header.Set(name, text)
		p.hidden = append(p.hidden, text)
	}
	maps.Copy(p.header, own)
	// Without a value it is not sent, and allows the transport to send a request again whose
	// connection the server had closed while it was idle.
	if _, set := p.header[idempotencyKey]; !set {
		p.header[idempotencyKey] = nil
	}
	return p, nil
}

// Request is what is posted.
type Request struct {
	Header http.Header // with canonical names
	Body   []byte      // must not change, also afterwards
	// Deadline ends the request earlier than the timeout; zero: it does not.
	Deadline time.Time
}

// Post sends a request. It returns the status and the beginning of the body of the answer, if there
// was one.
func (c *Client) Post(ctx context.Context, r Request) (Answer, error) {
	if err := c.gate.Enter(ctx); err != nil {
		return Answer{}, err
	}
	defer c.gate.Leave()
	if until := c.gone.Load(); until != 0 && time.Now().UnixNano() < until {
		return Answer{}, sink.Permanent(errors.New(
			"the receiver has answered 410 Gone: nothing is sent to it for ten minutes"))
	}
	p, err := c.prepare(r.Header)
	if err != nil {
		return Answer{}, err
	}
	if c.config.Show != nil {
		return c.show(p, r)
	}
	c.renewTLS()
	waiting, cancel := c.limited(ctx, r)
	defer cancel()
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-c.gate.Closed():
		return Answer{}, sink.ErrClosed
	case <-waiting.Done():
		return Answer{}, c.failed(ctx, p, errors.New("too many requests are waiting"))
	}
	// A request that has waited has all its time, or a slow receiver might take what is given up.
	own, cancel := c.limited(ctx, r)
	defer cancel()
	return c.send(ctx, own, p, r.Body)
}

// limited returns a context that ends with the timeout, or with the request's deadline.
func (c *Client) limited(ctx context.Context, r Request) (context.Context, context.CancelFunc) {
	deadline := time.Now().Add(c.config.Timeout)
	if !r.Deadline.IsZero() && r.Deadline.Before(deadline) {
		deadline = r.Deadline
	}
	return context.WithDeadline(ctx, deadline)
}

// send makes the request. The context own is ctx with the timeout.
func (c *Client) send(ctx, own context.Context, p prepared, body []byte) (Answer, error) {
	own, cancel := context.WithCancel(own)
	defer cancel()
	request, err := http.NewRequestWithContext(own, http.MethodPost, p.url.String(),
		bytes.NewReader(body))
	if err != nil {
		return Answer{}, errors.New("url: it cannot be requested")
	}
	request.Header = p.header
	if err := c.config.Fence.Check(); err != nil { // and the connections stay
		return Answer{}, c.failed(ctx, p, err)
	}
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return Answer{}, c.failed(ctx, p, c.timedOut(own, err))
	}
	defer func() { _ = response.Body.Close() }() // it is read, or given up
	defer time.AfterFunc(bodyTime, cancel).Stop()
	said, _ := io.ReadAll(io.LimitReader(response.Body, maxBody)) // as much as comes
	answer := Answer{response.StatusCode, said}
	if answer.Status == http.StatusGone {
		c.gone.Store(time.Now().Add(goneFor).UnixNano())
	}
	if err := answer.judge(response.Header, p.hidden); err != nil {
		return answer, fmt.Errorf("%s: %w", p.url.Host, err)
	}
	return answer, nil
}

// timedOut returns err, or what says more if the own time is up.
func (c *Client) timedOut(own context.Context, err error) error {
	if errors.Is(own.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("no complete answer within %v", c.config.Timeout)
	}
	return err
}

// failed returns the error of a request without an answer. If ctx is done, it wraps ctx.Err().
func (c *Client) failed(ctx context.Context, p prepared, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: the request was given up: %w", p.url.Host, ctx.Err())
	}
	err = c.config.Fence.Explain(err)
	return &trouble{p.url.Host + ": " + shortened(redact(err.Error(), p.hidden)), err}
}

// renewTLS makes new connections necessary once the TLS files have changed.
func (c *Client) renewTLS() {
	config := c.tls.Config()
	if last := c.lastTLS.Swap(config); last != nil && last != config {
		c.transport.CloseIdleConnections()
	}
}

// Close waits for the requests under way, or until ctx is done. It may be called again.
func (c *Client) Close(ctx context.Context) error { return c.gate.Close(ctx) }
