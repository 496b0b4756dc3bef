package sink

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/backoff"
)

func status(code int32, reason metav1.StatusReason, message string,
	causes ...metav1.StatusCause) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure,
		Code: code, Reason: reason, Message: message,
		Details: &metav1.StatusDetails{Causes: causes}}}
}

func TestWhatIsPermanent(t *testing.T) {
	for code := int32(400); code < 600; code++ {
		want := code < 500
		switch code {
		case 401, 408, 409, 425, 429:
			want = false
		}
		if err := KubeFailure(status(code, "", "no")); IsPermanent(err) != want {
			t.Errorf("%d: permanent is %t", code, !want)
		}
	}
	for _, text := range []string{"etcdserver: request is too large",
		"rpc error: code = ResourceExhausted desc = trying to send message larger than max " +
			"(2097529 vs. 2097152)"} {
		if !IsPermanent(KubeFailure(status(500, "", text))) ||
			IsPermanent(KubeFailure(status(503, "", text))) {
			t.Errorf("%s: is not permanent, or also with 503", text)
		}
	}
	for _, err := range []error{errors.New("connection refused"), status(302, "", ""),
		status(500, "", "etcdserver: mvcc: database space exceeded"), context.Canceled} {
		if IsPermanent(KubeFailure(err)) {
			t.Errorf("%v is permanent", err)
		}
	}
	if !IsPermanent(KubeFailure(Permanent(errors.New("the name is odd")))) || KubeFailure(nil) != nil {
		t.Error("a request that cannot be sent is not permanent, or no error is one")
	}
}

func TestErrorTexts(t *testing.T) {
	secret := strings.Repeat("hunter2", 100)
	invalid := metav1.StatusCause{Type: metav1.CauseTypeFieldValueInvalid, Field: "data[a]",
		Message: "Invalid value: " + secret}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{status(403, metav1.StatusReasonForbidden, "pods \"a\"\nis forbidden"),
			`the API server answered 403 Forbidden: "pods \"a\"\nis forbidden"`},
		{status(422, metav1.StatusReasonInvalid, secret, invalid, invalid),
			`the API server answered 422 Invalid: "data[a]" (FieldValueInvalid)`},
		{status(500, "", ""), `the API server answered 500`},
		{errors.New("dial tcp: refused"), "the API server did not answer: dial tcp: refused"},
	} {
		err := KubeFailure(tt.err)
		if err.Error() != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
	if text := KubeFailure(status(400, "", secret)).Error(); len(text) > 2*maxText {
		t.Errorf("a text of %d bytes", len(text))
	}
	var many []metav1.StatusCause
	for i := range 100 {
		many = append(many, metav1.StatusCause{Field: fmt.Sprint("f", i)})
	}
	if text := KubeFailure(status(422, metav1.StatusReasonInvalid, "", many...)).Error(); text !=
		`the API server answered 422 Invalid: "f0", "f1", "f2", "f3", "f4", …` {
		t.Error(text)
	}
}

func TestADelayIsPassedOn(t *testing.T) {
	busy := apierrors.NewTooManyRequests("wait", 7)
	if got := backoff.RetryAfter(KubeFailure(busy)); got != 7*time.Second {
		t.Errorf("asked for %v", got)
	}
}

type apiFunc func(ctx context.Context, r KubeRequest) ([]byte, error)

func (f apiFunc) Do(ctx context.Context, r KubeRequest) ([]byte, error) { return f(ctx, r) }

func TestCallEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := apiFunc(func(ctx context.Context, _ KubeRequest) ([]byte, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		_, err := CallKube(t.Context(), hangs, time.Second, KubeRequest{})
		if err == nil || errors.Is(err, context.DeadlineExceeded) || IsPermanent(err) ||
			err.Error() != "the API server did not answer within 1s" {
			t.Errorf("after the timeout: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := CallKube(ctx, hangs, time.Second, KubeRequest{}); !errors.Is(err,
			context.DeadlineExceeded) {
			t.Errorf("after ctx: %v", err)
		}
	})
}

func TestReadMetadata(t *testing.T) {
	got, err := ReadKubeMetadata([]byte(
		`{"kind":"Pod","metadata":{"name":"a","uid":"u","resourceVersion":"1"}}`))
	if want := (KubeMetadata{"a", "u", "1"}); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, answer := range []string{"", "null", "<html>", "[]", `{"metadata":7}`,
		`{"metadata":{}}`, `{"metadata":{"name":"a"}`} {
		if got, err := ReadKubeMetadata([]byte(answer)); err == nil || IsPermanent(err) {
			t.Errorf("%s: got %+v, %v", answer, got, err)
		}
	}
}
