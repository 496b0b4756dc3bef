package rights

import (
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
)

// Server is an API server that is asked about resources and rights. Make one with Connect.
type Server struct {
	Resolver *kube.Resolver
	writer   *kube.Writer
}

// Connect returns the server of the options, without connecting to it.
func Connect(o kube.Options) (*Server, error) {
	cfg, err := kube.RESTConfig(o)
	if err != nil {
		return nil, err
	}
	resolver, err := kube.NewResolver(cfg)
	if err != nil {
		return nil, err
	}
	writer, err := kube.NewWriter(cfg, nil)
	if err != nil {
		return nil, err
	}
	return &Server{resolver, writer}, nil
}

// Close ends the connections.
func (s *Server) Close() {
	s.Resolver.CloseIdleConnections()
	s.writer.CloseIdleConnections()
}

// Finder returns a finder of a configuration's resources on the server.
func (s *Server) Finder(cfg *config.Config) *Online {
	return &Online{Resolver: s.Resolver, Offline: Offline{Config: cfg}}
}
