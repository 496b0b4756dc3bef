package wire

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/informerd/informerd/internal/backoff"
)

// IsExpired reports whether the server no longer has the version that was asked for: the 410 Gone
// of a list or a watch.
func IsExpired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// IsTooLarge reports whether the server has not yet seen the version that was asked for. Servers
// before 1.17 say so in words only.
func IsTooLarge(err error) bool {
	if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return true
	}
	if !apierrors.IsTimeout(err) {
		return false
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	const words = "Too large resource version"
	if d := status.Status().Details; d != nil {
		for _, cause := range d.Causes {
			if strings.Contains(cause.Message, words) {
				return true
			}
		}
	}
	return strings.Contains(status.Status().Message, words)
}

// IsBusy reports whether the server, or a proxy in front of it, cannot answer for the moment.
// Nothing was missed.
func IsBusy(err error) bool {
	switch {
	case err == nil, IsExpired(err), IsTooLarge(err):
		return false
	case utilnet.IsConnectionRefused(err), backoff.RetryAfter(err) > 0:
		return true
	}
	switch statusCode(err) {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isDamaged reports whether what was read is not what the server sent, maybe for a while already.
func isDamaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) ||
		errors.As(err, &corrupt)
}

// IsNoAnswer reports whether the request, or its answer, was lost on the way, which says nothing
// about the resource.
func IsNoAnswer(err error) bool { return err != nil && statusCode(err) == 0 }

// IsTransient reports whether the server answered with a failure that is not about what was asked
// for, and may be over at the next request.
func IsTransient(err error) bool {
	code := statusCode(err)
	return code >= 500 && !IsTooLarge(err) || code == http.StatusUnauthorized ||
		code == http.StatusForbidden
}

// statusCode returns the HTTP status of the server's answer, 0 if there was none.
func statusCode(err error) int {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return 0
	}
	return int(status.Status().Code)
}
