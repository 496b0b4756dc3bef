package wire

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTooLargeIsRecognised(t *testing.T) {
	modern := apierrors.NewTimeoutError("x", 1)
	modern.ErrStatus.Details.Causes = []metav1.StatusCause{
		{Type: metav1.CauseTypeResourceVersionTooLarge}}
	older := apierrors.NewTimeoutError("x", 1)
	older.ErrStatus.Details.Causes = []metav1.StatusCause{{Message: "Too large resource version"}}
	for _, err := range []error{modern, older, tooLarge(), fmt.Errorf("wrapped: %w", tooLarge())} {
		if !IsTooLarge(err) {
			t.Errorf("%v is not recognised", err)
		}
	}
	for _, err := range []error{nil, errors.New("Too large resource version"), serverError(),
		apierrors.NewTimeoutError("x", 1)} {
		if IsTooLarge(err) {
			t.Errorf("%v is taken for it", err)
		}
	}
}

// Item 9: expired is 410 in either wording.
func TestExpiredIsRecognised(t *testing.T) {
	gone := apierrors.NewGenericServerResponse(410, "GET", pods.GroupResource(), "", "", 0, true)
	for _, err := range []error{expired(), gone, fmt.Errorf("wrapped: %w", expired())} {
		if !IsExpired(err) {
			t.Errorf("%v is not recognised", err)
		}
	}
	for _, err := range []error{nil, serverError(), tooLarge(), errors.New("410 Gone")} {
		if IsExpired(err) {
			t.Errorf("%v is taken for it", err)
		}
	}
}

func expired() error { return apierrors.NewResourceExpired("too old resource version") }

func tooLarge() error {
	return apierrors.NewTimeoutError("Too large resource version: 7, current: 5", 1)
}

func serverError() error {
	return apierrors.NewGenericServerResponse(http.StatusInternalServerError, "GET",
		pods.GroupResource(), "", "boom", 0, true)
}
