package kube

import (
	"encoding/json"
	"fmt"

	"github.com/informerd/informerd/internal/sink"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
)

// NewJSONClient returns a client for the server of the configuration, without connecting to it.
// Requests have their whole path, and JSON that the caller reads and writes.
//
// client-go's clientset, and its packages discovery and leaderelection which need that, link and
// register each type of Kubernetes: half of the program, for what is three small types here.
func NewJSONClient(cfg *rest.Config) (*rest.RESTClient, error) {
	cfg = rest.CopyConfig(cfg)
	cfg.AcceptContentTypes, cfg.ContentType = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	cfg.GroupVersion = nil
	cfg.APIPath = "/"
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(statusScheme).WithoutConversion()
	h, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("the API server %s: %w", address(cfg), err)
	}
	c, err := rest.UnversionedRESTClientForConfigAndClient(cfg, h)
	return c, sink.ErrorOf("the API server "+address(cfg), err)
}

// statusScheme decodes the errors the server sends, and nothing else.
var statusScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, metav1.Unversioned)
	return scheme
}()

// ReadJSON decodes a result of a client that NewJSONClient has made.
func ReadJSON(result rest.Result, into any) error {
	if err := result.Error(); err != nil { // Raw does not read what the server says about it
		return err
	}
	text, err := result.Raw()
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
