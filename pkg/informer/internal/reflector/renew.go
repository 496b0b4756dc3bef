package reflector

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
func (r *Reflector) renewed(ctx context.Context, err error) bool {
	if !apierrors.IsNotFound(err) {
		r.missing = 0
		return false
	}
	r.missing++
	if r.Renew == nil || r.missing != renewAfter && r.missing%renewEvery != 0 {
		return false
	}
	now, err := r.Renew(ctx)
	if err != nil {
		r.Log.Debug("the resource cannot be looked up again", "error", err)
		return false
	}
	if now == nil {
		return false
	}
	r.Log.Info("resource has another version, listing again", "was", r.Version, "version",
		now.Version)
	r.Source, r.missing, r.resuming, r.relist = *now, 0, false, Renewed
	return true
}
