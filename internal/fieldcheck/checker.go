// Package fieldcheck checks what expressions read of custom resources against the schemas that the
// API server has of them, while informerd runs.
//
// # Promises
//
//   - Each [Checker.Look] is followed by a check of all listeners, each with all of its expressions
//     and those of its outputs. Those that read built-in resources only have been checked before
//     informerd began, and are not asked for anything.
//   - A schema is that of the definition as it is by now. Without the right to read definitions, and
//     for resources without one, it is what the API server publishes.
//   - What cannot be read leaves the listener's last verdict as it is, and is asked for again.
//   - A schema is read once for each change of its definition, however many listeners need it.
package fieldcheck

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube/definitions"
	"github.com/informerd/informerd/internal/plan"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// Listener is one whose expressions are checked.
type Listener struct {
	Config   *config.Config
	Listener *config.Listener
	// Resources are those that the listener reads, by the names that the configuration has for
	// them, in the versions that are read.
	Resources map[string]schema.GroupVersionResource
	Health    Health
}

// Health records whether the expressions of a listener fit its objects.
type Health interface {
	// Mistaken notes why they do not, nil if they do, and reports whether that is news.
	Mistaken(error) bool
}

// Definitions are what the schemas are read from. A definitions.Watch is one.
type Definitions interface {
	Get(schema.GroupResource) *definitions.Definition
	Schema(context.Context, schema.GroupVersionResource) (*filters.Schema, error)
}

// Checker checks listeners while it runs. Make one with New, set the fields, then call Run once.
type Checker struct {
	// Known are the schemas that expressions were checked with before; nil: nothing is checked.
	Known       plan.Schemas
	Definitions Definitions
	// Published returns the OpenAPI v3 document of a group version.
	Published func(context.Context, schema.GroupVersion) ([]byte, error)
	// Listeners returns those that are there now.
	Listeners func() []Listener
	Log       *slog.Logger

	wake chan struct{} // has room for one
	kept map[schema.GroupVersionResource]kept
}

// kept is a schema that was read from a definition.
type kept struct {
	uid        string
	generation int64
	schema     *filters.Schema
}

// New returns a checker that has nothing to check yet.
func New(log *slog.Logger) *Checker {
	return &Checker{Log: log, wake: make(chan struct{}, 1)}
}

// Look has all listeners checked soon.
func (c *Checker) Look() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// delays are those after a schema could not be read.
var delays = backoff.Backoff{Min: 2 * time.Second, Max: 5 * time.Minute}

// Run checks until ctx is done.
func (c *Checker) Run(ctx context.Context) {
	var again <-chan time.Time
	for failures := 0; ; {
		select {
		case <-c.wake:
			failures = 0
		case <-again:
		case <-ctx.Done():
			return
		}
		if again = nil; c.Known == nil {
			continue
		}
		if err := c.round(ctx); err != nil && ctx.Err() == nil {
			failures++
			c.Log.Debug("cannot read a schema, will try again", "error", err)
			again = time.After(delays.Delay(failures))
		}
	}
}

// round checks everything once. The error is that of the last schema that could not be read.
func (c *Checker) round(ctx context.Context) (failed error) {
	before := c.kept
	c.kept = map[schema.GroupVersionResource]kept{}
	for _, l := range c.Listeners() {
		all := schemas{c.Known, map[string]*filters.Schema{}}
		complete := true
		for name, resource := range l.Resources {
			if c.Known.Schema(name) != nil {
				continue
			}
			s, err := c.schema(ctx, resource, before)
			if ctx.Err() != nil {
				return err
			}
			if err != nil {
				complete, failed = false, err
				continue
			}
			all.read[name] = s
		}
		if complete {
			c.report(l, plan.MistakesOf(l.Config, l.Listener, all))
		}
	}
	return failed
}

// report notes what is wrong with a listener. It goes on: that it has worked so far is no reason to
// miss something now.
func (c *Checker) report(l Listener, mistakes config.Errors) {
	var err error
	if len(mistakes) > 0 {
		err = fmt.Errorf("its expressions do not fit the schema of its objects: %w", mistakes)
	}
	switch changed := l.Health.Mistaken(err); {
	case !changed:
	case err == nil:
		c.Log.Info("the expressions of a listener fit the schema of its objects again", "listener",
			l.Listener.Name)
	default:
		c.Log.Error("the expressions of a listener do not fit the schema of its objects",
			"listener", l.Listener.Name, "mistakes", len(mistakes), "error", mistakes)
	}
}

func (c *Checker) schema(ctx context.Context, resource schema.GroupVersionResource,
	before map[schema.GroupVersionResource]kept) (*filters.Schema, error) {
	d := c.Definitions.Get(resource.GroupResource())
	if d == nil {
		return c.published(ctx, resource)
	}
	for _, known := range []map[schema.GroupVersionResource]kept{c.kept, before} {
		if k, ok := known[resource]; ok && k.uid == d.UID && k.generation == d.Generation {
			c.kept[resource] = k
			return k.schema, nil
		}
	}
	s, err := c.Definitions.Schema(ctx, resource)
	if err == nil {
		c.kept[resource] = kept{d.UID, d.Generation, s}
	}
	return s, err
}

func (c *Checker) published(ctx context.Context,
	resource schema.GroupVersionResource) (*filters.Schema, error) {
	document, err := c.Published(ctx, resource.GroupVersion())
	if err != nil {
		return nil, err
	}
	set, err := openapi.Parse(document)
	if err != nil {
		return nil, err
	}
	if s, found := set.LookupGVR(resource.Group, resource.Version, resource.Resource); found {
		return s, nil
	}
	return openapi.AnyObject(), nil
}

// schemas are the known ones, and those that were read.
type schemas struct {
	known plan.Schemas
	read  map[string]*filters.Schema
}

// Schema returns that of a resource, by the name it has in the configuration.
func (s schemas) Schema(resource string) *filters.Schema {
	if read := s.read[resource]; read != nil {
		return read
	}
	return s.known.Schema(resource)
}
