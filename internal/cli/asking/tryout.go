package asking

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/cli/words"
	"github.com/informerd/informerd/internal/live"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/informer/event"
)

// tried is what the API server has said of an object.
type tried struct {
	object []byte
	err    error
}

// tryOut asks the API server what it makes of an object that is applied. It returns nil if the
// server refuses the object, of which there is no event then, or cannot be asked, which is noted.
func (x *Asking) tryOut(ctx context.Context, resource string, q *plan.Question, object []byte,
	unasked string) []byte {
	object, err := x.try(ctx, resource, q.Object.Path, object, q.Op == event.Update)
	var refused *live.RefusedError
	switch {
	case err == nil:
		return object
	case errors.As(err, &refused) && !x.misses(refused.Reason, q.Object.Path):
		x.refused[q.Object.Path] = true
		q.NoEvent = "the API server refuses it"
		q.Notes = append(q.Notes, about(q.Object)+words.Plain(refused.Error()))
	default:
		if refused != nil {
			err = errors.New("it needs another object of the file: " + refused.Reason)
		}
		q.Notes = append(q.Notes, unasked+words.Plain(strings.TrimSuffix(err.Error(), "."))+".")
		unknown := unknownIn(q.Object)
		x.refused[q.Object.Path] = len(unknown) > 0
		q.Notes = append(q.Notes, unknown...)
	}
	return nil
}

// try asks the API server what it makes of an object of the file, once.
func (x *Asking) try(ctx context.Context, resource, path string, object []byte, replaces bool) (
	[]byte, error) {
	at := resource + " " + path
	answered, known := x.tried[at]
	if !known {
		answered.object, answered.err = x.cluster.TryOut(ctx, resource, object, replaces)
		x.tried[at] = answered
	}
	return answered.object, answered.err
}

// misses reports whether a server has refused an object since it does not have another one, which
// the file has.
func (x *Asking) misses(reason, path string) bool {
	return strings.Contains(reason, "found") && slices.ContainsFunc(x.questions,
		func(q plan.Question) bool {
			name := metadataOf(q.Object.JSON).Name
			return q.Object.Path != path && name != "" && slices.Contains(strings.FieldsFunc(reason,
				func(r rune) bool { return strings.ContainsRune(` "':,/`, r) }), name)
		})
}
