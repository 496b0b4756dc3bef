package live

import (
	"errors"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/sink/kubeapi"
)

// What a server says of the object is a refusal; what it says of whoever asks, or of itself, is
// not.
func TestRefusal(t *testing.T) {
	r := kubeapi.Request{Method: http.MethodPut, Group: "apps", Resource: "deployments"}
	const refuses = "the API server refuses the object: "
	for _, c := range []struct {
		code          int32
		message, want string
		refused       bool
	}{
		{422, "field is immutable", refuses + "field is immutable", true},
		{400, "strict decoding error", refuses + "strict decoding error", true},
		{404, `namespaces "a" not found`, refuses + `namespaces "a" not found`, true},
		{403, "exceeded quota: pods", refuses + "exceeded quota: pods", true},
		{403, `"web" is forbidden: User "u" cannot update resource "deployments" in API group "apps"`,
			"the account may not update deployments.apps", false},
		{400, `webhook "w" does not support dry run`, `webhook "w" does not support dry run`, false},
		{409, "the object has been modified", "the object has been modified", false},
		{401, "Unauthorized", "Unauthorized", false}, {405, "no", "no", false},
		{429, "later", "later", false}, {500, "broken", "broken", false}, {504, "slow", "slow", false},
	} {
		err := refusal(&apierrors.StatusError{ErrStatus: metav1.Status{Code: c.code,
			Message: c.message}}, r)
		var refused *RefusedError
		if err.Error() != c.want || errors.As(err, &refused) != c.refused {
			t.Errorf("%d %s: %v, %t", c.code, c.message, err, !c.refused)
		}
	}
	other := errors.New("connection refused")
	if err := refusal(other, r); !errors.Is(err, other) {
		t.Error(err)
	}
	if err := refusal(nil, r); err != nil {
		t.Error(err)
	}
}
