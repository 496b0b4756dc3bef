// Package live reads objects of a cluster, as a configuration's informers would get them. It needs
// the connection that the configuration has, and only the rights to list that the informers need,
// but to try out what an object becomes.
package live

import (
	"context"
	"fmt"
	"log/slog"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/lists"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/apiserver"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/pkg/informer"
)

// Options say how to connect.
type Options struct {
	Kubeconfig, Context string // instead of the configuration's
	Version             string // of informerd
}

// Cluster is an API server.
type Cluster struct {
	cfg      *config.Config
	resolver *kube.Resolver
	client   *informer.Client
	writer   *kube.Writer // for what is tried out
	listed   map[*config.Informer][]plan.ObjectFile
}

// Connect connects to the API server of a configuration. The error is a config.Errors if the
// kubeconfig that the configuration names is not there. The caller closes the cluster.
func Connect(cfg *config.Config, o Options) (*Cluster, error) {
	if mistakes := apiserver.KubeconfigMistakes(cfg); o.Kubeconfig == "" && len(mistakes) > 0 {
		return nil, mistakes
	}
	opts := apiserver.Connection(cfg, o.Kubeconfig, o.Context)
	opts.Version, opts.Logger = o.Version, slog.New(slog.DiscardHandler)
	rest, err := kube.RESTConfig(opts)
	if err != nil {
		return nil, err
	}
	client, err := informer.NewClient(rest)
	if err != nil {
		return nil, err
	}
	resolver, err := kube.NewResolver(rest)
	if err != nil {
		return nil, err
	}
	writer, err := kube.NewWriter(rest, nil)
	if err != nil {
		return nil, err
	}
	return &Cluster{cfg, resolver, client, writer, map[*config.Informer][]plan.ObjectFile{}}, nil
}

// Close ends the connections.
func (c *Cluster) Close() {
	c.client.CloseIdleConnections()
	c.resolver.CloseIdleConnections()
	c.writer.CloseIdleConnections()
}

// Lookups returns what the listener's expressions look up in informers, but for those given. Each
// informer is listed once.
func (c *Cluster) Lookups(ctx context.Context, l *config.Listener,
	given map[string][]plan.ObjectFile) (map[string][]plan.ObjectFile, error) {
	all := map[string][]plan.ObjectFile{}
	for _, name := range plan.ExpressionLookups(c.cfg, l) {
		inf := l.Informers()[name]
		found, ok := given[name]
		if !ok {
			found, ok = c.listed[inf]
		}
		if !ok {
			var err error
			if found, err = c.everything(ctx, name, inf); err != nil {
				return nil, fmt.Errorf("listener %q looks objects up in %s: %w", l.Name, name, err)
			}
			c.listed[inf] = found
		}
		all[name] = found
	}
	return all, nil
}

// resolve finds the resource of an informer and checks it against the informer's settings.
func (c *Cluster) resolve(ctx context.Context, inf *config.Informer) (kube.Resource, error) {
	found, err := c.resolver.Resolve(ctx, inf.Resource)
	if err != nil {
		return kube.Resource{}, err
	}
	if found.IsSecrets() && !inf.AllowSecrets {
		return kube.Resource{},
			fmt.Errorf("%q are Secrets: set allowSecrets: true in the informer to watch them",
				inf.Resource)
	}
	return found, found.CheckNamespaces(inf.Namespaces)
}

// Resource returns that of an informer.
func (c *Cluster) Resource(ctx context.Context, inf *config.Informer) (kube.Resource, error) {
	return c.resolve(ctx, inf)
}

// Object reads an object that a listener's informer would watch. The error is a
// *kinds.WrongError for another resource, a *rights.ForbiddenError, or one of package kube.
func (c *Cluster) Object(ctx context.Context, l *config.Listener,
	ref kube.Reference) ([]byte, error) {
	found, err := c.resolve(ctx, l.Informer())
	if err != nil {
		return nil, fmt.Errorf("%s: listener %q: %w", ref, l.Name, err)
	}
	asked, err := c.resolver.Resolve(ctx, ref.Resource)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", ref, err)
	case asked.GVR.GroupResource() != found.GVR.GroupResource():
		return nil, &kinds.WrongError{Path: ref.String(), Kind: asked.GVK.Kind, Listener: l.Name,
			Resource: l.Informer().Resource}
	case found.Namespaced && ref.Namespace == "":
		return nil, fmt.Errorf("%s: %s are in namespaces: write %s/NAMESPACE/%s", ref,
			found.GVR.Resource, ref.Resource, ref.Name)
	case !found.Namespaced && ref.Namespace != "":
		return nil, fmt.Errorf("%s: %s are in no namespace: write %s/%s", ref, found.GVR.Resource,
			ref.Resource, ref.Name)
	}
	object, err := c.get(ctx, found, ref)
	return object, rights.Explain(err, l.Informer(), found, ref)
}

// Any reads an object, whether an informer would watch it or not, with the right to list it. Its
// namespace is empty if objects of the resource are in none.
func (c *Cluster) Any(ctx context.Context, ref kube.Reference) ([]byte, error) {
	found, err := c.resolver.Resolve(ctx, ref.Resource)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return c.get(ctx, found, ref)
}

func (c *Cluster) get(ctx context.Context, found kube.Resource, ref kube.Reference) (object []byte,
	err error) {
	scope := informer.Scope{Namespace: ref.Namespace,
		FieldSelector: fields.OneTermEqualSelector("metadata.name", ref.Name).String()}
	err = lists.Each(ctx, c.client, found, scope, func(item []byte) { object = item })
	if err == nil && object == nil {
		err = &NotFoundError{c.resolver.Server()}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return object, nil
}

// NotFoundError is the error of an object that the cluster does not have.
type NotFoundError struct{ Server string }

func (e *NotFoundError) Error() string { return "there is no such object on " + e.Server }

// everything lists what an informer would watch.
func (c *Cluster) everything(ctx context.Context, name string,
	inf *config.Informer) (all []plan.ObjectFile, err error) {
	found, err := c.resolve(ctx, inf)
	if err != nil {
		return nil, err
	}
	namespaces := inf.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	selectors := inf.Scope()
	for _, ns := range namespaces {
		scope := informer.Scope{Namespace: ns, LabelSelector: selectors.LabelSelector,
			FieldSelector: selectors.FieldSelector}
		if err := lists.Each(ctx, c.client, found, scope, func(item []byte) {
			all = append(all, plan.ObjectFile{Path: "an object of " + name, JSON: item})
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}
