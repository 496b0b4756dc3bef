package rights

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink"
)

// asker asks an API server whether the account has a right.
type asker interface {
	Allowed(ctx context.Context, right kube.Right) (bool, error)
}

// Guard returns an API that asks about each request that is refused whether a right is missing: then
// the error is a sink.MissingRight, as the right may be granted later. What an admission webhook or a
// quota refuses is not.
func Guard(api sink.KubeAPI, rights asker) sink.KubeAPI { return guard{api, rights} }

type guard struct {
	sink.KubeAPI
	rights asker
}

var verbOf = map[string]string{"GET": "get", "POST": "create", "PATCH": "patch"}

// Do implements sink.KubeAPI.
func (g guard) Do(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
	answer, err := g.KubeAPI.Do(ctx, r)
	if !apierrors.IsForbidden(err) {
		return answer, err
	}
	ctx, cancel := context.WithTimeout(ctx, accessTime)
	defer cancel()
	allowed, askErr := g.rights.Allowed(ctx, kube.Right{Resource: named(r.Group, r.Version,
		r.Resource), Namespace: r.Namespace, Name: r.Name, Verb: verbOf[r.Method]})
	if askErr == nil && !allowed {
		err = sink.MissingRight(err)
	}
	return answer, err
}
