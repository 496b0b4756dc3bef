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

// UnreachableError says that the server gave no answer, or none that can be used, and may do so
// later.
type UnreachableError struct {
	Server string // its address
	Err    error
	// RetryAfter is how long the server wants to be left alone, 0 if it did not say.
	RetryAfter time.Duration
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the API server %s cannot be reached: %v", e.Server, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// UnknownResourceError says that the server has no resource of this name, at present.
type UnknownResourceError struct {
	Server string
	Name   string // as it was asked for
	// Near are resources the server has that may have been meant.
	Near []Resource
	// Failed are the groups (group/version) the server could not tell about and in which the
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
		text += "; the server cannot tell at the moment what is in " + strings.Join(e.Failed, ", ")
	}
	return text
}

// UnwatchableError says that the server has the resource, but that it cannot be listed and watched.
type UnwatchableError struct {
	Server   string
	Resource Resource
	Verbs    []string // what can be done with it
}

func (e *UnwatchableError) Error() string {
	return fmt.Sprintf("%s on %s cannot be listed and watched, only: %s", e.Resource, e.Server,
		strings.Join(e.Verbs, ", "))
}

// UnpublishedSchemaError says that the server does not tell what the resources of a group version
// look like.
type UnpublishedSchemaError struct {
	Server       string
	GroupVersion schema.GroupVersion
}

func (e *UnpublishedSchemaError) Error() string {
	return fmt.Sprintf("%s publishes no OpenAPI v3 schema of %s", e.Server, e.GroupVersion)
}

// discoveryError sorts what went wrong when the server was asked for its resources.
func discoveryError(ctx context.Context, server string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("asking %s for its resources: %w", server, context.Cause(ctx))
	}
	var status *apierrors.StatusError
	var transport *url.Error
	switch {
	case errors.As(err, &transport):
		return &UnreachableError{Server: server, Err: transport.Err}
	case !errors.As(err, &status):
		return fmt.Errorf("the API server %s gives an answer that is no list of resources: %w",
			server, err)
	}
	switch status = withReason(status); {
	case apierrors.IsUnauthorized(status), apierrors.IsForbidden(status):
		return fmt.Errorf("the API server %s does not let informerd see its resources: %w", server,
			status)
	case apierrors.IsTooManyRequests(status), status.ErrStatus.Code >= 500:
		return &UnreachableError{Server: server, Err: status}
	default:
		return fmt.Errorf("%s does not answer as an API server does: %w", server, status)
	}
}

// withReason gives an error that says at least its reason: the discovery client does not read what
// the server writes about an error, and calls it unknown.
func withReason(err *apierrors.StatusError) *apierrors.StatusError {
	said := *err
	if said.ErrStatus.Message == "unknown" {
		said.ErrStatus.Message = string(said.ErrStatus.Reason)
	}
	return &said
}
