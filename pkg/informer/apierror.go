package informer

import (
	"errors"
	"io"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

func isStreamEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err)
}

func isExpired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// isTooLarge: the server has not yet seen the version that was asked for. Servers before 1.17 say so in words only.
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

// isBusy: the server is there, or will be again, and nothing was missed.
func isBusy(err error) bool {
	return err != nil && (utilnet.IsConnectionRefused(err) || apierrors.IsTooManyRequests(err))
}
