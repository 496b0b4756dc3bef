package informer

import (
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/pkg/informer/internal/wire"
)

// Resource is what an informer watches.
type Resource struct {
	schema.GroupVersionResource
	// Kind is given to list items, which come without one. Objects of another kind are not taken.
	Kind string
}

// String returns the resource with its group, as in "pods" or "deployments.apps": the form used in
// event subjects.
func (r Resource) String() string { return r.GroupResource().String() }

// Scope is the part of a resource that an informer watches. The zero Scope is all of it.
type Scope struct {
	Namespace     string // empty: all namespaces, or a cluster-scoped resource
	LabelSelector string
	FieldSelector string
	Shard         Shard
}

// ListWatcher opens the API server's answers as streams of bytes. The reader belongs to the caller,
// who closes it; it ends with an error when ctx does. Errors of the server are those of
// k8s.io/apimachinery/pkg/api/errors.
type ListWatcher interface {
	List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error)
}

// Cluster is where informers list and watch: the API server behind a [Client], or a test's fake.
type Cluster interface {
	// ListWatcher returns the lists and watches of one resource and scope. The scope's Shard is left
	// to the informer, and to the ShardSelector in its ListOptions.
	ListWatcher(Resource, Scope) ListWatcher
}

// Client is a [Cluster]: it opens lists and watches of any resource over client-go's rest client,
// as JSON. It is safe for concurrent use.
type Client struct{ wire *wire.Client }

// NewClient makes a Client for an API server. cfg is not changed. Its Timeout must be 0, as it
// would end every watch. The Client has connections of its own, unless cfg brings a Transport. With
// cfg's DisableCompression it never asks for compressed answers.
func NewClient(cfg *rest.Config) (*Client, error) {
	c, err := wire.NewClient(cfg)
	if err != nil {
		return nil, err
	}
	return &Client{c}, nil
}

// CloseIdleConnections ends the connections that no list or watch uses, which otherwise end after
// 90 seconds. The Client can be used further.
func (c *Client) CloseIdleConnections() { c.wire.CloseIdleConnections() }

// ListWatcher returns the lists and watches of one resource and scope. Of a Shard they select what
// their ListOptions.ShardSelector says, if the API server can.
func (c *Client) ListWatcher(resource Resource, scope Scope) ListWatcher {
	return c.collection(resource, scope)
}

// Metadata returns lists and watches of one resource and scope without anything of the objects but
// their metadata, if the API server can leave out the rest.
func (c *Client) Metadata(resource Resource, scope Scope) ListWatcher {
	metadata := c.collection(resource, scope)
	metadata.MetadataOnly = true
	return metadata
}

func (c *Client) collection(resource Resource, scope Scope) *wire.Collection {
	return c.wire.Collection(resource.GroupVersionResource, scope.Namespace, scope.LabelSelector,
		scope.FieldSelector)
}
