package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// CheckCluster is Check with the configuration's API server: the resources of all informers must
// exist, it must be allowed to list and watch them with their selectors, and expressions must read
// fields that they have. If the configuration names several clusters, and the options none, it is so
// in each of them. The error is a config.Errors if the configuration is to blame, and a
// *rights.Missing if it asks for what the server does not allow.
func CheckCluster(ctx context.Context, cfg *config.Config, o Options) error {
	o.Schemas = nil
	if o.Kubeconfig == "" && o.Context == "" && len(cfg.Clusters) > 0 {
		return checkClusters(ctx, cfg, o)
	}
	if o.Kubeconfig == "" && len(plan.KubeconfigMistakes(cfg)) > 0 { // the server is unknown
		return Check(ctx, cfg, o)
	}
	c, err := connect(cfg, o)
	if err != nil {
		return err
	}
	defer c.close()
	if o.Schemas, err = c.check(ctx, cfg, o, plan.InformersOf(cfg)); err != nil {
		return err
	}
	return Check(ctx, cfg, o)
}

// checkClusters checks the configuration, and what it says of each of its clusters.
func checkClusters(ctx context.Context, cfg *config.Config, o Options) error {
	if err := Check(ctx, cfg, o); err != nil {
		return err
	}
	var all config.Errors
	var missing *rights.Missing
	for name, m := range document.Sorted(cfg.Clusters) {
		c, err := connectTo(name, kube.Options{Kubeconfig: cfg.Path(m.Kubeconfig), Context: m.Context,
			InCluster: m.InCluster, Compression: cfg.Cluster.Compression}, cfg, o)
		if err != nil && m.InCluster { // this machine is not in it
			field := "clusters." + name + ".inCluster"
			note := cfg.ErrorAt(field, field+" is not checked: "+err.Error(), "")
			note.Absent = true
			o.warn(config.Errors{note})
			continue
		}
		if err == nil {
			err = c.checkMember(ctx, cfg, o, m)
			c.close()
		}
		var mistakes config.Errors
		if err != nil && !errors.As(err, &mistakes) {
			return fmt.Errorf("cluster %s: %w", name, err)
		}
		errors.As(err, &missing)
		for _, mistake := range mistakes {
			if mistake.Line > 0 { // the last one may be about all of them
				mistake.Message = "cluster " + name + ": " + mistake.Message
				all = append(all, mistake)
			}
		}
	}
	switch all = plan.NotLoaded(cfg, all); {
	case missing != nil:
		return &rights.Missing{Errors: all}
	case len(all) > 0:
		return all
	}
	return nil
}

// checkMember checks what the configuration says of one of several clusters.
func (c *cluster) checkMember(ctx context.Context, cfg *config.Config, o Options, m *config.Member) error {
	here := *cfg
	here.Listeners = maps.Clone(cfg.Listeners)
	maps.DeleteFunc(here.Listeners, func(_ string, l *config.Listener) bool {
		return !l.Informer().In(c.name, m.Labels)
	})
	schemas, err := c.check(ctx, &here, o, slices.DeleteFunc(plan.InformersOf(&here),
		func(inf plan.PlacedInformer) bool { return !inf.In(c.name, m.Labels) }))
	if err != nil {
		return err
	}
	if _, mistakes := plan.Compile(&here, schemas); len(mistakes) > 0 {
		return mistakes
	}
	return nil
}

// check checks informers, and returns the schemas of their resources.
func (c *cluster) check(ctx context.Context, cfg *config.Config, o Options,
	informers []plan.PlacedInformer) (plan.Schemas, error) {
	schemas := map[string]*filters.Schema{} // by the names of the configuration
	sets := map[schema.GroupVersion]*openapi.Set{}
	var mistakes config.Errors
	asked := rights.New(c.Client, cfg)
	for _, inf := range informers {
		found, err := c.resolve(ctx, inf.Informer)
		if errors.As(err, new(*kube.UnreachableError)) || ctx.Err() != nil ||
			apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) { // nothing of that is about the informer
			return nil, err
		}
		if err != nil {
			mistakes = append(mistakes, cfg.ErrorAt(inf.Field+".resource", err.Error(), ""))
			continue
		}
		if err := asked.Try(ctx, inf, found); err != nil {
			return nil, err
		}
		gv := found.GVR.GroupVersion()
		if _, parsed := sets[gv]; !parsed {
			if sets[gv], err = c.schemas(ctx, gv, o.Log); err != nil {
				return nil, err
			}
		}
		schemas[inf.Resource], _ = sets[gv].LookupGVR(found.GVR.Group, found.GVR.Version,
			found.GVR.Resource)
	}
	if err := asked.Err(mistakes); err != nil {
		return nil, err
	}
	return func(resource string) *filters.Schema { return schemas[resource] }, nil
}

// schemas returns those of a group version, an empty set if the server does not publish them.
func (c *cluster) schemas(ctx context.Context, gv schema.GroupVersion,
	log *slog.Logger) (*openapi.Set, error) {
	document, err := c.Resolver.OpenAPI(ctx, gv)
	if errors.As(err, new(*kube.UnpublishedSchemaError)) {
		log.Warn("the fields in expressions are not checked", "error", err)
		return &openapi.Set{}, nil
	}
	if err != nil {
		return nil, err
	}
	set, err := openapi.Parse(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", gv, err)
	}
	return set, nil
}
