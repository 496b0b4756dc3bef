package daemon

import (
	"log/slog"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/endpoints"
)

// endpoint binds the address on which the daemon answers, so that what is wrong with it is known before anything runs. It is
// nil if the configuration has none.
func (p *parts) endpoint(cfg *config.Config, c *cluster, version string, log *slog.Logger) (*endpoints.Server, error) {
	if cfg.HTTP.Address == "" {
		return nil, nil
	}
	s := &endpoints.Server{
		Address: cfg.HTTP.Address, Cluster: c.name, Informers: c.factory.Status, Log: log, Version: version,
	}
	for _, l := range p.listeners {
		shown := endpoints.Listener{
			Name: l.cfg.Name, Resource: l.cfg.Informer().Resource, Route: l.route.Stats, Buffer: l.buffer.Stats,
		}
		if book := l.route.Rules; book != nil {
			shown.Violations, shown.Counts = book.Open, book.Counts
			shown.RuleErrors = func() uint64 { return l.route.Stats().RuleErrors }
		}
		s.Listeners = append(s.Listeners, shown)
	}
	at, err := s.Listen()
	if err != nil {
		return nil, err
	}
	log.Info("answering requests", "address", at.String(), "paths", []string{"/metrics", "/violations", "/healthz"})
	return s, nil
}
