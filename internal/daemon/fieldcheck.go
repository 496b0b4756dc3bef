package daemon

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube/definitions"
	"github.com/informerd/informerd/internal/plan"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
)

// fieldChecker compares what expressions of listeners read of custom resources with the schemas
// that the API server has of them, while informerd runs. Each listener is checked once, and again
// when the definition of a resource that it reads has changed.
//
// A schema is that of the current definition. Without the right to read definitions, and for
// resources without one, it is what the API server publishes. What cannot be read leaves the
// listener's last verdict, and is asked for again.
type fieldChecker struct {
	// known are the schemas that expressions were checked with before; nil: nothing is checked.
	known       plan.Schemas
	definitions schemaSource
	// published returns the OpenAPI v3 document of a group version.
	published func(context.Context, schema.GroupVersion) ([]byte, error)
	// listeners returns those that are there now and read custom resources.
	listeners func() []fieldsOf
	log       *slog.Logger

	wake    chan struct{} // has room for one
	read    map[schema.GroupVersionResource]readSchema
	checked map[string]fieldVerdict // by the names of listeners
}

// fieldsOf is a listener with the custom resources that it reads, by the names that the
// configuration has for them, in the versions that are read.
type fieldsOf struct {
	config    *config.Config
	listener  *config.Listener
	resources map[string]schema.GroupVersionResource
	health    interface {
		// Mistaken notes why the expressions do not fit, nil if they do, and reports whether that
		// is news.
		Mistaken(error) bool
	}
}

// schemaSource is where the schemas of definitions are from. A definitions.Watch is one.
type schemaSource interface {
	Get(schema.GroupResource) *definitions.Definition
	Schema(context.Context, schema.GroupVersionResource) (*filters.Schema, error)
}

// readSchema is a schema with the definition that it was read from, none for a published one.
type readSchema struct {
	uid        string
	generation int64
	schema     *filters.Schema
}

// fieldVerdict is what a listener was compared with last.
type fieldVerdict struct {
	listener *config.Listener
	read     map[string]*filters.Schema
}

func newFieldChecker(log *slog.Logger, known plan.Schemas) *fieldChecker {
	return &fieldChecker{known: known, log: log, wake: make(chan struct{}, 1)}
}

// look has listeners checked soon that were not checked yet, or whose definitions have changed.
func (c *fieldChecker) look() { wake(c.wake) }

// isCustom reports whether a resource has to be looked up on the API server.
func (c *fieldChecker) isCustom(resource string) bool {
	return c.known != nil && c.known(resource) == nil
}

// fieldDelays are those after a schema could not be read. fieldSettling is how long to wait for
// more listeners before they are checked together.
var fieldDelays = backoff.Backoff{Min: 2 * time.Second, Max: 5 * time.Minute}

const fieldSettling = time.Second

// run checks until ctx is done.
func (c *fieldChecker) run(ctx context.Context) {
	var again <-chan time.Time
	for failures := 0; ; {
		select {
		case <-c.wake:
			failures = 0
			again = time.After(fieldSettling)
			continue
		case <-again:
		case <-ctx.Done():
			return
		}
		again = nil
		if err := c.round(ctx); err != nil && ctx.Err() == nil {
			failures++
			c.log.Debug("cannot read a schema, will try again", "error", err)
			again = time.After(fieldDelays.Delay(failures))
		}
	}
}

// round checks what has changed. The error is that of the last schema that could not be read.
func (c *fieldChecker) round(ctx context.Context) (failed error) {
	read, checked := c.read, c.checked
	c.read, c.checked = map[schema.GroupVersionResource]readSchema{}, map[string]fieldVerdict{}
	for _, l := range c.listeners() {
		now := fieldVerdict{l.listener, map[string]*filters.Schema{}}
		complete := true
		for name, resource := range l.resources {
			s, err := c.schema(ctx, resource, read)
			if ctx.Err() != nil {
				return err
			}
			if err != nil {
				complete, failed = false, err
				continue
			}
			now.read[name] = s
		}
		last, was := checked[l.listener.Name]
		switch {
		case was && (!complete || last.listener == l.listener && maps.Equal(last.read, now.read)):
			c.checked[l.listener.Name] = last
		case complete:
			c.checked[l.listener.Name] = now
			c.report(l, plan.MistakesOf(l.config, l.listener, func(name string) *filters.Schema {
				return cmp.Or(now.read[name], c.known(name))
			}))
		}
	}
	return failed
}

// report notes what is wrong with a listener. It goes on: that it has worked so far is no reason to
// miss something now.
func (c *fieldChecker) report(l fieldsOf, mistakes config.Errors) {
	var err error
	if len(mistakes) > 0 {
		err = fmt.Errorf("its expressions do not fit the schema of its objects: %w", mistakes)
	}
	switch changed := l.health.Mistaken(err); {
	case !changed:
	case err == nil:
		c.log.Info("the expressions of a listener fit the schema of its objects again", "listener",
			l.listener.Name)
	default:
		c.log.Error("the expressions of a listener do not fit the schema of its objects",
			"listener", l.listener.Name, "mistakes", len(mistakes), "error", mistakes)
	}
}

// schema returns that of a resource. Each is read once in a round, and if it is of a definition, once
// for each change of that.
func (c *fieldChecker) schema(ctx context.Context, resource schema.GroupVersionResource,
	before map[schema.GroupVersionResource]readSchema) (*filters.Schema, error) {
	if s, ok := c.read[resource]; ok {
		return s.schema, nil
	}
	var now readSchema
	var err error
	if d := c.definitions.Get(resource.GroupResource()); d == nil {
		now.schema, err = c.publishedSchema(ctx, resource)
	} else {
		now.uid, now.generation = d.UID, d.Generation
		last := before[resource]
		if last.uid == now.uid && last.generation == now.generation {
			now.schema = last.schema
		} else {
			now.schema, err = c.definitions.Schema(ctx, resource)
		}
	}
	if err == nil {
		c.read[resource] = now
	}
	return now.schema, err
}

func (c *fieldChecker) publishedSchema(ctx context.Context,
	resource schema.GroupVersionResource) (*filters.Schema, error) {
	document, err := c.published(ctx, resource.GroupVersion())
	if err != nil {
		return nil, err
	}
	set, err := openapi.Parse(document)
	if err != nil {
		return nil, err
	}
	s, _ := set.LookupGVR(resource.Group, resource.Version, resource.Resource)
	return cmp.Or(s, openapi.AnyObject()), nil
}
