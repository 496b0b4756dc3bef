package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// CheckCluster is Check with the configuration's API server: the resources of all informers must
// exist, it must be allowed to list and watch them with their selectors, and expressions must read
// fields that they have. The error is a config.Errors if the
// configuration is to blame, and a *rights.Missing if it asks for what the server does not allow.
func CheckCluster(ctx context.Context, cfg *config.Config, o Options) error {
	o.Schemas = nil
	if o.Kubeconfig == "" && len(plan.KubeconfigMistakes(cfg)) > 0 { // the server is unknown
		return Check(ctx, cfg, o)
	}
	c, err := connect(cfg, o)
	if err != nil {
		return err
	}
	defer c.close()
	schemas := map[string]*filters.Schema{} // by the names of the configuration
	sets := map[schema.GroupVersion]*openapi.Set{}
	var mistakes config.Errors
	asked := rights.New(c.Client, cfg)
	for _, inf := range plan.InformersOf(cfg) {
		found, err := c.resolve(ctx, inf.Informer)
		if errors.As(err, new(*kube.UnreachableError)) || ctx.Err() != nil ||
			apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) { // nothing of that is about the informer
			return err
		}
		if err != nil {
			mistakes = append(mistakes, cfg.ErrorAt(inf.Field+".resource", err.Error(), ""))
			continue
		}
		if err := asked.Try(ctx, inf, found); err != nil {
			return err
		}
		gv := found.GVR.GroupVersion()
		if _, parsed := sets[gv]; !parsed {
			if sets[gv], err = c.schemas(ctx, gv, o.Log); err != nil {
				return err
			}
		}
		schemas[inf.Resource], _ = sets[gv].LookupGVR(found.GVR.Group, found.GVR.Version,
			found.GVR.Resource)
	}
	if err := asked.Err(mistakes); err != nil {
		return err
	}
	o.Schemas = func(resource string) *filters.Schema { return schemas[resource] }
	return Check(ctx, cfg, o)
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
