package contender

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/bench/measure"
	informerd "github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// core is informerd's informer as a library: one listener with one worker, as in the daemon, and
// further listeners if requested. The parts of their filters that can be decided before the buffer
// are decided there. Buffers block when they are full, since coalesced events would be work not
// done. Garbage from compression is collected as in the daemon; otherwise Go's collector has its
// defaults for all contenders.
type core struct {
	running
	setup     Setup
	client    *informer.Client
	listeners []coreListener // the first one counts
}

type coreListener struct {
	buffer *informer.Subscription
	filter *filters.Filter
}

func newCore(cfg *rest.Config, s Setup) (*core, error) {
	client, err := informer.NewClient(cfg)
	if err != nil {
		return nil, err
	}
	c := &core{setup: s, client: client}
	for i := range 1 + s.Others {
		text := s.Filter
		if i > 0 {
			text = strings.ReplaceAll(s.OthersFilter, "{n}", strconv.Itoa(i))
		}
		l, err := newCoreListener(fmt.Sprintf("listener-%d", i), text, i > 0)
		if err != nil {
			return nil, err
		}
		c.listeners = append(c.listeners, l)
	}
	return c, nil
}

// newCoreListener returns a listener that may reject events before the buffer, as the daemon's do,
// or one that must see all, since it counts them and the cost of its filter is measured.
func newCoreListener(name, text string, mayRefuse bool) (coreListener, error) {
	filter, err := filters.Compile(filters.Expression{Text: text, Listener: name})
	if err != nil {
		return coreListener{}, err
	}
	cfg := informer.SubscriptionConfig{Name: name, Overflow: informer.OverflowBlock}
	if mayRefuse {
		before := filter.Conditions()
		cfg.On, cfg.Conditions = before.Ops, before.List
	}
	buffer, err := informer.NewSubscription(cfg)
	return coreListener{buffer, filter}, err
}

// Start implements Contender.
func (c *core) Start(ctx context.Context, t *Tally) (measure.Process, error) {
	factory := informer.NewFactory(c.client, nil)
	factory.ColdAfter, factory.OnFreed = c.setup.ColdAfter, informerd.CollectFreed
	resource := informer.Resource{
		GroupVersionResource: schema.GroupVersionResource{Group: c.setup.Kind.Group,
			Version: c.setup.Kind.Version, Resource: c.setup.Kind.Resource},
		Kind: c.setup.Kind.Name,
	}
	for _, l := range c.listeners {
		for _, selector := range c.setup.selectors() {
			if _, err := factory.Subscribe(resource, informer.Scope{LabelSelector: selector},
				informer.Shape{}, l.buffer); err != nil {
				return measure.Process{}, err
			}
		}
	}
	return c.start(ctx, func(ctx context.Context) error {
		var wg sync.WaitGroup
		errs := make([]error, len(c.listeners))
		for i, l := range c.listeners {
			wg.Go(func() { errs[i] = l.run(ctx, t, i == 0) })
		}
		err := factory.Run(ctx)
		wg.Wait()
		return errors.Join(append(errs, err)...)
	})
}

// run does what a route of the daemon does, up to the filter.
func (l coreListener) run(ctx context.Context, t *Tally, counts bool) error {
	evaluator := l.filter.Evaluator()
	for {
		d, err := l.buffer.Next(ctx)
		if err != nil {
			return err
		}
		matched, err := evaluator.Match(d.Event)
		if err != nil {
			return err
		}
		switch {
		case !counts && matched:
			return errors.New("an event matches a filter that should match none")
		case !counts:
		case d.Op == event.Add && d.Initial:
			t.List(matched)
		default:
			if t.Recording() {
				t.See(d.Object.ResourceVersion())
			}
			t.Change(matched)
		}
		d.Done()
	}
}
