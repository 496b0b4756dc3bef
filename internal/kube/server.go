package kube

import (
	"errors"
	"net/http"
	"sync/atomic"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer"
)

// Server is an API server, with what asks it. Make one with Connect.
type Server struct {
	Config   *rest.Config // what further clients are made with; Renew sets another one
	Resolver *Resolver
	Client   *informer.Client // of lists and watches
	Asker    *Writer          // about rights, whatever a fence lets pass

	transports []*renewable
}

// Connect returns the server of the options, without connecting to it.
func Connect(o Options) (*Server, error) {
	cfg, err := RESTConfig(o)
	if err != nil {
		return nil, err
	}
	s := &Server{Config: cfg}
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(s.renewable)
	if s.Client, err = informer.NewClient(cfg); err != nil {
		return nil, err
	}
	if s.Resolver, err = NewResolver(cfg); err != nil {
		return nil, err
	}
	s.Asker, err = NewWriter(cfg, nil)
	return s, err
}

// ErrOtherServer is the error of options that name another API server.
var ErrOtherServer = errors.New("it is another API server")

// Renew has the server asked with the credentials of other options from now on. What is under way
// goes on with those of before. Nobody may use Config meanwhile. With an error nothing changes.
func (s *Server) Renew(o Options) error {
	cfg, err := RESTConfig(o)
	switch {
	case err != nil:
		return err
	case cfg.Host != s.Config.Host || cfg.Impersonate.UserName != s.Config.Impersonate.UserName:
		return ErrOtherServer
	}
	all := make([]http.RoundTripper, len(s.transports))
	for i := range all {
		own := rest.CopyConfig(cfg)
		own.Wrap(backoff.Transport)
		if all[i], err = rest.TransportFor(own); err != nil {
			return err
		}
	}
	for i, t := range s.transports {
		before := t.current()
		t.now.Store(&all[i])
		utilnet.CloseIdleConnectionsFor(before)
	}
	s.Config = cfg
	return nil
}

// Close ends the connections that no request uses.
func (s *Server) Close() {
	s.Resolver.CloseIdleConnections()
	s.Client.CloseIdleConnections()
	s.Asker.CloseIdleConnections()
}

// renewable wraps a transport, below the headers with the credentials of the first options.
func (s *Server) renewable(rt http.RoundTripper) http.RoundTripper {
	t := &renewable{first: rt}
	s.transports = append(s.transports, t)
	return t
}

// renewable is a transport with credentials that can be exchanged.
type renewable struct {
	first http.RoundTripper
	now   atomic.Pointer[http.RoundTripper] // nil: the first
}

func (t *renewable) current() http.RoundTripper {
	if now := t.now.Load(); now != nil {
		return *now
	}
	return t.first
}

// RoundTrip implements http.RoundTripper.
func (t *renewable) RoundTrip(req *http.Request) (*http.Response, error) {
	now := t.now.Load()
	if now == nil {
		return t.first.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	req.Header.Del("Authorization") // the first one, which would win
	return (*now).RoundTrip(req)
}

// WrappedRoundTripper lets client-go find the transport below, to close its idle connections.
func (t *renewable) WrappedRoundTripper() http.RoundTripper { return t.current() }
