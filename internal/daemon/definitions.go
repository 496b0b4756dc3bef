package daemon

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/fieldcheck"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/definitions"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/sink/cloudevent"
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
	s.cluster.renewed = s.renewed
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
		to := now.bound.Load()
		if to == nil {
			continue
		}
		resources := map[string]schema.GroupVersionResource{
			now.Config.Informer().Resource: to.found.GVR}
		for _, in := range now.LooksUp() {
			resources[in.Informer.Resource] = to.resources[in.Name].GVR
		}
		all = append(all, fieldcheck.Listener{Config: now.whole, Listener: now.Config,
			Resources: resources,
			Mistaken:  func(mistakes config.Errors) { s.mistaken(l, mistakes) }})
	}
	return all
}

// mistaken notes that the expressions of a listener read what its objects do not have. It goes on:
// that it has worked so far is no reason to miss something now.
func (s *supervisor) mistaken(l *listener, mistakes config.Errors) {
	var err error
	if len(mistakes) > 0 {
		err = fmt.Errorf("its expressions do not fit the schema of its objects: %w", mistakes)
	}
	switch changed := l.health.Mistaken(err); {
	case !changed:
	case err == nil:
		s.log.Info("the expressions of a listener fit the schema of its objects again", "listener",
			l.name)
	default:
		s.log.Error("the expressions of a listener do not fit the schema of its objects",
			"listener", l.name, "mistakes", len(mistakes), "error", mistakes)
	}
}

// renewed has listeners go on with a resource in another version, before its objects come.
func (s *supervisor) renewed(was, now informer.Resource) {
	s.maker.API.Renewed(was.GroupVersionResource, now.Version)
	for _, l := range s.current() {
		if err := l.renewed(s.cluster.name, was, now); err != nil {
			s.log.Error("listener failed", "listener", l.name, "error", err)
		}
	}
	s.fields.Look()
}

func (l *listener) renewed(cluster string, was, now informer.Resource) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	working := l.now.Load()
	for _, to := range []*setup{working, l.target} {
		made := to.bound.Load()
		if made == nil {
			continue
		}
		next, err := made.renewed(cluster, l.name, was, now)
		if err != nil {
			return err
		}
		if to.bound.Store(next); to == working && next.messages != made.messages && l.begun &&
			l.saved == nil {
			if err := l.route.Use(l.pipeline()); err != nil {
				return err
			}
		}
	}
	return nil
}

// renewed returns the binding with a resource in another version.
func (m *binding) renewed(cluster, listener string, was, now informer.Resource) (*binding, error) {
	next := *m
	renew := func(r *kube.Resource) bool {
		if resourceOf(*r) != was {
			return false
		}
		r.GVR, r.GVK.Version = now.GroupVersionResource, now.Version
		return true
	}
	next.resources = maps.Clone(m.resources)
	for name, r := range next.resources {
		renew(&r)
		next.resources[name] = r
	}
	var err error
	if renew(&next.found) {
		next.messages, err = messagesOf(cluster, listener, next.found)
	}
	return &next, err
}

// messagesOf returns what makes messages about objects of a resource.
func messagesOf(cluster, listener string, found kube.Resource) (*cloudevent.Builder, error) {
	return cloudevent.NewBuilder(sink.Origin{
		Cluster: cluster, Listener: listener, Resource: resourceOf(found).String(),
		Group: found.GVR.Group, Version: found.GVR.Version, Plural: found.GVR.Resource,
		Kind: found.GVK.Kind,
	})
}
