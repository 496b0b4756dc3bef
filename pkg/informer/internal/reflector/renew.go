package reflector

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// A resource that is not there is asked for renewAfter times before it is looked up again, and then
// after each renewEvery attempts: the backoff makes that one lookup in 5 to 10 minutes. While there
// is news of it, it is looked up after each attempt.
const (
	renewAfter = 3
	renewEvery = 10
)

// ErrGone is returned by Renew if the resource was removed from the server, and with it all
// objects.
var ErrGone = errors.New("the resource was removed")

// renewed notes how an attempt ended, and reports whether the server has the resource in another
// version, which the next attempt then asks for. The store is kept, so that the list shows what has
// changed meanwhile. The error is that of the attempt, with what the last lookup has found.
func (r *Reflector) renewed(ctx context.Context, attempt error) (bool, error) {
	if !apierrors.IsNotFound(attempt) {
		r.missing, r.absent = 0, nil
		return false, attempt
	}
	r.missing++
	if r.Renew != nil && (r.missing == renewAfter || r.missing%renewEvery == 0 ||
		r.retry.isSoon()) {
		now, err := r.Renew(ctx)
		if ctx.Err() != nil {
			return false, attempt
		}
		if err == nil && now != nil {
			r.Log.Info("resource has another version, listing again", "was", r.Version,
				"version", now.Version)
			r.Source, r.missing, r.resuming, r.relist = *now, 0, false, Renewed
			return true, nil
		}
		if r.absent = err; errors.Is(err, ErrGone) {
			r.gone(ctx)
		}
	}
	if r.absent != nil {
		attempt = fmt.Errorf("%w: %w", attempt, r.absent)
	}
	return false, attempt
}

// gone takes an empty list: the objects ended with their resource. It is not the first list of a
// resource that has not been listed yet.
func (r *Reflector) gone(ctx context.Context) {
	version := r.newest()
	if version == "" || r.emptied {
		return
	}
	r.Log.Info("the resource is gone, and its objects with it")
	r.TakeList(ctx, nil, version, false)
	r.emptied, r.resuming, r.known = true, false, nil
}

// sleep waits between two attempts. News of a resource that is missing end that, and have the next
// attempts follow each other soon.
func (r *Reflector) sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	news := r.News
	if r.missing == 0 {
		news = nil
	}
	select {
	case <-timer.C:
	case <-news:
		r.retry.soon(time.Now())
	case <-ctx.Done():
	}
	return ctx.Err()
}
