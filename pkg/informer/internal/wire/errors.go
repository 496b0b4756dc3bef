package informer

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/informerd/informerd/internal/kube/retryafter"
)

func isExpired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// isTooLarge: the server has not yet seen the version that was asked for. Servers before 1.17 say
// so in words only.
func isTooLarge(err error) bool {
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

// isBusy: the server is there, or will be again, and nothing was missed. Proxies say so, too.
func isBusy(err error) bool {
	switch {
	case err == nil, isExpired(err), isTooLarge(err):
		return false
	case utilnet.IsConnectionRefused(err), retryafter.Of(err) > 0:
		return true
	}
	switch statusCode(err) {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isDamaged: what was read is not what the server sent, and that may have been so for a while.
func isDamaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) ||
		errors.As(err, &corrupt)
}

// isNoAnswer: the request, or its answer, was lost on the way, which says nothing about the
// resource.
func isNoAnswer(err error) bool { return err != nil && statusCode(err) == 0 }

// isForNow: the server answered with a failure that is not about what was asked for, and may be
// over at the next request.
func isForNow(err error) bool {
	code := statusCode(err)
	return code >= 500 && !isTooLarge(err) || code == http.StatusUnauthorized ||
		code == http.StatusForbidden
}

// statusCode returns the HTTP status the server answered with, 0 if it did not answer.
func statusCode(err error) int {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return 0
	}
	return int(status.Status().Code)
}
