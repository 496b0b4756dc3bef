package daemon

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/kube/definitions"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/informer"
)

const (
	// newsTime is for how long after news of its resource a listener is tried again each newsDelay:
	// what a definition promises, the API server serves a moment later.
	newsTime  = 10 * time.Second
	newsDelay = 100 * time.Millisecond
)

// follow follows resources of a cluster that come, change and go until ctx is done.
func (s *supervisor) follow(ctx context.Context, c *cluster) {
	c.fields.definitions, c.fields.published = c.definitions, c.Resolver.OpenAPI
	c.fields.listeners = func() []fieldsOf { return s.fieldsOfListeners(c) }
	c.renewer.Renewed = func(was, now informer.Resource) { s.renewed(c, was, now) }
	s.wantDefinitions(c)
	var running sync.WaitGroup
	running.Go(func() { c.fields.run(ctx) })
	_ = c.definitions.Run(ctx, func(d *definitions.Definition, _ bool) { s.defined(c, d) })
	running.Wait()
}

// wantDefinitions has the definitions watched if the configuration names a resource that is not
// built in.
func (s *supervisor) wantDefinitions(c *cluster) {
	var names []string
	for _, inf := range plan.InformersOf(s.config()) {
		names = append(names, inf.Resource)
	}
	if definitions.Needed(names...) {
		c.definitions.Begin()
	}
}

// defined has everybody look who may be concerned by a change of a definition.
func (s *supervisor) defined(c *cluster, d *definitions.Definition) {
	c.Resolver.Invalidate()
	for _, one := range s.workingIn(c) {
		one.binder.news(d)
		one.factory.LookAgain(d.Resource())
	}
	c.factory.LookAgain(d.Resource())
	c.fields.look()
}

// news has listeners tried again at once, and soon again, if one of them waits for a resource.
func (b *binder) news(d *definitions.Definition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.waiting {
		if !slices.ContainsFunc(w.setup.resources(), d.IsNamed) {
			continue
		}
		b.soon = time.Now().Add(newsTime)
		wake(b.wake)
		return
	}
}

// delay returns how long to wait after a number of failures in a row.
func (b *binder) delay(failures int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Now().Before(b.soon) {
		return newsDelay
	}
	return bindBackoff.Delay(failures)
}

// resources returns the names of what the setup reads.
func (s *setup) resources() []string {
	names := []string{s.Config.Informer().Resource}
	for _, in := range s.LooksUp() {
		names = append(names, in.Informer.Resource)
	}
	return names
}

// fieldsOfListeners returns the listeners of a cluster that read custom resources.
func (s *supervisor) fieldsOfListeners(c *cluster) (all []fieldsOf) {
	var listeners []*listener
	for _, one := range s.workingIn(c) {
		listeners = append(listeners, one.current()...)
	}
	for _, l := range listeners {
		now := l.setup()
		to, events := now.bound.Load(), l.registrations()
		if to == nil || events == nil {
			continue
		}
		custom := map[string]schema.GroupVersionResource{}
		add := func(name string, in *informer.Registration) {
			if c.fields.isCustom(name) {
				custom[name] = in.Status().Resource.GroupVersionResource
			}
		}
		add(now.Config.Informer().Resource, events[0])
		for _, in := range now.LooksUp() {
			add(in.Informer.Resource, to.looked[in.Name][0])
		}
		if len(custom) > 0 {
			all = append(all, fieldsOf{config: now.whole, listener: now.Config, resources: custom,
				health: &l.health})
		}
	}
	return all
}

// lookAtFields has the expressions of a setup checked if it reads custom resources.
func (s *shard) lookAtFields(to *setup) {
	if slices.ContainsFunc(to.resources(), s.cluster.fields.isCustom) {
		s.cluster.fields.look()
	}
}

// renewed has everybody use a resource in another version, before its objects come.
func (s *supervisor) renewed(c *cluster, was, now informer.Resource) {
	s.maker.API.Renewed(c.name, was.GroupVersionResource, now.Version)
	c.fields.look()
}
