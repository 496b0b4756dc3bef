package kube

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The bounds of a request for the document of a group version. The largest of Kubernetes are below
// 2 MB.
const (
	maxDocument     = 32 << 20
	documentTimeout = 30 * time.Second
)

var errDocumentTimeout = fmt.Errorf("no complete answer within %v", documentTimeout)

// OpenAPI returns the OpenAPI v3 document of a group version as JSON, which has the schemas of its
// resources. The caller must not change it. The error is an *UnpublishedSchemaError, an
// *UnreachableError, or another one if the server refuses, its answer is malformed or too large, or
// the context ends.
func (r *Resolver) OpenAPI(ctx context.Context, gv schema.GroupVersion) ([]byte, error) {
	// One at a time: calls that wait for the same document share it.
	select {
	case r.reading <- struct{}{}:
		defer func() { <-r.reading }()
	case <-ctx.Done():
		return nil, schemaError(ctx, r.server, gv, ctx.Err())
	}
	r.mu.Lock()
	kept, generation := r.documents[gv], r.generation
	r.mu.Unlock()
	if kept != nil {
		return kept, nil
	}
	document, err := r.read(ctx, gv)
	if err != nil {
		return nil, schemaError(ctx, r.server, gv, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if generation == r.generation { // else it was invalidated meanwhile
		r.documents[gv] = document
	}
	return document, nil
}

func (r *Resolver) read(ctx context.Context, gv schema.GroupVersion) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, documentTimeout, errDocumentTimeout)
	defer cancel()
	root := "/openapi/v3/apis"
	if gv.Group == "" {
		root = "/openapi/v3/api"
	}
	body, err := r.client.Get().
		AbsPath(root, gv.Group, gv.Version).
		SetHeader("Accept", "application/json").Stream(ctx)
	if err == nil {
		defer body.Close()
		var document []byte
		if document, err = io.ReadAll(io.LimitReader(body, maxDocument+1)); err == nil &&
			len(document) <= maxDocument {
			return document, nil
		}
		if err == nil {
			return nil, errDocumentTooLarge
		}
		// The connection broke, which the transport does not report here.
		err = &url.Error{Op: "Get", URL: r.server, Err: err}
	}
	if ctx.Err() != nil {
		return nil, &url.Error{Op: "Get", URL: r.server, Err: context.Cause(ctx)}
	}
	return nil, err
}

var errDocumentTooLarge = fmt.Errorf("it is larger than %d MiB", maxDocument>>20)
