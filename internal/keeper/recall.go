package keeper

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/checkpoint"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Recalled is what a checkpoint had when it was read.
type Recalled struct {
	Committed time.Time // the last cut

	contents checkpoint.Contents
	state    *state
}

// attempts is how often a checkpoint is read that changes meanwhile.
const attempts = 5

// Recall reads a checkpoint, which another process may use, and changes nothing. The error is
// fs.ErrNotExist if there is none.
func Recall(dir string) (*Recalled, error) {
	for n := 1; ; n++ {
		s := newState()
		contents, err := checkpoint.Inspect(dir, (&loading{state: s}).add)
		if err == nil && contents.Committed.IsZero() {
			err = fmt.Errorf("there is no checkpoint in %s: %w", dir, fs.ErrNotExist)
		} else if err == nil {
			return &Recalled{contents.Committed, contents, s}, nil
		}
		changes := errors.Is(err, fs.ErrNotExist) || errors.Is(err, checkpoint.ErrDamaged)
		if !changes || n == attempts {
			return nil, err
		}
	}
}

// Rules returns what the rules of a listener remembered, nil if there were none. It can be restored
// once.
func (r *Recalled) Rules(listener string) *rules.Saved {
	saved := r.state.listeners[listener]
	if saved == nil {
		return nil
	}
	return saved.Route.Rules()
}

// Has reports whether the checkpoint is one of the listener, too.
func (r *Recalled) Has(listener string) bool { return r.state.listeners[listener] != nil }

// Select returns the expression by which a listener of the checkpoint had its objects, and whether
// it had one of them, if that is remembered rather than a consequence of the object's state.
func (r *Recalled) Select(listener string, key event.Key) (text string, in, remembered bool) {
	saved := r.state.listeners[listener]
	in, remembered = saved.Route.Remembers(key)
	return strings.TrimSuffix(saved.Select, Unsettled), in, remembered
}

// Object returns the last state of an object that one of a listener's informers had, and which one;
// nil if none had it.
func (r *Recalled) Object(listener string, key event.Key) (*object.Object, informer.InformerID) {
	for id, in := range r.state.informers {
		if _, of := in.told[listener]; !of {
			continue
		}
		if o := in.objects[key]; o != nil {
			return o, id
		}
	}
	return nil, informer.InformerID{}
}
