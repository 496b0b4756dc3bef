package endpoints

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/net/netutil"

	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/plugins"
)

const (
	maxConnections = 64
	maxHeader      = 16 << 10

	headerTimeout = 5 * time.Second
	// of header and body; nobody reads bodies, but a connection must not wait for one
	readTimeout  = 10 * time.Second
	writeTimeout = time.Minute
	idleTimeout  = 30 * time.Second

	// Together they are the second that Serve may take to stop.
	shutdownGrace = 900 * time.Millisecond // for requests to finish
	closeGrace    = 100 * time.Millisecond // for handlers to notice that their connections are gone
)

// Listener is what the server shows of one listener. Its functions are called by several requests
// at once; those that are nil are left out.
type Listener struct {
	Name     string
	Resource string // as configured
	Route    func() route.Stats
	Buffer   func() informer.SubscriptionStats
	// State is whether it gets its events.
	State func() State
	// Violations are the open ones, and Counts how many there are; both nil if the listener has no
	// rules.
	Violations func() []Violation
	Counts     func() map[Count]int
}

// Server serves what the package's comment says. Set the fields, then call Listen, then Serve, each
// once.
type Server struct {
	Address   string // host:port, a loopback one unless it is for probes
	Cluster   string // the cluster's name, for informerd_cluster_info
	Version   string
	Listeners []Listener
	// Informers gives their present states; nil if there are none.
	Informers func() []informer.Status
	Handlers  func() plugins.HostStats // nil if there are none
	Log       *slog.Logger             // nil: no log
	// Probes says that the server answers anybody, at any address, and has nothing but /livez and
	// /readyz, without data.
	Probes bool

	listener net.Listener
}

// Listen binds the address and gives the one it has become: a port 0 is a number then. Connections
// wait for Serve.
func (s *Server) Listen() (net.Addr, error) {
	if s.listener != nil {
		return nil, errors.New("the HTTP server listens already")
	}
	if err := s.checkAddress(); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", s.Address)
	if err != nil {
		return nil, bindError(s.setting(), s.Address, err)
	}
	if s.Probes {
		s.listener = l
		return l.Addr(), nil
	}
	if err := checkBound(s.Address, l.Addr()); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	s.listener = l
	return l.Addr(), nil
}

func (s *Server) checkAddress() error {
	if s.Probes {
		return checkHostPort("health", s.Address)
	}
	return CheckAddress(s.Address)
}

// setting is what the address is called in a configuration.
func (s *Server) setting() string {
	if s.Probes {
		return "health"
	}
	return "http"
}

// Paths are those that are answered.
func (s *Server) Paths() []string {
	if s.Probes {
		return []string{"/livez", "/readyz"}
	}
	return []string{"/metrics", "/violations", "/livez", "/readyz", "/healthz"}
}

// Close lets go of the address. It is for a server that will not Serve.
func (s *Server) Close() error {
	if s.listener == nil {
		return nil
	}
	return s.listener.Close()
}

// Serve answers requests until ctx is done. The error is nil then.
func (s *Server) Serve(ctx context.Context) error {
	if s.listener == nil {
		return errors.New("the HTTP server was told to serve before it listens")
	}
	return s.serve(ctx, s.listener)
}

// serve owns one goroutine, which accepts connections; net/http makes one for each of these.
func (s *Server) serve(ctx context.Context, l net.Listener) error {
	log := cmp.Or(s.Log, slog.New(slog.DiscardHandler))
	g := s.guard(log)
	server := &http.Server{
		Handler: g, MaxHeaderBytes: maxHeader, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout,
		// What net/http has to say is about connections, which anybody on the machine can make
		// fail, as often as they like.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(netutil.LimitListener(l, maxConnections)) }()
	select {
	case err := <-ended:
		return errors.Join(fmt.Errorf("the HTTP server on %s has ended: %w", l.Addr(), err),
			server.Close())
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		_ = server.Close() // of a listener that Shutdown has closed
	}
	<-ended
	if !g.wait(closeGrace) {
		log.Warn("an HTTP request did not end in time")
	}
	return nil
}
