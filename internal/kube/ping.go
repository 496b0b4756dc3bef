package kube

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Ping asks the server for its version. The error is nil if it answers, whatever that is.
func (r *Resolver) Ping(ctx context.Context) error {
	err := r.client.Get().AbsPath("/version").Do(ctx).Error()
	if errors.As(err, new(*apierrors.StatusError)) {
		return nil
	}
	return err
}
