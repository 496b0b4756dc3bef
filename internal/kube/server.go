package kube

import (
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer"
)

// Server is an API server, with what asks it. Make one with Connect.
type Server struct {
	Config   *rest.Config
	Resolver *Resolver
	Client   *informer.Client // of lists and watches
	Asker    *Writer          // about rights, whatever a fence lets pass
}

// Connect returns the server of the options, without connecting to it.
func Connect(o Options) (*Server, error) {
	cfg, err := RESTConfig(o)
	if err != nil {
		return nil, err
	}
	client, err := informer.NewClient(cfg)
	if err != nil {
		return nil, err
	}
	resolver, err := NewResolver(cfg)
	if err != nil {
		return nil, err
	}
	asker, err := NewWriter(cfg, nil)
	if err != nil {
		return nil, err
	}
	return &Server{cfg, resolver, client, asker}, nil
}

// Close ends the connections that no request uses.
func (s *Server) Close() {
	s.Resolver.CloseIdleConnections()
	s.Client.CloseIdleConnections()
	s.Asker.CloseIdleConnections()
}
