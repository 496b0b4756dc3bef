package nats

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/secret"
	"github.com/informerd/informerd/internal/sink"
)

const (
	// maxDial bounds one attempt to connect. The client can be used for nothing else meanwhile.
	maxDial = 5 * time.Second
	// pingInterval is how often a quiet connection is tried. After two pings without an answer it
	// is given up.
	pingInterval = 10 * time.Second
	// maxPending bounds the messages that wait for an acknowledgement.
	maxPending = 1 << 17
)

// patience is how long a Write waits for a connection that broke. It is longer than reconnects.
var patience = 2 * time.Second

// reconnects are the delays between rounds through the servers.
var reconnects = backoff.Backoff{Min: 100 * time.Millisecond, Max: time.Second}

// connection is one client. It connects again by itself until it is closed, which a server can
// cause with an error that the client does not know.
type connection struct {
	client *natsgo.Conn
	stream jetstream.JetStream
	closed chan struct{}
	denied denials
	why    problem
}

// problem is why there is no connection, as far as callbacks of the client have said.
type problem struct {
	mu    sync.Mutex
	err   error
	up    bool
	ended chan struct{} // closed when there is a connection again; nil if nobody waits
}

func (p *problem) get() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// begin takes note that the connection broke, or that an attempt to connect has failed.
func (p *problem) begin(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err, p.up = err, false
}

// end takes note that there is a connection.
func (p *problem) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.up = true
	if p.ended != nil {
		close(p.ended)
		p.ended = nil
	}
}

// wait returns what is closed at the next end, and whether there is a connection now.
func (p *problem) wait() (ended <-chan struct{}, up bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended == nil {
		p.ended = make(chan struct{})
	}
	return p.ended, p.up
}

// run owns the connection until stop is closed.
func (s *Sink) run() {
	defer close(s.stopped)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-s.stop
		cancel()
	}()
	for failures := 1; ; failures++ {
		c, err := s.connect()
		s.set(c, err)
		if err == nil {
			select {
			case <-s.stop:
				c.client.Close()
				return
			case <-c.closed:
			}
		}
		if backoff.Sleep(ctx, backoff.Early(reconnects.Delay(failures))) != nil {
			return
		}
	}
}

// connect makes a client. It returns after the first attempt to connect, whatever came of it.
func (s *Sink) connect() (*connection, error) {
	c := &connection{closed: make(chan struct{})}
	o := natsgo.GetDefaultOptions()
	o.Servers = s.config.Servers
	o.Name = "informerd"
	o.Timeout = min(maxDial, s.config.Timeout)
	o.AllowReconnect, o.RetryOnFailedConnect, o.MaxReconnect = true, true, -1
	o.IgnoreAuthErrorAbort = true
	o.ReconnectBufSize = -1 // nothing is kept to be sent later
	o.CustomReconnectDelayCB = func(round int) time.Duration {
		return backoff.Early(reconnects.Delay(round))
	}
	o.FlusherTimeout, o.ReconnectOnFlusherError = s.config.Timeout, true
	o.PingInterval = pingInterval
	o.ReconnectErrCB = func(_ *natsgo.Conn, err error) { c.why.begin(err) }
	o.DisconnectedErrCB = func(_ *natsgo.Conn, err error) { c.why.begin(err) }
	o.ConnectedCB = func(*natsgo.Conn) { c.why.end() }
	o.ReconnectedCB = o.ConnectedCB
	o.AsyncErrorCB = func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { c.denied.add(err) }
	o.ClosedCB = func(*natsgo.Conn) { close(c.closed) }
	if fence := s.config.Fence.After(s.published.Load); fence != nil {
		o.CustomDialer = fenced{fence.Dial((&net.Dialer{Timeout: o.Timeout}).DialContext)}
	}
	setCredentials(&o, s.config.Credentials)
	setTLS(&o, s.tls)
	var err error
	if c.client, err = o.Connect(); err != nil {
		return nil, err
	}
	c.stream, err = jetstream.New(c.client, jetstream.WithPublishAsyncMaxPending(maxPending),
		jetstream.WithPublishAsyncTimeout(s.config.Timeout))
	if err != nil {
		c.client.Close()
		return nil, err
	}
	return c, nil
}

// await waits for a connection, but not for long. It reports whether there is one, as far as
// callbacks have said.
func (s *Sink) await(ctx context.Context, c *connection) bool {
	ended, up := c.why.wait()
	if up {
		return true
	}
	timer := time.NewTimer(min(patience, s.config.Timeout/2))
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
	case <-c.closed:
	case <-ctx.Done():
	}
	return false
}

// connected returns nil if there is a connection. If it is patient it waits for one, but not for
// long. Meanwhile the client may block.
func (s *Sink) connected(ctx context.Context, c *connection, patient bool) error {
	limit := time.Duration(0)
	if patient {
		limit = min(patience, s.config.Timeout/2)
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		ended, _ := c.why.wait()
		if c.client.Status() == natsgo.CONNECTED {
			return nil
		}
		select {
		case <-ended:
		case <-timer.C:
			return s.disconnected(c)
		case <-c.closed:
			return s.disconnected(c)
		case <-ctx.Done():
			return errNotSent
		}
	}
}

// disconnected returns why there is no connection.
func (s *Sink) disconnected(c *connection) error {
	why := cmp.Or(c.client.LastError(), c.why.get())
	if s.tls != nil {
		why = errors.Join(why, s.tls.Problem())
	}
	if why == nil {
		return errNotConnected
	}
	return fmt.Errorf("%w: %s", errNotConnected, sink.Quoted(why.Error()))
}

// fenced connects for a client that has a fence.
type fenced struct{ dial secret.DialFunc }

// Dial implements natsgo.CustomDialer.
func (f fenced) Dial(network, address string) (net.Conn, error) {
	return f.dial(context.Background(), network, address)
}

// Option is one of a client of NATS.
type Option = natsgo.Option

// Access returns what gives a client the credentials, and the files of TLS, which may be nil, as they
// are whenever it connects.
func Access(credentials secret.Value, files *secret.TLSFiles) ([]Option, error) {
	tls, err := secret.OpenTLS(files)
	return []Option{func(o *natsgo.Options) error {
		setCredentials(o, credentials)
		setTLS(o, tls)
		return nil
	}}, err
}

// setCredentials makes the client read the credentials for each connection.
func setCredentials(o *natsgo.Options, credentials secret.Value) {
	if credentials.IsZero() {
		return
	}
	read := func() (string, error) {
		text, err := credentials.Read()
		if err == nil && !strings.Contains(text, "BEGIN NATS USER JWT") {
			err = fmt.Errorf("%v is not a credentials file, as nsc makes it", credentials)
		}
		return text, err
	}
	o.UserJWT = func() (string, error) {
		text, err := read()
		if err != nil {
			return "", err
		}
		return nkeys.ParseDecoratedJWT([]byte(text))
	}
	o.SignatureCB = func(nonce []byte) ([]byte, error) {
		text, err := read()
		if err != nil {
			return nil, err
		}
		keys, err := nkeys.ParseDecoratedUserNKey([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("the seed in %v cannot be used: %w", credentials, err)
		}
		defer keys.Wipe()
		return keys.Sign(nonce)
	}
}

// setTLS makes the client use the files as they are when it connects.
func setTLS(o *natsgo.Options, files *secret.TLS) {
	if files == nil {
		return
	}
	now := files.Config()
	o.Secure = true
	o.TLSConfig = &tls.Config{MinVersion: now.MinVersion, ServerName: now.ServerName}
	o.TLSConfig.GetClientCertificate = func(info *tls.CertificateRequestInfo) (
		*tls.Certificate, error) {
		if get := files.Config().GetClientCertificate; get != nil {
			return get(info)
		}
		return &tls.Certificate{}, nil
	}
	o.RootCAsCB = func() (*x509.CertPool, error) { return files.Config().RootCAs, nil }
}
