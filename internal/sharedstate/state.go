package sharedstate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/informerd/informerd/internal/backoff"
)

// ErrStale is the error of a hold whose part another one has taken over.
var ErrStale = errors.New("another one has the part by now")

var errClosed = errors.New("the shared state is closed")

const (
	// patience is how long an answer is awaited.
	patience = 5 * time.Second
	// maxDial bounds one attempt to connect. The client can be used for nothing else meanwhile.
	maxDial = 2 * time.Second
	// pingInterval is how often a quiet connection is tried. After two pings without an answer it
	// is given up.
	pingInterval = 2 * time.Second
	// remind is how often it is said that what is tried again still fails.
	remind = time.Minute
)

// reconnects are the delays between rounds through the servers, and repeats those before something
// is tried again that another one was in the way of.
var (
	reconnects = backoff.Backoff{Min: 100 * time.Millisecond, Max: time.Second}
	repeats    = backoff.Backoff{Min: 2 * time.Millisecond, Max: 20 * time.Millisecond}
)

// Config is what a State needs to know.
type Config struct {
	// URL names one or several servers, with commas between them.
	URL string
	// Options are the client's credentials and TLS. How it connects again is the State's business.
	Options []natsgo.Option
	// Bucket is the name of the bucket, of which that of the stream of letters is made.
	Bucket string
	// Replicas are how many a stream has that is made here, and has at least if it is there.
	Replicas int
	// Log takes what happens to the connection; default is slog.Default().
	Log *slog.Logger
}

// State is a connection to what replicas share. Make one with Open, and Close it. It is safe for
// concurrent use.
type State struct {
	config Config
	client atomic.Pointer[natsgo.Conn]
	life   context.Context // ends with Close
	end    context.CancelFunc

	mu     sync.Mutex // guards closed, and against calls that begin after it
	closed bool
	calls  sync.WaitGroup
}

var bucketName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}$`)

// Open connects and makes the streams that are missing. It tries again until ctx is done, unless a
// server says that it is no use, and logs why it has to.
func Open(ctx context.Context, config Config) (*State, error) {
	if !bucketName.MatchString(config.Bucket) {
		return nil, fmt.Errorf("shared state: the bucket %.100q is no name of letters, digits, - and _",
			config.Bucket)
	}
	config.Log = cmp.Or(config.Log, slog.Default())
	s := &State{config: config}
	s.life, s.end = context.WithCancel(context.Background())
	if err := s.open(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("shared state: %w", err)
	}
	return s, nil
}

func (s *State) open(ctx context.Context) error {
	client, closed, err := s.connect()
	if err != nil {
		return err
	}
	s.client.Store(client)
	if err := s.begin(func() { s.run(client, closed) }); err != nil {
		return err
	}
	if err := s.asset(ctx, s.values(), "$KV."+s.config.Bucket+".>"); err != nil {
		return err
	}
	return s.asset(ctx, s.letters(), s.letters()+".>")
}

// values and letters are the streams.
func (s *State) values() string  { return "KV_" + s.config.Bucket }
func (s *State) letters() string { return s.config.Bucket + "-letters" }

// run owns the client until Close, and makes another one if it is closed by an error that it does
// not know.
func (s *State) run(client *natsgo.Conn, closed <-chan struct{}) {
	for failures := 1; ; failures++ {
		select {
		case <-closed:
		case <-s.life.Done():
			client.Close()
			<-closed
			return
		}
		s.config.Log.Error("the connection of the shared state was closed", "error", client.LastError())
		if backoff.Sleep(s.life, backoff.Early(reconnects.Delay(failures))) != nil {
			return
		}
		if again, ended, err := s.connect(); err == nil {
			client, closed = again, ended
			s.client.Store(client)
		}
	}
}

// connect makes a client, which goes on to connect if it cannot at once.
func (s *State) connect() (client *natsgo.Conn, closed <-chan struct{}, err error) {
	ended := make(chan struct{})
	log := s.config.Log
	var told time.Time // that there is no connection; the client calls back from one goroutine
	options := append([]natsgo.Option{natsgo.Name("informerd")}, s.config.Options...)
	client, err = natsgo.Connect(s.config.URL, append(options, natsgo.Timeout(maxDial),
		natsgo.RetryOnFailedConnect(true), natsgo.MaxReconnects(-1), natsgo.IgnoreAuthErrorAbort(),
		natsgo.ReconnectBufSize(-1), // nothing is kept to be sent later
		natsgo.CustomReconnectDelay(func(round int) time.Duration {
			return backoff.Early(reconnects.Delay(round))
		}),
		natsgo.FlusherTimeout(patience), natsgo.ReconnectOnFlusherError(),
		natsgo.PingInterval(pingInterval),
		natsgo.DisconnectErrHandler(func(_ *natsgo.Conn, err error) {
			if s.life.Err() == nil {
				log.Warn("the shared state has no connection", "error", err)
			}
			told = time.Now()
		}),
		natsgo.ReconnectErrHandler(func(_ *natsgo.Conn, err error) {
			// At first it may be said that there are no servers: the next attempt says why.
			if s.life.Err() == nil && time.Since(told) >= remind && !errors.Is(err, natsgo.ErrNoServers) {
				log.Warn("the shared state cannot connect; will try again", "error", err)
				told = time.Now()
			}
		}),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) {
			log.Warn("the servers report an error to the shared state", "error", err)
		}),
		natsgo.ReconnectHandler(func(*natsgo.Conn) { log.Info("the shared state is connected again") }),
		natsgo.ClosedHandler(func(*natsgo.Conn) { close(ended) }))...)
	return client, ended, err
}

// Close ends the connection and all calls, and waits for them. It may be called again.
func (s *State) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.calls.Wait()
}

// begin runs f in a goroutine that Close waits for.
func (s *State) begin(f func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	s.calls.Go(f)
	return nil
}

// call returns what f does, which may block while the client connects, or ctx's error: then f is
// left to end by itself.
func call[T any](ctx context.Context, s *State, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errNoAnswer)
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	done := make(chan result, 1)
	var r result
	if r.err = s.begin(func() {
		value, err := f(ctx)
		done <- result{value, err}
	}); r.err != nil {
		return r.value, r.err
	}
	select {
	case r = <-done:
	case <-ctx.Done():
		r.err = context.Cause(ctx)
	}
	if r.err != nil && s.life.Err() != nil {
		r.err = errClosed
	}
	return r.value, r.err
}

// errNoAnswer is a time-out of this package, so that it is told from the callers' own.
var errNoAnswer = fmt.Errorf("there was no answer within %v: %w", patience,
	context.DeadlineExceeded)

// Secret returns what is kept by a name, for all replicas the same: what make returns, if nobody
// was earlier. It may call make more than once.
func (s *State) Secret(ctx context.Context, name string, make func() []byte) ([]byte, error) {
	subject := "$KV." + s.config.Bucket + "." + token("s", name)
	secret, err := call(ctx, s, func(ctx context.Context) ([]byte, error) {
		for failures := 1; ; failures++ {
			last, err := s.last(ctx, s.values(), subject)
			if err != nil {
				return nil, err
			}
			if last.sequence > 0 && last.Header.Get(operation) == "" {
				return last.Data, nil
			}
			m := newMessage(subject, make())
			expect(m, last.sequence, subject)
			if _, err = s.publish(ctx, []*natsgo.Msg{m}); err == nil {
				return m.Data, nil
			}
			if !isInTheWay(err) {
				return nil, err
			}
			if err := backoff.Sleep(ctx, backoff.Early(repeats.Delay(failures))); err != nil {
				return nil, err
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("shared state: secret %.100q: %w", name, err)
	}
	return secret, nil
}
