package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/informer"
)

// bindBackoff is the range of the delays between attempts to bind listeners.
var bindBackoff = backoff.Backoff{Min: time.Second, Max: 30 * time.Second}

// binder finds the resource of each listener on the API server and subscribes the listener to its
// informers. A listener whose resource does not exist is reported as failed and tried again, since
// the API may be installed later.
type binder struct {
	shard *shard

	mu      sync.Mutex // guards what follows
	waiting map[*listener]bindable
	added   int           // setups so far
	trying  *listener     // of which a setup is being bound; nil: none is
	tried   chan struct{} // closed when that has ended
	wake    chan struct{} // has room for one
	soon    time.Time     // until when delays are short, since there is news
}

// bindable is a setup of a listener that is to be bound.
type bindable struct {
	listener *listener
	setup    *setup
	order    int // in which it was added
}

func newBinder(s *shard) *binder {
	return &binder{shard: s, wake: make(chan struct{}, 1), waiting: map[*listener]bindable{}}
}

// add has a setup of a listener bound, and no other one of the listener.
func (b *binder) add(l *listener, s *setup) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.added++
	b.waiting[l] = bindable{l, s, b.added}
	wake(b.wake)
}

// wake has whoever waits at a channel with room for one look again.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// remove has no setup of a listener bound. It waits while one is being bound, and for no other
// listener.
func (b *binder) remove(l *listener) {
	b.mu.Lock()
	delete(b.waiting, l)
	trying, tried := b.trying, b.tried
	b.mu.Unlock()
	if trying == l {
		<-tried
	}
}

// begin notes that a setup is being bound, if it is still to be, and end that it is no longer.
func (b *binder) begin(w bindable) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting[w.listener] != w {
		return false
	}
	b.trying, b.tried = w.listener, make(chan struct{})
	return true
}

func (b *binder) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.tried)
	b.trying = nil
}

// cancel has no setup of a listener bound. One that is being bound is, and removed again.
func (b *binder) cancel(l *listener) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, l)
}

// next returns what is to be bound.
func (b *binder) next() []bindable {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.SortedFunc(maps.Values(b.waiting), func(x, y bindable) int {
		return cmp.Compare(x.order, y.order)
	})
}

// run binds until ctx is done.
func (b *binder) run(ctx context.Context) {
	logged := map[*listener]string{}
	for failures := 0; ; {
		pause := time.Duration(-1)
		if b.round(ctx, logged, &failures, &pause); ctx.Err() != nil {
			return
		}
		if !b.rest(ctx, pause) {
			return
		}
		if pause >= 0 {
			b.shard.cluster.Resolver.Invalidate()
		}
	}
}

// rest waits until the pause is over or there is something new to bind; without a pause, only for
// the latter. It reports whether ctx is not done.
func (b *binder) rest(ctx context.Context, pause time.Duration) bool {
	var over <-chan time.Time
	if pause >= 0 {
		over = time.After(pause)
	}
	select {
	case <-over:
	case <-b.wake:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// round tries to bind everything once. The pause is how long to wait before the next round, less
// than 0 if there is none.
func (b *binder) round(ctx context.Context, logged map[*listener]string, failures *int,
	pause *time.Duration) {
	failed := false
	for _, w := range b.next() {
		err := b.try(ctx, w)
		var unreachable *kube.UnreachableError
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			delete(logged, w.listener)
			continue
		case errors.As(err, &unreachable):
			// the other listeners would wait for the same server
			*failures++
			*pause = b.unreachable(unreachable, *failures)
			return
		case logged[w.listener] != err.Error():
			logged[w.listener] = err.Error()
			w.listener.health.Fail(err)
			b.shard.log.Error("listener failed, will try again", "listener", w.listener.name, "error",
				err)
		}
		failed = true
	}
	if failed {
		*failures++
		*pause = b.delay(*failures)
		return
	}
	*failures = 0
}

// unreachable reports that the API server does not answer, and returns the pause before it is asked
// again.
func (b *binder) unreachable(err *kube.UnreachableError, failures int) time.Duration {
	pause := bindBackoff.AtLeast(bindBackoff.Delay(failures), err.RetryAfter)
	for _, w := range b.next() {
		w.listener.health.Fail(err)
	}
	b.shard.log.Warn("cannot reach the API server, will try again", "server", err.Server, "in",
		pause.Round(time.Millisecond), "error", err.Err)
	return pause
}

// try binds one setup, if it is still to be bound.
func (b *binder) try(ctx context.Context, w bindable) error {
	if !b.begin(w) {
		return nil
	}
	defer b.end()
	wanted, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.listener.life, cancel)()
	defer context.AfterFunc(w.setup.life, cancel)()
	made, err := b.bind(wanted, w.listener, w.setup)
	switch {
	case err != nil && wanted.Err() != nil && ctx.Err() == nil:
		return nil // a reload wants something else by now
	case err != nil:
		return err
	}
	if !b.take(w, made) {
		made.remove()
		return nil
	}
	if made.events != nil {
		w.listener.tie(made.events)
	}
	w.listener.health.Bind(slices.Concat(w.listener.registrations(),
		w.setup.caches.registrations()))
	b.shard.log.Info("listening", "listener", w.listener.name, "resource", made.found.String(),
		"namespaces", w.setup.Config.Informer().Namespaces)
	b.shard.bound(w.listener, w.setup)
	return nil
}

// take hands a setup what was made for it, if it is still to be bound.
func (b *binder) take(w bindable, made *binding) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting[w.listener] != w {
		return false
	}
	delete(b.waiting, w.listener)
	w.setup.caches.in = made.looked
	w.setup.bound.Store(made)
	return true
}

// binding is what a setup is bound to. Nobody changes it once it is made.
type binding struct {
	looked   map[string][]*informer.Registration
	events   []*informer.Registration // nil if the listener has them already
	messages *cloudevent.Builder
	found    kube.Resource
}

// remove ends the registrations.
func (m *binding) remove() {
	for _, regs := range m.looked {
		removeAll(regs)
	}
	removeAll(m.events)
}

// bind subscribes a listener to the informers of a setup, or changes nothing.
func (b *binder) bind(ctx context.Context, l *listener, s *setup) (made *binding, err error) {
	made = &binding{looked: map[string][]*informer.Registration{}}
	defer func() {
		if err != nil {
			made.remove()
		}
	}()
	for _, name := range s.Lookups() {
		inf := s.Config.Informers()[name]
		if !inf.In(b.shard.cluster.name, b.shard.cluster.labels) && b.shard.cluster.membership != nil {
			continue // nothing is found there
		}
		found, err := b.shard.cluster.resolve(ctx, inf)
		if err != nil {
			return made, fmt.Errorf("informer %q, which %s objects up in: %w", name,
				s.LookedUpBy(name), err)
		}
		on, err := onlooker(l.name)
		if err != nil {
			return made, err
		}
		shape, err := plan.ShapeOf(inf)
		if err != nil {
			return made, err
		}
		shape = withIndexesIn(shape, name, s.Filters())
		made.looked[name], err = listenTo(b.shard.cluster.factory, s.targets(found, inf, shape), on)
		if err != nil {
			return made, err
		}
	}
	found, err := b.shard.cluster.resolve(ctx, s.Config.Informer())
	if err != nil {
		return made, err
	}
	made.found = found
	made.messages, err = b.shard.messages(l.name, found.Watched())
	if err == nil && l.registrations() == nil {
		made.events, err = listenTo(b.shard.factory, b.shard.watched(s, found), l.subscription)
	}
	return made, err
}

// resolve finds the resource of an informer and checks it against the informer's settings.
func (c *cluster) resolve(ctx context.Context, inf *config.Informer) (kube.Resource, error) {
	found, err := c.Resolver.Resolve(ctx, inf.Resource)
	if err != nil {
		return kube.Resource{}, err
	}
	c.renewer.Note(found.Watched(), inf.Resource)
	if err := found.CheckSecrets(inf.Resource, inf.AllowSecrets); err != nil {
		return found, err
	}
	return found, found.CheckNamespaces(inf.Namespaces)
}

// watched returns what the subscription of a listener of the shard is tied to.
func (s *shard) watched(by *setup, found kube.Resource) []informer.Target {
	all := by.targets(found, by.Config.Informer(), by.Shape)
	for i := range all {
		all[i].Scope.Shard = s.of
	}
	return all
}

// targets returns what a subscription to an informer is tied to, one for each of its namespaces.
func (s *setup) targets(found kube.Resource, inf *config.Informer,
	shape informer.Shape) (all []informer.Target) {
	if found.IsSecrets() {
		shape.DigestKey = s.digestKey
	}
	for _, scope := range plan.ScopesOf(inf) {
		// What replicas publish is nobody's event, and would make them publish again.
		switch e := s.whole.LeaderElection; {
		case e == nil || !found.IsConfigMaps():
		case s.whole.Sharding != nil:
			scope.LabelSelector = strings.TrimPrefix(scope.LabelSelector+",!"+lease.Label, ",")
		default: // the ConfigMap may have been made by somebody, without a label
			own := "metadata.name!=" + lease.RecordName(e.Name)
			scope.FieldSelector = strings.TrimPrefix(scope.FieldSelector+","+own, ",")
		}
		all = append(all, informer.Target{Resource: found.Watched(), Shape: shape, Scope: scope})
	}
	return all
}

// listenTo makes one registration for each target. With an error it makes none.
func listenTo(factory *informer.Factory, targets []informer.Target,
	to *informer.Subscription) (regs []*informer.Registration, err error) {
	for _, t := range targets {
		reg, err := factory.Subscribe(t.Resource, t.Scope, t.Shape, to)
		if err != nil {
			removeAll(regs)
			return nil, err
		}
		regs = append(regs, reg)
	}
	return regs, nil
}
