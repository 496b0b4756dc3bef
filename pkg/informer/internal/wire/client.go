package informer

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/kube/retryafter"
)

// Resource names what an informer watches.
type Resource struct {
	schema.GroupVersionResource
	// Kind is given to list items, which come without one. Objects of another kind are not taken.
	Kind string
}

// String gives the resource with its group, as in "pods" or "deployments.apps": the form used in
// event subjects.
func (r Resource) String() string { return r.GroupResource().String() }

// Scope is the part of a resource an informer watches. The zero Scope is all of it.
type Scope struct {
	Namespace     string // empty: all namespaces, or a cluster-scoped resource
	LabelSelector string
	FieldSelector string
}

// ListWatcher opens the API server's answers as streams of bytes. The reader belongs to the caller,
// who closes it; it ends with an error when ctx does. Errors of the server are those of
// k8s.io/apimachinery/pkg/api/errors.
type ListWatcher interface {
	List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error)
	Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error)
}

// Client opens lists and watches of any resource over client-go's rest client, as JSON. It is safe
// for concurrent use.
type Client struct {
	rest rest.Interface
	http *http.Client
	host string
}

// NewClient makes a Client for an API server. cfg is not changed. Its Timeout must be 0, as it
// would end every watch. The Client has connections of its own, unless cfg brings a Transport. With
// cfg's DisableCompression it never asks for compressed answers.
func NewClient(cfg *rest.Config) (*Client, error) {
	if cfg.Timeout != 0 {
		return nil, fmt.Errorf(
			"rest config has a timeout of %v, which would end each watch: set it to 0", cfg.Timeout)
	}
	cfg = rest.CopyConfig(cfg)
	cfg.AcceptContentTypes, cfg.ContentType = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	cfg.GroupVersion = nil
	cfg.APIPath = "/" // each request gives its whole path
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(statusScheme).WithoutConversion()
	h, err := httpClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for %s: %w", cfg.Host, err)
	}
	c, err := rest.UnversionedRESTClientForConfigAndClient(cfg, h)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for %s: %w", cfg.Host, err)
	}
	return &Client{rest: c, http: h, host: cfg.Host}, nil
}

// statusScheme decodes the errors the server sends, and nothing else.
var statusScheme, listOptionsCodec = func() (*runtime.Scheme, runtime.ParameterCodec) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.Unversioned)
	return scheme, runtime.NewParameterCodec(scheme)
}()

// Host is the API server's address.
func (c *Client) Host() string { return c.host }

// CloseIdleConnections ends the connections that no list or watch uses. Without it they end after
// 90 seconds. The Client can be used further.
func (c *Client) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(c.http.Transport) }

// ListWatcher gives the lists and watches of one resource and scope.
func (c *Client) ListWatcher(resource Resource, scope Scope) ListWatcher {
	return &restListWatcher{client: c.rest, path: resourcePath(resource, scope.Namespace),
		scope: scope}
}

type restListWatcher struct {
	client rest.Interface
	path   string
	scope  Scope
}

func resourcePath(resource Resource, namespace string) string {
	segments := []string{"/apis", resource.Group, resource.Version}
	if resource.Group == "" {
		segments = []string{"/api", resource.Version}
	}
	if namespace != "" {
		segments = append(segments, "namespaces", namespace)
	}
	return strings.Join(append(segments, resource.Resource), "/")
}

func (lw *restListWatcher) List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser,
	error) {
	return lw.open(ctx, opts)
}

func (lw *restListWatcher) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser,
	error) {
	opts.Watch = true
	return lw.open(ctx, opts)
}

// open leaves rate limiting and retries to the reflector, whose backoff covers both.
func (lw *restListWatcher) open(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser,
	error) {
	opts.LabelSelector, opts.FieldSelector = lw.scope.LabelSelector, lw.scope.FieldSelector
	ctx, delays := retryafter.Note(ctx)
	body, err := lw.client.Verb(http.MethodGet).AbsPath(lw.path).
		SpecificallyVersionedParams(&opts, listOptionsCodec, metav1.Unversioned).
		Throttle(nil).MaxRetries(0).Stream(ctx)
	return body, delays.With(err)
}
