package daemon

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/fieldcheck"
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

// followDefinitions follows resources that come, change and go until ctx is done.
func (s *supervisor) followDefinitions(ctx context.Context) {
	s.fields.Definitions, s.fields.Published = s.cluster.definitions, s.cluster.resolver.OpenAPI
	s.fields.Listeners = s.checked
	s.cluster.renewer.Renewed = s.renewed
	s.intake.Go(func() { s.fields.Run(ctx) })
	s.intake.Go(func() { _ = s.cluster.definitions.Run(ctx, s.defined) })
	s.wantDefinitions()
}

// wantDefinitions has the definitions watched if the configuration names a resource that is not
// built in.
func (s *supervisor) wantDefinitions() {
	var names []string
	for _, inf := range plan.InformersOf(s.runtime.plan.Config) {
		names = append(names, inf.Resource)
	}
	if definitions.Needed(names...) {
		s.cluster.definitions.Begin()
	}
}

// defined has everybody look who may be concerned by a change of a definition.
func (s *supervisor) defined(d *definitions.Definition, _ bool) {
	s.cluster.resolver.Invalidate()
	s.binder.news(d)
	s.cluster.factory.LookAgain(d.Resource())
	s.fields.Look()
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
		select {
		case b.wake <- struct{}{}:
		default:
		}
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

// checked returns the listeners whose expressions are to be checked.
func (s *supervisor) checked() (all []fieldcheck.Listener) {
	for _, l := range s.current() {
		now := l.setup()
		to, events := now.bound.Load(), l.registrations()
		if to == nil || events == nil {
			continue
		}
		resources := map[string]schema.GroupVersionResource{
			now.Config.Informer().Resource: events[0].Status().Resource.GroupVersionResource}
		for _, in := range now.LooksUp() {
			resources[in.Informer.Resource] =
				to.looked[in.Name][0].Status().Resource.GroupVersionResource
		}
		all = append(all, fieldcheck.Listener{Config: now.whole, Listener: now.Config,
			Resources: resources, Health: &l.health})
	}
	return all
}

// renewed has everybody use a resource in another version, before its objects come.
func (s *supervisor) renewed(was, now informer.Resource) {
	s.maker.API.Renewed(was.GroupVersionResource, now.Version)
	s.fields.Look()
}
