package informer

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A resource that is not there is asked for renewAfter times before it is looked up again, and then
// after each renewEvery attempts: the backoff makes that one lookup in 5 to 10 minutes.
const (
	renewAfter = 3
	renewEvery = 10
)

// renewed notes how an attempt ended, and reports whether the server has the resource in another
// version, which the next attempt then asks for. The store is kept, so that the list shows what has
// changed meanwhile.
func (r *reflector) renewed(ctx context.Context, err error) bool {
	if !apierrors.IsNotFound(err) {
		r.missing = 0
		return false
	}
	r.missing++
	if r.renew == nil || r.missing != renewAfter && r.missing%renewEvery != 0 {
		return false
	}
	now, lw, err := r.renew(ctx, r.resource)
	if err != nil {
		r.log.Debug("the resource cannot be looked up again", "error", err)
		return false
	}
	if now == r.resource {
		return false
	}
	parser, err := r.newParser(now)
	if err != nil {
		r.log.Error("the resource is there in another version, which cannot be read", "version",
			now.GroupVersion().String(), "error", err)
		return false
	}
	r.log.Info("resource has another version, listing again", "was",
		r.resource.GroupVersion().String(), "version", now.GroupVersion().String())
	r.resource, r.lw, r.parser, r.missing = now, lw, parser, 0
	r.note(func(s *reflectorStatus) { s.resource = now })
	return true
}
