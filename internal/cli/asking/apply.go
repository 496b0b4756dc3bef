package asking

import (
	"context"
	"errors"
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/apply"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/defaults"
	"github.com/informerd/informerd/internal/plan/kinds"
	"github.com/informerd/informerd/pkg/informer/event"
)

// The notes of what an apply does.
const (
	creates = "the cluster has no such object: this is what comes of it when it is created."
	merges  = "the object is merged into the one of the cluster, as kubectl apply does it; what admission does to it is not known."
)

// applied makes of a question about an object of a file the one about the event that comes if the
// object is applied to the cluster.
func (x *Asking) applied(ctx context.Context, l *config.Listener, q plan.Question) (plan.Question,
	error) {
	if q.Template != "" { // its pods are new ones
		return q, nil
	}
	namespaced, err := x.cluster.Namespaced(ctx, l)
	if err != nil {
		return q, inFront(q.Object.Path, err)
	}
	q.Object.JSON = kinds.InNamespace(q.Object.JSON, x.Namespace, namespaced)
	at := metadataOf(q.Object.JSON)
	if at.Name == "" {
		return q, nil // which is said where the object is read
	}
	ref := kube.Reference{Resource: l.Informer().Resource, Namespace: at.Namespace, Name: at.Name}
	is, err := x.cluster.Object(ctx, l, ref)
	var none *live.NotFoundError
	switch {
	case errors.As(err, &none):
		q.Notes = append(q.Notes, creates)
		return q, nil
	case err != nil:
		return q, inFront(q.Object.Path, err)
	}
	merged, differs, err := apply.Merge(is, q.Object.JSON)
	if err != nil {
		return q, invalid(fmt.Errorf("%s: it cannot be merged into %s: %w", q.Object.Path, ref, err))
	}
	q.Op, q.Old, q.Object.JSON = event.Update, plan.ObjectFile{Path: ref.String(), JSON: is}, is
	q.Unchanged = !differs
	if differs {
		q.Object.JSON = defaults.FillMerged(merged)
		q.Notes = append(q.Notes, merges)
	}
	return q, nil
}
