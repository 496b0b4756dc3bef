package delivery

import (
	"context"
	"errors"

	"github.com/informerd/informerd/internal/deadletter"
)

// Letters is where dead letters go. A *deadletter.Store is one.
type Letters interface {
	// Put stores a letter, and returns its ID once it is safe. It may wait for room until ctx is
	// done. The error is deadletter.ErrDropped if there is no room and nobody is to wait for it.
	Put(ctx context.Context, l deadletter.Letter) (id string, err error)
}

// Store stores a letter and returns its ID. One that is larger than the whole store is stored
// without the texts of its event, so that it is known at least that there was one. Dropping a
// letter because the user chose that is not an error, and then there is no ID.
func Store(ctx context.Context, to Letters, l deadletter.Letter) (id string, err error) {
	id, err = to.Put(ctx, l)
	if errors.Is(err, deadletter.ErrTooLarge) && !errors.Is(err, deadletter.ErrDropped) {
		l.Object, l.Old, l.Message = nil, nil, nil
		id, err = to.Put(ctx, l)
	}
	if errors.Is(err, deadletter.ErrDropped) {
		return "", nil
	}
	return id, err
}
