package informer

import (
	"errors"

	"github.com/informerd/informerd/pkg/informer/internal/reflector"
	"github.com/informerd/informerd/pkg/informer/internal/store"
)

var (
	// ErrStopped is returned by Subscription.Next once the subscription was stopped and its buffer
	// is empty, and by Subscribe on an informer that has stopped.
	ErrStopped = errors.New("stopped")
	// ErrGone is what Factory.Renew returns for a resource that was removed from the API server.
	ErrGone = reflector.ErrGone
	// ErrNoIndex is returned by a Lister for an index that the informer does not have.
	ErrNoIndex = store.ErrNoIndex
	// ErrIndexExists is returned for a second index of the same name.
	ErrIndexExists = store.ErrIndexExists
)
