package sink

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/wording"
)

// KubeTimeout bounds a request. It is a little longer than API servers take with slow webhooks.
const KubeTimeout = 35 * time.Second

// CallKube sends a request within the timeout. Its error is ready for a sink, and wraps the one of
// the API.
func CallKube(ctx context.Context, api KubeAPI, timeout time.Duration,
	r KubeRequest) ([]byte, error) {
	within, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	body, err := api.Do(within, r)
	switch {
	case err == nil:
		return body, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("the API server may still do it: %w", ctx.Err())
	case within.Err() != nil:
		return nil, fmt.Errorf("the API server did not answer within %v",
			timeout.Round(time.Millisecond))
	}
	return nil, KubeFailure(err)
}

// KubeFailure returns an API's error as an error of a sink: permanent or transient, with the delay
// that the server asked for, and with a text that can be logged. One that is marked stays so.
func KubeFailure(err error) error {
	if err == nil {
		return nil
	}
	failed := &KubeError{err}
	switch {
	case errors.Is(err, errNoRight):
		return Alone(RetryAfter(failed, RightDelay))
	case goingNamespace(err):
		return Moot(failed)
	case permanentAnswer(err):
		return Permanent(failed)
	}
	return failed
}

// RightDelay is after how long a request is tried again that the account has no right to.
const RightDelay = 5 * time.Second

// MissingRight marks the error of a request that the account has no right to. It may be granted
// later.
func MissingRight(err error) error { return mark(err, errNoRight) }

// statusOf returns what the API server answered, if it did.
func statusOf(err error) (s metav1.Status, answered bool) {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return s, false
	}
	return status.Status(), true
}

// permanentAnswer reports whether a retry would fail as well. 401 is not about the request, but
// about credentials, which are renewed.
func permanentAnswer(err error) bool {
	status, _ := statusOf(err)
	switch code := status.Code; code {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusConflict,
		http.StatusTooEarly, http.StatusTooManyRequests:
		return false
	case http.StatusInternalServerError:
		return tooLarge(status.Message)
	default:
		return code >= 400 && code < 500
	}
}

// goingNamespace reports whether an error is about a namespace that is being deleted, or gone.
func goingNamespace(err error) bool {
	if apierrors.HasStatusCause(err, "NamespaceTerminating") {
		return true
	}
	status, _ := statusOf(err)
	d := status.Details
	return apierrors.IsNotFound(err) && d != nil && d.Group == "" && d.Kind == "namespaces"
}

// tooLarge reports whether a server's text says that etcd, or the client that it has for that, does
// not take an object of this size.
func tooLarge(text string) bool {
	return strings.Contains(text, "etcdserver: request is too large") ||
		strings.Contains(text, "trying to send message larger than max")
}

// KubeError is an error of a KubeAPI with a text that can be logged.
type KubeError struct{ Err error }

// Unwrap returns the error of the KubeAPI.
func (e *KubeError) Unwrap() error { return e.Err }

// Error returns the status code with the server's text, quoted and bounded.
func (e *KubeError) Error() string {
	s, answered := statusOf(e.Err)
	switch {
	case errors.Is(e.Err, ErrFenced):
		return bounded(e.Err.Error())
	case !answered:
		return "the API server did not answer: " + bounded(e.Err.Error())
	}
	text := fmt.Sprintf("the API server answered %d", s.Code)
	if s.Reason != "" {
		text += " " + bounded(string(s.Reason))
	}
	// The text about invalid fields has their values, even those of Secrets.
	if fields := fields(s); s.Reason == metav1.StatusReasonInvalid && len(fields) > 0 {
		return text + ": " + strings.Join(fields, ", ")
	}
	if s.Message != "" {
		text += fmt.Sprintf(": %q", bounded(s.Message))
	}
	return text
}

// maxFields is how many fields an error lists.
const maxFields = 5

// fields returns the fields that a status is about, with the reason but without their values.
func fields(s metav1.Status) (fields []string) {
	if s.Details == nil {
		return nil
	}
	for _, c := range s.Details.Causes {
		if c.Field == "" {
			continue
		}
		field := fmt.Sprintf("%q", bounded(c.Field))
		if c.Type != "" {
			field += " (" + bounded(string(c.Type)) + ")"
		}
		if slices.Contains(fields, field) {
			continue
		}
		if len(fields) == maxFields {
			return append(fields, "…")
		}
		fields = append(fields, field)
	}
	return fields
}

// About adds to an error which object a message is about. It returns nil for nil.
func About(what string, m *Message, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %q: %w", what, bounded(m.Origin.Resource),
		bounded(m.Object.Key().String()), err)
}

// maxText is how many bytes of a server's text an error has.
const maxText = 300

func bounded(text string) string { return wording.Cut(text, maxText) }

// Quoted returns what a receiver, or the connection to it, says in an error: quoted and bounded.
func Quoted(text string) string { return strconv.Quote(bounded(text)) }
