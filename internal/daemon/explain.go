package daemon

import (
	"context"
	"log/slog"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/explain"
	"github.com/informerd/informerd/internal/plan"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Explainer runs single events through the listeners of a configuration, which it sets up as in a
// dry run. Close it.
type Explainer struct {
	runtime *runtime
	setups  map[string]*setup
	at      place // whose cluster is named, also if that is the only one
}

// NewExplainer returns an explainer of the listeners of one of the configuration's clusters, which it
// has; "" is that of cluster. The error is a config.Errors if the configuration is to blame.
func NewExplainer(ctx context.Context, cfg *config.Config, schemas plan.Schemas, cluster string) (
	*Explainer, error) {
	p, mistakes := plan.Compile(cfg, schemas)
	if len(mistakes) > 0 {
		return nil, plan.NotLoaded(cfg, mistakes)
	}
	cfg.ForDryRun()
	r, err := open(ctx, cfg, Options{Log: slog.New(slog.DiscardHandler),
		DryRun: &sink.DryRun{}})
	if err != nil {
		return nil, err
	}
	r.plan, r.outputs = p, newOutputs(p, nil)
	at := place{cluster: cfg.Cluster.Name}
	if cluster != "" {
		at = place{cluster: cluster, labels: cfg.Clusters[cluster].Labels}
		p.Listeners = p.In(at.cluster, at.labels)
	}
	return &Explainer{r, map[string]*setup{}, at}, nil
}

// Close closes the handlers.
func (x *Explainer) Close(ctx context.Context) error { return x.runtime.close(ctx) }

// Listener returns a listener of the cluster, nil if there is none.
func (x *Explainer) Listener(name string) *plan.Listener {
	for _, l := range x.runtime.plan.Listeners {
		if l.Config.Name == name {
			return l
		}
	}
	return nil
}

// Explain runs an event through a listener, which finds objects of other informers in lookups.
func (x *Explainer) Explain(ctx context.Context, name string, lookups *explain.Lookups,
	e event.Event) (*explain.Answer, error) {
	r, l := x.runtime, x.Listener(name)
	s := x.setups[name]
	if s == nil {
		var mistakes config.Errors
		if s, mistakes = r.newSetup(ctx, r.plan.Config, l, making{outputs: r.outputs}); len(mistakes) > 0 {
			return nil, plan.NotLoaded(r.plan.Config, mistakes)
		}
		x.setups[name] = s
	}
	s.caches.given, s.caches.cluster = lookups, x.at.cluster
	p := s.pipeline()
	var err error
	if p.Messages, err = messagesOf(x.at, l.Config, e); err != nil {
		return nil, err
	}
	return explain.Run(ctx, explain.Listener{Plan: r.plan, Listener: l, Pipeline: p}, e)
}

// messagesOf returns what makes a listener's messages where no API server says what its resource
// is.
func messagesOf(at place, l *config.Listener, e event.Event) (*cloudevent.Builder, error) {
	name := openapi.Name{Kind: e.Object.Kind(), Group: openapi.GroupOf(e.Object.APIVersion())}
	name.Resource, _, _ = strings.Cut(strings.ToLower(l.Informer().Resource), ".")
	set, err := openapi.Builtin()
	if err != nil {
		return nil, err
	}
	if known, ok := set.FindKind(e.Object.APIVersion(), e.Object.Kind()); ok {
		name = known
	}
	version := e.Object.APIVersion()
	return cloudevent.NewBuilder(sink.Origin{Cluster: at.cluster, ClusterLabels: at.labels,
		Listener: l.Name, Resource: strings.TrimSuffix(name.Resource+"."+name.Group, "."), Group: name.Group,
		Version: version[strings.LastIndex(version, "/")+1:], Plural: name.Resource,
		Kind: name.Kind})
}

// explain runs an event that the listener had through its route again, up to its handler.
func (l *listener) explain(p *plan.Plan, e event.Event) (*explain.Answer, error) {
	now := l.setup()
	of := explain.Listener{Plan: p, Listener: now.Listener, Pipeline: now.pipeline()}
	if of.Pipeline.Handler != nil {
		of.Pipeline.Handler, of.UpToHandler = nil, true
	}
	return explain.Run(now.life, of, e)
}
