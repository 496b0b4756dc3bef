package informer

import "errors"

var (
	// ErrStopped is given by Subscription.Next once the subscription was stopped and its buffer is
	// empty, and by Subscribe on an informer that has stopped.
	ErrStopped = errors.New("stopped")
	// ErrNoIndex is given by a Lister for an index the informer does not have.
	ErrNoIndex = errors.New("there is no such index")
	// ErrIndexExists is given for a second index of one name.
	ErrIndexExists = errors.New("there is an index of this name already")
)
