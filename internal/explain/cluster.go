package explain

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/informer"
)

// Cluster reads objects as a configuration's informers would get them, with the right to list them.
type Cluster struct {
	*kube.Server
	listed map[*config.Informer][]config.Object
}

// Connect connects to the API server of a configuration, or of that of its clusters which is named.
// Kubeconfig and context, if set, win over the configuration's. The caller closes the cluster.
func Connect(cfg *config.Config, cluster, kubeconfig, context, version string) (*Cluster, error) {
	mistakes, opts := plan.HomeMistakes(cfg), plan.Connection(cfg, kubeconfig, context)
	if m := cfg.Clusters[cluster]; m != nil {
		mistakes, opts.Context = plan.MemberMistakes(cfg, cluster), cmp.Or(context, m.Context)
		if kubeconfig == "" {
			opts.Kubeconfig, opts.InCluster = cfg.Path(m.Kubeconfig), m.InCluster
		}
	}
	if kubeconfig == "" && len(mistakes) > 0 {
		return nil, mistakes
	}
	opts.Version, opts.Logger = version, slog.New(slog.DiscardHandler)
	server, err := kube.Connect(opts)
	if err != nil {
		return nil, err
	}
	return &Cluster{server, map[*config.Informer][]config.Object{}}, nil
}

// resolve finds the resource of an informer.
func (c *Cluster) resolve(ctx context.Context, inf *config.Informer) (kube.Resource, error) {
	found, err := c.Resolver.Resolve(ctx, inf.Resource)
	if err == nil {
		err = found.CheckSecrets(inf.Resource, inf.AllowSecrets)
	}
	return found, err
}

// Object reads an object that a listener's informer may watch. It is none if the informer is of
// another resource.
func (c *Cluster) Object(ctx context.Context, inf *config.Informer, ref kube.Reference) (
	o config.Object, is bool, err error) {
	o.At = ref.String()
	asked, err := c.Resolver.Resolve(ctx, ref.Resource)
	if err != nil {
		return o, false, fmt.Errorf("%s: %w", ref, err)
	}
	found, err := c.resolve(ctx, inf)
	switch {
	case err != nil:
		return o, false, fmt.Errorf("%s: %w", ref, err)
	case asked.GVR.GroupResource() != found.GVR.GroupResource():
		return o, false, nil
	case found.Namespaced != (ref.Namespace != ""):
		at := map[bool]string{true: "/NAMESPACE/NAME", false: "/NAME"}[found.Namespaced]
		return o, false, fmt.Errorf("%s: write %s", ref, ref.Resource+at)
	}
	scope := informer.Scope{Namespace: ref.Namespace,
		FieldSelector: fields.OneTermEqualSelector("metadata.name", ref.Name).String()}
	err = each(ctx, c.Client, found, scope, func(item []byte) { o.JSON = item })
	switch {
	case err != nil:
		return o, false, fmt.Errorf("%s: %w", ref, err)
	case o.JSON == nil:
		return o, false, fmt.Errorf("%s: there is no such object on %s", ref, c.Resolver.Server())
	}
	return o, true, nil
}

// Everything lists what an informer would watch, once.
func (c *Cluster) Everything(ctx context.Context, inf *config.Informer) ([]config.Object, error) {
	if all, listed := c.listed[inf]; listed {
		return all, nil
	}
	found, err := c.resolve(ctx, inf)
	if err != nil {
		return nil, err
	}
	all := []config.Object{}
	for _, scope := range plan.ScopesOf(inf) {
		if err := each(ctx, c.Client, found, scope, func(item []byte) {
			all = append(all, config.Object{At: "an object of " + inf.Resource, JSON: item})
		}); err != nil {
			return nil, err
		}
	}
	c.listed[inf] = all
	return all, nil
}
