package daemon

import (
	"context"
	"fmt"
	"log/slog"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/lists"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/rights"
	"github.com/informerd/informerd/pkg/informer"
)

// Live reads the object of a question from the API server, and the objects that the listener's
// expressions look up in informers, unless the question has some of them. It needs only the rights
// to list that the informers need. The error is an *UnknownListenerError, a *plan.WrongKindError, a
// *rights.ForbiddenError, or one of package kube, and a config.Errors if the kubeconfig that the
// configuration names is not there.
func Live(ctx context.Context, cfg *config.Config, o Options, name string, ref kube.Reference,
	q *plan.Question) error {
	q.Object = plan.ObjectFile{Path: ref.String()}
	l := cfg.Listeners[name]
	if l == nil {
		return plan.UnknownListener(cfg, name)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if mistakes := plan.KubeconfigMistakes(cfg); o.Kubeconfig == "" && len(mistakes) > 0 {
		return mistakes
	}
	c, err := connect(cfg, o)
	if err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	defer c.close()
	if q.Object.JSON, err = c.watched(ctx, l, ref); err != nil {
		return err
	}
	lookups := map[string][]plan.ObjectFile{}
	for _, looked := range plan.ExpressionLookups(cfg, l) {
		given, ok := q.Lookups[looked]
		if !ok {
			if given, err = c.everything(ctx, looked, l.Informers()[looked]); err != nil {
				return fmt.Errorf("%s: listener %q looks objects up in %s: %w", ref, name, looked,
					err)
			}
		}
		lookups[looked] = given
	}
	q.Lookups = lookups
	return nil
}

// watched reads an object that a listener's informer would watch.
func (c *cluster) watched(ctx context.Context, l *config.Listener,
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
		return nil, &plan.WrongKindError{Path: ref.String(), Kind: asked.GVK.Kind, Listener: l.Name,
			Resource: l.Informer().Resource}
	case found.Namespaced && ref.Namespace == "":
		return nil, fmt.Errorf("%s: %s are in namespaces: write %s/NAMESPACE/%s", ref,
			found.GVR.Resource, ref.Resource, ref.Name)
	case !found.Namespaced && ref.Namespace != "":
		return nil, fmt.Errorf("%s: %s are in no namespace: write %s/%s", ref, found.GVR.Resource,
			ref.Resource, ref.Name)
	}
	scope := informer.Scope{Namespace: ref.Namespace,
		FieldSelector: fields.OneTermEqualSelector("metadata.name", ref.Name).String()}
	var object []byte
	err = lists.Each(ctx, c.client, found, scope, func(item []byte) { object = item })
	if err == nil && object == nil {
		err = fmt.Errorf("there is no such object on %s", c.resolver.Server())
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", ref, err)
	}
	return object, rights.Explain(err, l.Informer(), found, ref)
}

// everything lists what an informer would watch.
func (c *cluster) everything(ctx context.Context, name string,
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
