package wire

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

	"github.com/informerd/informerd/internal/backoff"
)

// Client sends requests over client-go's rest client, and asks for JSON. It is safe for concurrent
// use.
type Client struct {
	rest rest.Interface
	http *http.Client
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
	cfg.APIPath = "/" // each request has its whole path
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(statusScheme).WithoutConversion()
	h, err := httpClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for %s: %w", cfg.Host, err)
	}
	c, err := rest.UnversionedRESTClientForConfigAndClient(cfg, h)
	if err != nil {
		return nil, fmt.Errorf("cannot make a client for %s: %w", cfg.Host, err)
	}
	return &Client{rest: c, http: h}, nil
}

// statusScheme decodes the errors the server sends, and nothing else.
var statusScheme, listOptionsCodec = func() (*runtime.Scheme, runtime.ParameterCodec) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.Unversioned)
	return scheme, runtime.NewParameterCodec(scheme)
}()

// CloseIdleConnections ends the connections that no request uses. The Client can be used further.
func (c *Client) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(c.http.Transport) }

// Collection lists and watches the objects of one resource, or those of them that selectors match.
type Collection struct {
	client        rest.Interface
	path          string
	labelSelector string
	fieldSelector string
	// MetadataOnly has the server send objects without anything but their metadata, if it can.
	MetadataOnly bool
}

// metadataOnly is what a client accepts that wants no more.
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

// Collection returns the objects of a resource in a namespace, "" for all namespaces.
func (c *Client) Collection(resource schema.GroupVersionResource,
	namespace, labelSelector, fieldSelector string) *Collection {
	return &Collection{client: c.rest, path: resourcePath(resource, namespace),
		labelSelector: labelSelector, fieldSelector: fieldSelector}
}

func resourcePath(resource schema.GroupVersionResource, namespace string) string {
	segments := []string{"/apis", resource.Group, resource.Version}
	if resource.Group == "" {
		segments = []string{"/api", resource.Version}
	}
	if namespace != "" {
		segments = append(segments, "namespaces", namespace)
	}
	return strings.Join(append(segments, resource.Resource), "/")
}

// List requests a page of a list, and returns the answer's body, which the caller closes. It ends
// with an error when ctx does.
func (c *Collection) List(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	return c.open(ctx, opts)
}

// Watch requests a watch, as List does a page.
func (c *Collection) Watch(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	opts.Watch = true
	return c.open(ctx, opts)
}

// open leaves rate limits and retries to the caller, whose backoff covers both.
func (c *Collection) open(ctx context.Context, opts metav1.ListOptions) (io.ReadCloser, error) {
	opts.LabelSelector, opts.FieldSelector = c.labelSelector, c.fieldSelector
	ctx, delays := backoff.NoteDelays(ctx)
	request := c.client.Verb(http.MethodGet)
	if c.MetadataOnly {
		request = request.SetHeader("Accept", metadataOnly)
	}
	body, err := request.AbsPath(c.path).
		SpecificallyVersionedParams(&opts, listOptionsCodec, metav1.Unversioned).
		Throttle(nil).MaxRetries(0).Stream(ctx)
	return body, delays.With(err)
}
