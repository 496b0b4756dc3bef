package route

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
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
	by, ok := r.subscription.(interface {
		OfferAlone(event.Event, informer.Progress) (bool, error)
		Has(event.Key) bool
	})
	p := r.pipeline.Load()
	if !ok || p == nil {
		return fmt.Errorf("route %q has not begun", r.name)
	}
	from := p.Messages.Origin()
	apiVersion := strings.TrimPrefix(from.Group+"/"+from.Version, "/")
	for _, key := range r.remembered(p) {
		o, err := nameOnly(apiVersion, from.Kind, key, "")
		if err != nil {
			return fmt.Errorf("route %q: %w", r.name, err)
		}
		e := event.Event{Op: event.Delete, Object: o, FinalStateUnknown: true}
		for attempt := 1; !stored(key) && !by.Has(key); attempt++ {
			taken, err := by.OfferAlone(e, &progress{stored: stored})
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
	slices.SortFunc(keys, compareKeys)
	return slices.Compact(keys)
}

func compareKeys(a, b event.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}
