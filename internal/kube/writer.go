package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/sink"
	"github.com/informerd/informerd/internal/wording"
)

// Writer sends the requests of outputs to the API server. It implements sink.KubeAPI, and is safe
// for concurrent use. Make one with NewWriter.
type Writer struct {
	rest  rest.Interface
	http  *http.Client
	fence *sink.Fence
}

// NewWriter returns a Writer for the server of the configuration, without connecting to it. What it
// sends has to pass the fence, which may be nil. There is no limit of requests per second beyond
// cfg's: each output bounds how many are under way, and the server limits them by priority and
// fairness, with 429 and Retry-After.
func NewWriter(cfg *rest.Config, f *sink.Fence) (*Writer, error) {
	cfg = rest.CopyConfig(cfg)
	if f != nil { // with a Dial of its own it shares no connection with other clients
		if cfg.Dial == nil {
			cfg.Dial = (&net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}).DialContext
		}
		cfg.Dial = f.Dial(cfg.Dial)
	}
	cfg.Wrap(backoff.Transport)
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return &limited{rt} })
	c, err := NewJSONClient(cfg)
	if err != nil {
		return nil, err
	}
	return &Writer{c, c.Client, f}, nil
}

// The times of connections, as client-go has them without a Dial.
const dialTimeout, keepAlive = 30 * time.Second, 30 * time.Second

// metadataOnly is the Accept header that asks for metadata. Aggregated API servers that do not know
// it answer with the whole object.
const metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"

// Do implements sink.KubeAPI.
func (w *Writer) Do(ctx context.Context, r sink.KubeRequest) ([]byte, error) {
	path, err := pathOf(r)
	if err != nil {
		return nil, err
	}
	ctx, delays := backoff.NoteDelays(ctx)
	request := w.rest.Verb(r.Method).AbsPath(path).Throttle(nil).MaxRetries(0)
	if r.MetadataOnly {
		request.SetHeader("Accept", metadataOnly)
	}
	if r.FieldManager != "" {
		request.Param("fieldManager", r.FieldManager)
	}
	if r.DryRun {
		request.Param("dryRun", metav1.DryRunAll)
	}
	if r.Strict {
		request.Param("fieldValidation", metav1.FieldValidationStrict)
	}
	if r.Body != nil {
		request.Body(r.Body).
			SetHeader("Content-Type", cmp.Or(r.ContentType, runtime.ContentTypeJSON))
	}
	if err := w.fence.Check(); err != nil {
		return nil, err
	}
	result := request.Do(ctx)
	if err := result.Error(); err != nil {
		if !answered(err) {
			err = w.fence.Explain(err)
		}
		return nil, delays.With(err)
	}
	return result.Raw()
}

// answered reports whether an error is what the server has answered.
func answered(err error) bool {
	return errors.As(err, new(apierrors.APIStatus))
}

// CloseIdleConnections ends the connections that no request uses.
func (w *Writer) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(w.http.Transport) }

// pathOf returns the path of a request. Names come from objects, so they are checked.
func pathOf(r sink.KubeRequest) (string, error) {
	segments := r.Path()
	for _, s := range segments {
		if s == "" {
			return "", sink.Permanent(errors.New("a part of the object's path is empty"))
		}
		if wrong := rest.IsValidPathSegmentName(s); len(wrong) > 0 {
			return "", sink.Permanent(fmt.Errorf("%q cannot be part of a path: it %s",
				wording.Cut(s, 64), wrong[0]))
		}
	}
	return "/" + strings.Join(segments, "/"), nil
}

// maxAnswer is how many bytes of an answer are read. Objects have at most 3 MiB in requests.
const maxAnswer = 16 << 20

// limited bounds what client-go reads into memory.
type limited struct{ rt http.RoundTripper }

func (l *limited) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.rt.RoundTrip(req)
	if err == nil {
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxAnswer)
	}
	return resp, err
}

// WrappedRoundTripper lets client-go find the transport below, to close its idle connections.
func (l *limited) WrappedRoundTripper() http.RoundTripper { return l.rt }
