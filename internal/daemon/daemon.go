package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/filewatch"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/definitions"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/pkg/informer"
)

// Options are what a daemon needs besides its configuration.
type Options struct {
	// Kubeconfig and Context, if set, win over the configuration's.
	Kubeconfig, Context string
	Version             string
	Stdout              io.Writer // of the stdout output, and nothing else; nil: nowhere
	Log                 *slog.Logger
	Schemas             plan.Schemas // what fields expressions may read; nil: any
	// Load reads the configuration again. Nil: it cannot be reloaded.
	Load func() (*config.Config, error)
	// Files has watched the files of the configuration since before it was read, so that a change
	// of them meanwhile is not missed. Nil: they are watched from now on.
	Files *filewatch.Watcher
	// Hangup has a value for each time that the configuration is to be reloaded. May be nil.
	Hangup <-chan struct{}
	// Forget has everything begin as without a checkpoint, and removes the one there is.
	Forget bool
	// Once, if set, has Run end by itself.
	Once *Once
	// Progress, if set, is called when informers begin, with their states. It ends with its ctx.
	Progress func(ctx context.Context, informers func() []informer.Status)
	// DryRun shows what outputs would send. Nothing is sent or kept. Nil: outputs send.
	DryRun *sink.DryRun
	// Warned receives from Check and CheckCluster what is legal and suspicious. Nil: it is logged.
	Warned func(config.Error)
	// Noted receives what the configuration names and this machine does not have, such as the
	// variables of secrets. Nil: it is a warning.
	Noted func(config.Error)

	// running: the runtime is a daemon's. Commands that only look at a configuration leave the
	// state alone, since a running daemon may have it open.
	running bool
	fence   *sink.Fence // of the outputs that write to the cluster; nil: none
}

// Run runs a configuration until ctx is done, then stops in order. The error is a config.Errors if
// the configuration is to blame, and nil if everything was stopped because ctx was done.
func Run(ctx context.Context, cfg *config.Config, o Options) error {
	if o.DryRun != nil {
		cfg.ForDryRun()
		if load := o.Load; load != nil {
			o.Load = func() (*config.Config, error) {
				cfg, err := load()
				if err == nil {
					cfg.ForDryRun()
				}
				return cfg, err
			}
		}
	}
	o.running, o.Warned, o.Noted = true, nil, nil // what is suspicious is logged
	r, err := build(ctx, cfg, o)
	switch {
	case err != nil && ctx.Err() != nil && !errors.As(err, new(config.Errors)):
		return nil // stopped before it began
	case err != nil:
		return err
	}
	o.fence = r.fence
	var c *cluster
	if !cfg.Fleet() || needsHome(cfg) {
		c, err = connect(cfg, o)
	}
	if err == nil {
		err = r.run(ctx, c, o)
	}
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.Shutdown.Close.Duration)
	defer cancel()
	if closeErr := r.close(closing); closeErr != nil {
		// Unfinished events have been counted; being stopped is not a failure of the daemon.
		o.Log.Warn("not everything could be closed in time", "error", closeErr)
	}
	if c != nil {
		c.close()
	}
	return err
}

// needsHome reports whether a configuration with several clusters needs the one that informerd
// belongs to.
func needsHome(cfg *config.Config) bool {
	return cfg.LeaderElection != nil || cfg.HTTP.Auth != "" || slices.ContainsFunc(cfg.ClustersFrom,
		func(from config.ClustersFrom) bool { return from.Secrets != nil })
}

// cluster is an API server and the informers that watch it.
type cluster struct {
	*kube.Server
	name        string
	labels      map[string]string // of one of several
	writer      *kube.Writer      // of outputs
	election    *lease.Client     // of replicas
	account     kube.Account      // that informerd runs as
	factory     *informer.Factory // of what is looked up and, unless replicas share them, of all objects
	definitions *definitions.Watch
	renewer     *definitions.Renewer
	fields      *fieldChecker
	membership  *membership // nil if there are not several
}

// close ends the connections, once nobody uses them any more.
func (c *cluster) close() {
	c.Close()
	c.writer.CloseIdleConnections()
}

// connect returns the cluster that informerd belongs to, to which nothing is sent yet.
func connect(cfg *config.Config, o Options) (*cluster, error) {
	return connectTo(cfg.Cluster.Name, plan.Connection(cfg, o.Kubeconfig, o.Context), cfg, o)
}

// connectTo returns the cluster of a connection.
func connectTo(name string, opts kube.Options, cfg *config.Config, o Options) (*cluster, error) {
	opts.Version, opts.Logger = o.Version, o.Log
	server, err := kube.Connect(opts)
	if err != nil {
		return nil, err
	}
	writer, err := kube.NewWriter(server.Config, o.fence)
	if err != nil {
		return nil, err
	}
	var election *lease.Client
	if cfg.LeaderElection != nil {
		if election, err = lease.NewClient(server.Config); err != nil {
			return nil, err
		}
	}
	c := &cluster{
		Server: server, name: name, writer: writer, fields: newFieldChecker(o.Log, o.Schemas),
		election: election, account: kube.AccountOf(server.Config),
		definitions: definitions.New(server.Client, o.Log),
	}
	c.renewer = &definitions.Renewer{Resolver: server.Resolver, Watch: c.definitions}
	c.factory = c.newFactory(o.Log)
	return c, nil
}

// newFactory returns a factory that runs nothing yet.
func (c *cluster) newFactory(log *slog.Logger) *informer.Factory {
	f := informer.NewFactory(c.Client, log)
	f.Renew, f.OnFreed = c.renewer.Renew, CollectFreed
	return f
}
