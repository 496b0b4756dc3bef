package kube

import (
	"context"
	"fmt"
	"net/url"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/backoff"
)

// Resolver finds the resources of one API server by name. Make one with NewResolver; it is safe for
// concurrent use.
type Resolver struct {
	server string
	client *rest.RESTClient
	// asking holds one token for the call that asks the server; the others wait for its result.
	asking chan struct{}
	// reading is the same for documents, see OpenAPI.
	reading chan struct{}

	mu         sync.Mutex // guards all below
	kept       *catalogue
	documents  map[schema.GroupVersion][]byte
	generation int // counts calls of Invalidate
}

// NewResolver returns a Resolver for the server of the configuration, without connecting to it.
func NewResolver(cfg *rest.Config) (*Resolver, error) {
	asked := rest.CopyConfig(cfg)
	asked.Wrap(backoff.Transport)
	client, err := NewJSONClient(asked)
	if err != nil {
		return nil, err
	}
	return &Resolver{
		server: address(cfg), client: client, asking: make(chan struct{}, 1),
		reading: make(chan struct{}, 1), documents: map[schema.GroupVersion][]byte{},
	}, nil
}

// address returns the server's address, without a password that it may have.
func address(cfg *rest.Config) string {
	u, err := url.Parse(cfg.Host)
	if err != nil {
		return cfg.Host
	}
	return u.Redacted()
}

// Server returns the server's address.
func (r *Resolver) Server() string { return r.server }

// Resolve finds the resource of a name: pods, po, Pod, deployments.apps,
// certificates.v1.cert-manager.io. The error is an *UnknownResourceError, an *UnwatchableError, an
// *UnreachableError, or another one if the server refuses, its answer is malformed, or the context
// ends.
func (r *Resolver) Resolve(ctx context.Context, name string) (Resource, error) {
	c, isNew, err := r.catalogue(ctx, nil)
	if err != nil {
		return Resource{}, err
	}
	found := c.find(name)
	if (found == nil || !found.watchable()) && !isNew {
		// The cached answer may be out of date.
		if c, _, err = r.catalogue(ctx, c); err != nil {
			return Resource{}, err
		}
		found = c.find(name)
	}
	switch {
	case found == nil:
		return Resource{}, &UnknownResourceError{Server: r.server, Name: name, Near: c.near(name),
			Failed: c.failedFor(name)}
	case !found.watchable():
		return Resource{}, &UnwatchableError{Server: r.server, Resource: found.Resource,
			Verbs: found.verbs}
	default:
		return found.Resource, nil
	}
}

// CloseIdleConnections ends the connections that no request uses.
func (r *Resolver) CloseIdleConnections() {
	utilnet.CloseIdleConnectionsFor(r.client.Client.Transport)
}

// Invalidate clears the cache: the next Resolve or OpenAPI asks the server.
func (r *Resolver) Invalidate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept, r.documents = nil, map[schema.GroupVersion][]byte{}
	r.generation++
}

// catalogue returns the cached one if it is not the one that lacked the name, or else asks the
// server. Concurrent calls share the answer.
func (r *Resolver) catalogue(ctx context.Context, wanting *catalogue) (c *catalogue, isNew bool,
	err error) {
	select {
	case r.asking <- struct{}{}:
		defer func() { <-r.asking }()
	case <-ctx.Done():
		return nil, false, fmt.Errorf("asking %s for its resources: %w", r.server,
			context.Cause(ctx))
	}
	r.mu.Lock()
	kept, generation := r.kept, r.generation
	r.mu.Unlock()
	if kept != nil && kept != wanting {
		return kept, false, nil
	}
	if c, err = r.ask(ctx); err != nil {
		return nil, false, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if generation == r.generation { // else it was invalidated meanwhile
		r.kept = c
	}
	return c, true, nil
}

// ask requests all groups and their resources from the server. Groups that fail are noted; if all
// fail, that is an error.
func (r *Resolver) ask(ctx context.Context) (*catalogue, error) {
	ctx, delays := backoff.NoteDelays(ctx)
	found, err := r.discover(ctx)
	if err != nil {
		err = discoveryError(ctx, r.server, err)
		if unreachable, ok := err.(*UnreachableError); ok {
			unreachable.RetryAfter = delays.Delay()
		}
		return nil, err
	}
	if err := allFailed(found); err != nil {
		return nil, &UnreachableError{Server: r.server, Err: err, RetryAfter: delays.Delay()}
	}
	return newCatalogue(found), nil
}
