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
func (r *supervisor) endpoints(cfg *config.Config) (bound []*endpoints.Server, err error) {
	log := r.log
	defer func() {
		if err != nil {
			for _, s := range bound {
				err = errors.Join(err, s.Close())
			}
		}
	}()
	s := &endpoints.Server{Address: cfg.HTTP.Address, Cluster: cfg.Cluster.Name,
		Informers: r.informers, Log: log, Version: r.options.Version, Reload: r.reloading.last,
		Instances: r.host.Guests, Letters: r.letters.Stats, Patches: r.maker.API.Patches,
		Requests: kube.SentRequests, Stalled: r.stalls.Found,
		Current: func() (shown []endpoints.Listener) {
			for _, l := range r.current() {
				shown = append(shown, r.shown(l))
			}
			return shown
		}}
	if r.keeper != nil {
		s.Checkpoint = r.keeper.Stats
	}
	if cfg.LeaderElection != nil && cfg.Sharding == nil {
		s.Leads = r.leads
	}
	if cfg.Sharding != nil {
		s.Shards = r.sharding
	}
	r.status = s.Status
	r.stalls.Status = s.Status
	if r.fleet == nil {
		r.stalls.Ping = r.home.Resolver.Ping
	} else {
		s.Clusters = r.fleet.status
	}
	if cfg.HTTP.Address != "" {
		var asker sink.KubeAPI
		if r.home != nil {
			asker = r.home.Asker
		}
		if err := s.Configure(cfg, asker); err != nil {
			return bound, err
		}
		r.addPage(s)
		if err := listen(s, log); err != nil {
			return bound, err
		}
		bound = append(bound, s)
	}
	if cfg.Health.Address != "" {
		s := &endpoints.Server{Address: cfg.Health.Address, Probes: true, Log: log,
			Stalled: r.stalls.Found, Clusters: s.Clusters,
			Current: func() (shown []endpoints.Listener) {
				for _, l := range r.current() {
					shown = append(shown, endpoints.Listener{Name: l.name, Cluster: l.cluster,
						Shard: l.shard, State: r.state(l)})
				}
				return shown
			}}
		if err := listen(s, log); err != nil {
			return bound, err
		}
		bound = append(bound, s)
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
