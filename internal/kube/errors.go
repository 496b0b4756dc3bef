package kube

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// UnreachableError is the error of a server that did not answer, or not in a usable way, and may do
// so later.
type UnreachableError struct {
	Server string // its address
	Err    error
	// RetryAfter is how long the server asked clients to wait, 0 if it did not.
	RetryAfter time.Duration
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the API server %s cannot be reached: %v", e.Server, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// UnknownResourceError is the error of a name for which the server has no resource at present.
type UnknownResourceError struct {
	Server string
	Name   string // as requested
	// Near are resources of the server that may have been meant.
	Near []Resource
	// Failed are the groups (group/version) that the server could not describe and in which the
	// resource may be.
	Failed []string
}

func (e *UnknownResourceError) Error() string {
	text := fmt.Sprintf("no resource %q on %s", e.Name, e.Server)
	if len(e.Near) > 0 {
		var near []string
		for _, r := range e.Near {
			near = append(near, r.String())
		}
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	if len(e.Failed) > 0 {
		text += "; at the moment the server cannot list the resources of " + strings.Join(e.Failed,
			", ")
	}
	return text
}

// UnwatchableError is the error of a resource that the server has, but that cannot be listed and
// watched.
type UnwatchableError struct {
	Server   string
	Resource Resource
	Verbs    []string // that it has
}

func (e *UnwatchableError) Error() string {
	return fmt.Sprintf("%s on %s cannot be listed and watched, only: %s", e.Resource, e.Server,
		strings.Join(e.Verbs, ", "))
}

// UnpublishedSchemaError is the error of a group version of which the server publishes no schema.
type UnpublishedSchemaError struct {
	Server       string
	GroupVersion schema.GroupVersion
}

func (e *UnpublishedSchemaError) Error() string {
	return fmt.Sprintf("%s publishes no OpenAPI v3 schema of %s", e.Server, e.GroupVersion)
}

// discoveryError classifies an error of asking the server for its resources.
func discoveryError(ctx context.Context, server string, err error) error {
	return askError(ctx, server, "its resources", err,
		"the answer of the API server "+server+" is not a list of resources")
}

// schemaError classifies an error of asking the server for a document.
func schemaError(ctx context.Context, server string, gv schema.GroupVersion, err error) error {
	if ctx.Err() == nil && apierrors.IsNotFound(err) {
		return &UnpublishedSchemaError{Server: server, GroupVersion: gv}
	}
	return askError(ctx, server, "the schema of "+gv.String(), err,
		fmt.Sprintf("the schema of %s on %s cannot be used", gv, server))
}

// askError classifies an error of asking the server for something. If the answer was not that, the
// error says it as malformed does.
func askError(ctx context.Context, server, what string, err error, malformed string) error {
	if ctx.Err() != nil {
		return fmt.Errorf("asking %s for %s: %w", server, what, context.Cause(ctx))
	}
	var status *apierrors.StatusError
	var transport *url.Error
	switch {
	case errors.As(err, &transport):
		return &UnreachableError{Server: server, Err: transport.Err}
	case !errors.As(err, &status):
		return fmt.Errorf("%s: %w", malformed, err)
	case apierrors.IsUnauthorized(status), apierrors.IsForbidden(status):
		return fmt.Errorf("the API server %s does not let informerd see %s: %w", server, what,
			status)
	case apierrors.IsTooManyRequests(status), status.ErrStatus.Code >= 500:
		return &UnreachableError{Server: server, Err: status}
	}
	return fmt.Errorf("%s does not answer as an API server does: %w", server, status)
}
