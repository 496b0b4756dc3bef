package rights

import (
	"context"
	"errors"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/backoff"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/sink"
)

// server refuses every request, and knows one right that is denied, or does not answer.
type server struct {
	denied string
	away   error
}

func (s server) Allowed(_ context.Context, right kube.Right) (bool, error) {
	return right.String() != s.denied, s.away
}

// Do implements sink.KubeAPI.
func (s server) Do(context.Context, sink.KubeRequest) ([]byte, error) {
	return nil, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "web",
		errors.New("no"))
}

// A refused patch for which the right is missing is tried again later, alone. What is refused for
// another reason, or nobody knows why, is not.
func TestGuard(t *testing.T) {
	const right = `patch pods "web" in shop`
	for _, test := range []struct {
		server
		missing bool
	}{
		{server{denied: right}, true},
		{server{denied: `get pods "web" in shop`}, false},
		{server{denied: right, away: errors.New("no answer")}, false},
	} {
		_, err := Guard(test.server, test.server).Do(t.Context(), sink.KubeRequest{
			Method: http.MethodPatch, Version: "v1", Resource: "pods", Namespace: "shop", Name: "web"})
		failed := sink.KubeFailure(err)
		if sink.IsPermanent(failed) == test.missing || sink.IsAlone(failed) != test.missing ||
			test.missing && backoff.RetryAfter(failed) != sink.RightDelay {
			t.Errorf("%+v: got %v", test.server, failed)
		}
	}
}
