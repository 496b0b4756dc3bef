package route

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// EndAbsent ends what rules, and a select that looks at the clock or at other objects, remember of
// objects that there are no more: for each of which stored reports false, and of which nothing is
// under way, the rules' violations are resolved, and if it was selected, the listener gets a delete
// with its name alone. Workers ask stored again before that, several at a time. It must not report
// false while the object's own delete has yet to reach the subscription, or the listener would get
// two, see [informer.Subscription.Knows]. EndAbsent blocks until all are offered to the workers, or
// ctx is done. Call it while Run does its work, and once the informers that stored asks are
// complete.
func (r *Route) EndAbsent(ctx context.Context, stored func(event.Key) bool) error {
	return r.endEach(ctx, r.remembered, func(by aloneOffers, key event.Key) (*object.Object, bool) {
		return nil, !stored(key) && !by.Has(key)
	}, stored)
}

// EndViolations resolves what rules have reported, since the listener will be removed: nobody else
// would. From here on, rules take each object for one that has ended. state returns its present
// state, nil if there is none. Otherwise it is as EndAbsent.
func (r *Route) EndViolations(ctx context.Context,
	state func(event.Key) *object.Object) error {
	r.leaving.Store(true)
	return r.endEach(ctx, func(p *Pipeline) []event.Key {
		if p.Rules == nil {
			return nil
		}
		return p.Rules.Keys()
	}, func(_ aloneOffers, key event.Key) (*object.Object, bool) { return state(key), true },
		func(event.Key) bool { return false })
}

// aloneOffers is a subscription that takes events which may be older than others of their objects.
type aloneOffers interface {
	OfferAlone(event.Event, informer.Progress) (bool, error)
	Has(event.Key) bool
}

// endEach offers the ends of objects, as long as they are wanted: with a state or, if that is nil,
// with the name alone.
func (r *Route) endEach(ctx context.Context, keys func(*Pipeline) []event.Key,
	wanted func(aloneOffers, event.Key) (state *object.Object, is bool),
	stored func(event.Key) bool) error {
	by, ok := r.subscription.(aloneOffers)
	p := r.pipeline.Load()
	if !ok || p == nil {
		return fmt.Errorf("route %q has not begun", r.name)
	}
	from := p.Messages.Origin()
	apiVersion := strings.TrimPrefix(from.Group+"/"+from.Version, "/")
	for _, key := range keys(p) {
		for attempt := 1; ; attempt++ {
			o, is := wanted(by, key)
			if !is {
				break
			}
			if o == nil {
				var err error
				if o, err = nameOnly(apiVersion, from.Kind, key, ""); err != nil {
					return fmt.Errorf("route %q: %w", r.name, err)
				}
			}
			taken, err := by.OfferAlone(event.Event{Op: event.Delete, Object: o,
				FinalStateUnknown: true}, &progress{stored: stored})
			if err != nil {
				return fmt.Errorf("route %q: %w", r.name, err)
			}
			if taken {
				break
			}
			if err := backoff.Sleep(ctx, roomBackoff.Delay(attempt)); err != nil {
				return err
			}
		}
	}
	return nil
}

// roomBackoff is the range of the delays between looks at whether the subscription has room.
var roomBackoff = backoff.Backoff{Min: time.Millisecond, Max: time.Second}

// remembered returns the keys of the objects of which rules or a select remember something, sorted.
func (r *Route) remembered(p *Pipeline) []event.Key {
	var keys []event.Key
	for _, m := range r.members.all() {
		keys = append(keys, m.key)
	}
	if p.Rules != nil {
		keys = append(keys, p.Rules.Keys()...)
	}
	slices.SortFunc(keys, event.Key.Compare)
	return slices.Compact(keys)
}
