package endpoints

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink/patch"
	"github.com/informerd/informerd/internal/status"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
)

const (
	// of all clients; more of a probe's server, which has nothing that costs more than a connection
	maxConnections = 256
	maxProbes      = 1024
	maxHeader      = 16 << 10
	maxBody        = 1 << 20

	headerTimeout = 5 * time.Second
	// of header and body; no body is read, but a connection must not wait for one
	readTimeout  = 10 * time.Second
	writeTimeout = time.Minute
	idleTimeout  = 30 * time.Second

	tickInterval = 10 * time.Second

	// Together they are the second that Serve may take to stop.
	shutdownGrace = 900 * time.Millisecond // for requests to finish
	closeGrace    = 100 * time.Millisecond // for handlers to notice that their connections are gone
)

// Listener is what the server shows of one listener. Its functions are called by several requests
// at once; those that are nil are left out.
type Listener struct {
	Name     string
	Shard    string // "" if there is one for all objects
	Cluster  string // "" if there is only one
	Resource string // as configured
	Route    func() route.Stats
	Buffer   func() informer.SubscriptionStats
	// State reports whether it gets its events.
	State func() State
	// Violations are the open ones, and Counts how many there are; both are nil if the listener has
	// no rules.
	Violations func() []rules.Violation
	Counts     func() map[rules.Count]int
}

// Informer is an informer with the cluster that it watches, "" if there is only one.
type Informer struct {
	informer.Status
	Cluster string
}

// Server is the HTTP server. Set the fields, then call Listen, then Serve, each once.
type Server struct {
	Address   string // host:port, a loopback one unless it is for probes
	Cluster   string // the cluster's name, for informerd_cluster_info
	Version   string
	Listeners []Listener
	// Current returns the listeners that there are by now, instead of Listeners. May be nil.
	Current func() []Listener
	// Informers returns their current states; nil if there are none.
	Informers func() []Informer
	Instances func() int64            // of handlers; nil if there are none
	Letters   func() deadletter.Stats // nil if there is no store of dead letters
	Patches   func() patch.Stats      // nil if there are no outputs
	Reload    func() status.Reload    // nil if there are none
	Leads     func() bool             // whether this replica works; nil if there is only one
	// Shards returns how they are divided; nil if they are not. Listeners are in each of them then.
	Shards func() status.Sharding
	// Clusters returns those that are watched, without what is of their informers and listeners; nil
	// if there is only one. Listeners are in each of them then.
	Clusters func() []status.Cluster
	// Requests returns how many were sent to the API server; nil: they are not shown.
	Requests func() map[kube.Result]uint64
	Log      *slog.Logger // nil: no log
	// Stalled returns what has come to a halt, which makes the server not ready, unless it is of one
	// of several clusters; nil: nothing does.
	Stalled func() []status.Stall
	// Checkpoint returns what was kept for a restart; nil if no listener has a checkpoint.
	Checkpoint func() keeper.Stats
	// More are further paths, with what serves GET there. Tick is called when the server begins to
	// serve, and each 10 s from then on. Both may be nil.
	More map[string]http.HandlerFunc
	Tick func()
	// Actions are what changes something, by path. They are only for a user with the right to post
	// to the path, and get a JSON body of at most 1 MiB by POST, which no page of others has sent.
	// Without Access nobody gets there.
	Actions map[string]http.HandlerFunc
	// Access decides who gets an answer; then any address will do, and TLS has to be set. Nil:
	// everybody on this machine.
	Access *kube.Access
	TLS    *tls.Config // with GetCertificate; nil: connections are not encrypted
	Hosts  []string    // further names by which clients reach the server, with Access
	Pprof  bool        // Go's profiles are served as well
	// Probes makes the server answer anybody, at any address. It then has only /livez and /readyz,
	// without data, of Current, Clusters and Stalled.
	Probes bool

	listener net.Listener
}

// listeners returns the listeners that there are.
func (s *Server) listeners() []Listener {
	if s.Current != nil {
		return s.Current()
	}
	return s.Listeners
}

// Listen binds the address and returns it with the number of its port. Connections wait for Serve.
func (s *Server) Listen() (net.Addr, error) {
	if s.listener != nil {
		return nil, errors.New("the HTTP server is already listening")
	}
	if err := s.checkAddress(); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", s.Address)
	if err != nil {
		return nil, bindError(s.setting(), s.Address, err)
	}
	if !s.Probes && s.Access == nil {
		if err := checkBound(s.Address, l.Addr()); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	s.listener = l
	return l.Addr(), nil
}

func (s *Server) checkAddress() error {
	switch {
	case s.Probes:
		return nil
	case s.Access == nil:
		return checkAddress(s.Address)
	case s.TLS == nil:
		return errors.New("tokens must not be sent without TLS")
	}
	return nil
}

// setting returns the part of the configuration that has the address.
func (s *Server) setting() string {
	if s.Probes {
		return "health"
	}
	return "http"
}

// Paths returns the paths that are answered, profiles summed up, and without the files of the page.
func (s *Server) Paths() (paths []string) {
	for _, p := range s.served(nil) {
		if path.Ext(p.path) == "" && (!strings.HasPrefix(p.path, profiles) || p.path == profiles) {
			paths = append(paths, p.path)
		}
	}
	return paths
}

// served is a path with what answers it.
type served struct {
	path   string
	handle http.HandlerFunc
	action bool // it changes something
}

// The verbs of rights to paths.
const (
	verbGet  = "get"
	verbPost = "post"
)

func (s served) verb() string {
	if s.action {
		return verbPost
	}
	return verbGet
}

func (s *Server) served(log *slog.Logger) (all []served) {
	if s.Probes {
		return []served{{path: "/livez", handle: s.livez},
			{path: "/readyz", handle: s.readyWithoutData}}
	}
	add := func(at string, handle http.HandlerFunc, action bool) {
		all = append(all, served{at, handle, action})
	}
	for _, at := range slices.Sorted(maps.Keys(s.More)) {
		add(at, s.More[at], false)
	}
	for _, at := range slices.Sorted(maps.Keys(s.Actions)) {
		add(at, s.Actions[at], true)
	}
	add("/metrics", s.metrics(log), false)
	add("/statusz", s.statusz, false)
	add("/violations", s.violations, false)
	add("/livez", s.livez, false)
	add("/readyz", s.readyz, false)
	add("/healthz", s.healthz, false)
	if s.Pprof {
		all = append(all, profilers()...)
	}
	return all
}

// Close releases the address of a server that will not Serve.
func (s *Server) Close() error {
	if s.listener == nil {
		return nil
	}
	return s.listener.Close()
}

// Serve answers requests until ctx is done. The error is nil then.
func (s *Server) Serve(ctx context.Context) error {
	if s.listener == nil {
		return errors.New("the HTTP server is not listening yet")
	}
	return s.serve(ctx, s.listener)
}

// tick calls Tick until ctx is done, or the server has ended, with its error.
func (s *Server) tick(ctx context.Context, ended <-chan error) error {
	ticker := time.NewTicker(tickInterval)
	defer ticker.Stop()
	for {
		if s.Tick != nil {
			s.Tick()
		}
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// serve owns one goroutine, which accepts connections; net/http starts one for each connection.
func (s *Server) serve(ctx context.Context, l net.Listener) error {
	log := cmp.Or(s.Log, slog.New(slog.DiscardHandler))
	g := s.guard(log)
	visitors := crowd{most: maxConnections}
	if s.Probes {
		visitors.most = maxProbes
	}
	server := &http.Server{
		Handler: g, MaxHeaderBytes: maxHeader, DisableGeneralOptionsHandler: true,
		ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, ConnState: visitors.note,
		// net/http logs failed connections, which anybody on the machine can cause at any rate.
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	server.SetKeepAlivesEnabled(!s.Probes) // one client's requests in a row delay others' probes
	ended := make(chan error, 1)
	if s.TLS != nil {
		l = tls.NewListener(l, s.TLS)
	}
	go func() { ended <- server.Serve(l) }()
	if err := s.tick(ctx, ended); err != nil {
		return errors.Join(fmt.Errorf("the HTTP server on %s has ended: %w", l.Addr(), err),
			server.Close())
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		_ = server.Close() // the error is of a listener that Shutdown has closed
	}
	<-ended
	if !g.wait(closeGrace) {
		log.Warn("an HTTP request did not end in time")
	}
	return nil
}
