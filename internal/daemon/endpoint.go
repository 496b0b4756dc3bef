package daemon

import (
	"errors"
	"log/slog"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/endpoints"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
)

// endpoints binds the addresses on which the daemon answers, so that an address that cannot be used
// is reported before anything runs.
func (s *supervisor) endpoints(cfg *config.Config) (bound []*endpoints.Server, err error) {
	log := s.log
	defer func() {
		if err != nil {
			for _, server := range bound {
				err = errors.Join(err, server.Close())
			}
		}
	}()
	server := &endpoints.Server{Address: cfg.HTTP.Address, Cluster: cfg.Cluster.Name,
		Informers: s.informers, Log: log, Version: s.options.Version, Reload: s.reloading.last,
		Instances: s.host.Guests, Letters: s.letters.Stats, Patches: s.maker.API.Patches,
		Requests: kube.SentRequests, Stalled: s.stalls.Found,
		Current: func() (shown []endpoints.Listener) {
			for _, l := range s.current() {
				shown = append(shown, s.shown(l))
			}
			return shown
		}}
	if s.keeps() {
		server.Checkpoint = s.checkpoint
	}
	if cfg.LeaderElection != nil && cfg.Sharding == nil {
		server.Leads = s.leads
	}
	if cfg.Sharding != nil {
		server.Shards = s.sharding
	}
	s.status = server.Status
	s.stalls.Status = server.Status
	if s.fleet == nil {
		s.stalls.Ping = s.home.Resolver.Ping
	} else {
		server.Clusters = s.fleet.status
	}
	if cfg.HTTP.Address != "" {
		var asker sink.KubeAPI
		if s.home != nil {
			asker = s.home.Asker
		}
		if err := server.Configure(cfg, asker); err != nil {
			return bound, err
		}
		s.addPage(server)
		if err := listen(server, log); err != nil {
			return bound, err
		}
		bound = append(bound, server)
	}
	if cfg.Health.Address != "" {
		server := &endpoints.Server{Address: cfg.Health.Address, Probes: true, Log: log,
			Stalled: s.stalls.Found, Clusters: server.Clusters, Shards: server.Shards,
			Current: func() (shown []endpoints.Listener) {
				for _, l := range s.current() {
					shown = append(shown, endpoints.Listener{Name: l.name, Cluster: l.cluster,
						Shard: l.shard, State: s.state(l)})
				}
				return shown
			}}
		if err := listen(server, log); err != nil {
			return bound, err
		}
		bound = append(bound, server)
	}
	return bound, nil
}

func listen(s *endpoints.Server, log *slog.Logger) error {
	at, err := s.Listen()
	if err == nil {
		log.Info("answering requests", "address", at.String(), "paths", s.Paths())
	}
	return err
}

// informers returns all informers as they are.
func (s *supervisor) informers() (all []endpoints.Informer) {
	for _, c := range s.clusters() {
		factories := []*informer.Factory{c.factory}
		for _, one := range s.workingIn(c) {
			if one.factory != c.factory {
				factories = append(factories, one.factory)
			}
		}
		for _, f := range factories {
			for _, in := range f.Status() {
				shown := endpoints.Informer{Status: in}
				if c.membership != nil {
					shown.Cluster = c.name
				}
				all = append(all, shown)
			}
		}
	}
	return all
}

// shown returns what the endpoints show of a listener.
func (r *runtime) shown(l *listener) endpoints.Listener {
	now := l.setup()
	shown := endpoints.Listener{
		Name: l.name, Cluster: l.cluster, Shard: l.shard, Resource: now.Config.Informer().Resource, Route: l.route.Stats,
		Buffer: l.subscription.Stats, State: r.state(l),
	}
	if book := now.book(); book != nil {
		shown.Violations, shown.Counts = book.Open, book.Counts
	}
	return shown
}

// state returns what reports whether a listener gets its events, or would if this replica worked.
func (r *runtime) state(l *listener) func() endpoints.State {
	return func() (s endpoints.State) {
		switch leads, starting := r.standing(); {
		case leads:
			s = l.health.State()
		case starting != "":
			s.Starting = []string{"this replica stands by: " + starting}
		}
		return s
	}
}

// standing returns whether this replica is the one that works, or else what it still waits for.
func (r *runtime) standing() (leads bool, starting string) {
	if replica := r.replica.Load(); replica != nil {
		return replica.Leads()
	}
	return true, ""
}

// leads reports whether this replica is the one that works, of several.
func (r *runtime) leads() bool {
	leads, _ := r.standing()
	return leads && r.replica.Load() != nil
}
