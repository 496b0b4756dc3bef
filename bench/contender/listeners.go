package contender

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/bench/measure"
	informerd "github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/deadletter"
	"github.com/informerd/informerd/internal/delivery"
	"github.com/informerd/informerd/internal/keeper"
	"github.com/informerd/informerd/internal/route"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

// listeners are listeners as the daemon has them: an informer, and a route each, to an output that
// takes everything at once. Nothing is filtered, since what passes costs a checkpoint most. With a
// folder for it there is a checkpoint of all of them.
type listeners struct {
	running
	setup  Setup
	client *informer.Client
	log    *slog.Logger
}

func newListeners(cfg *rest.Config, s Setup) (*listeners, error) {
	client, err := informer.NewClient(cfg)
	return &listeners{setup: s, client: client, log: slog.New(slog.DiscardHandler)}, err
}

// Start implements Contender. The checkpoint is read here, so that its time counts.
func (c *listeners) Start(ctx context.Context, t *Tally) (measure.Process, error) {
	factory := informer.NewFactory(c.client, nil)
	factory.OnFreed = informerd.CollectFreed
	var k *keeper.Keeper
	if c.setup.Checkpoint != "" {
		var err error
		if k, err = keeper.Open(c.setup.Checkpoint, c.log); err != nil {
			return measure.Process{}, err
		}
		factory.Stored = k.Stored
	}
	var routes []*route.Route
	for i := range 1 + c.setup.Others {
		var to sink.Sink = everything{}
		if i == 0 {
			to = tallied{t: t}
		}
		r, err := c.route(factory, k, listenerName(i), to)
		if err != nil {
			return measure.Process{}, errors.Join(err, closeKeeper(k))
		}
		routes = append(routes, r)
	}
	return c.start(ctx, func(ctx context.Context) error { return run(ctx, factory, k, routes) })
}

func listenerName(i int) string { return fmt.Sprint("listener-", i) }

func closeKeeper(k *keeper.Keeper) error {
	if k == nil {
		return nil
	}
	return k.Close()
}

// route makes the route of a listener, with what it had before.
func (c *listeners) route(factory *informer.Factory, k *keeper.Keeper, name string,
	to sink.Sink) (*route.Route, error) {
	kind := c.setup.Kind
	messages, err := cloudevent.NewBuilder(
		sink.Origin{Cluster: "bench", Listener: name, Resource: kind.Resource})
	if err != nil {
		return nil, err
	}
	subscription, err := informer.NewSubscription(informer.SubscriptionConfig{Name: name,
		Overflow: informer.OverflowBlock, Track: k != nil})
	if err != nil {
		return nil, err
	}
	config := route.Config{Name: name, Subscription: subscription,
		Retry: route.Retry{Attempts: 1}, Letters: noLetters{}, Log: c.log, Keep: k != nil,
		Pipeline: &route.Pipeline{Messages: messages,
			Outputs: []route.Output{{To: delivery.NewOutput("output", to, c.log)}}}}
	if k != nil {
		config.Await = k.Await
	}
	r, err := route.New(config)
	if err != nil {
		return nil, err
	}
	if k != nil {
		if had := k.Listener(name); had != nil {
			if err := r.Restore(had.Route); err != nil {
				return nil, err
			}
			k.Taken(name)
		}
	}
	resource := informer.Resource{
		GroupVersionResource: schema.GroupVersionResource{Group: kind.Group,
			Version: kind.Version, Resource: kind.Resource},
		Kind: kind.Name,
	}
	_, err = factory.Subscribe(resource, informer.Scope{}, informer.Shape{}, subscription)
	return r, err
}

// run runs everything until ctx is done. The keeper ends last, so that its last cut has all that
// was done.
func run(ctx context.Context, factory *informer.Factory, k *keeper.Keeper,
	routes []*route.Route) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	keeping, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	defer stopKeeping()
	kept := make(chan error, 1)
	if k == nil {
		kept <- nil
	} else {
		go func() {
			err := k.Run(keeping, keeper.Source{Informers: factory, Flush: nothing,
				Listeners: func() []keeper.Cutter { return cutters(routes) }})
			if err != nil {
				stop() // the disk has failed
			}
			kept <- errors.Join(err, k.Close())
		}()
	}
	var wg sync.WaitGroup
	errs := make([]error, len(routes))
	for i, r := range routes {
		wg.Go(func() { errs[i] = r.Run(ctx) })
	}
	err := factory.Run(ctx)
	wg.Wait()
	stopKeeping()
	return errors.Join(append(errs, err, <-kept)...)
}

func nothing() error { return nil }

func cutters(routes []*route.Route) (all []keeper.Cutter) {
	for i, r := range routes {
		all = append(all, cutter{r, listenerName(i)})
	}
	return all
}

// cutter makes cuts of a listener without a select.
type cutter struct {
	*route.Route
	name string
}

// Name implements keeper.Cutter.
func (c cutter) Name() string { return c.name }

// Select implements keeper.Cutter.
func (cutter) Select() string { return "" }

// everything is an output that takes everything.
type everything struct{}

func (everything) Pace() sink.Pace                               { return sink.Pace{Batch: 100} }
func (everything) Write(context.Context, []sink.Message) []error { return nil }
func (everything) Close(context.Context) error                   { return nil }

// tallied counts what it gets.
type tallied struct {
	everything
	t *Tally
}

func (s tallied) Write(_ context.Context, messages []sink.Message) []error {
	for i := range messages {
		m := &messages[i]
		if m.Op == event.Add && m.Initial {
			s.t.List(true)
			continue
		}
		if s.t.Recording() {
			s.t.See(m.ResourceVersion)
		}
		s.t.Change(true)
	}
	return nil
}

// noLetters fails when something is given up.
type noLetters struct{}

func (noLetters) Put(_ context.Context, l deadletter.Letter) (string, error) {
	return "", fmt.Errorf("%s was given up: %s", l.Name, l.Error)
}
