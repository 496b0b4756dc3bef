package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink/kubeapi"
)

// RefusedError is the error of an object that the API server does not take.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "the API server refuses the object: " + e.Reason }

// TryOut returns what the API server makes of an object that is created or, if it replaces one,
// updated: with its defaults, its admission and its checks. It is a dry run, which keeps nothing,
// and needs the right to create or update objects of the kind. One that is created has no uid,
// since it will be another one. The error is a *RefusedError if the server does not take the
// object; another one says why the server could not be asked.
func (c *Cluster) TryOut(ctx context.Context, resource string, object []byte, replaces bool) (
	[]byte, error) {
	found, err := c.resolver.Resolve(ctx, resource)
	if err != nil {
		return nil, err
	}
	var is struct {
		APIVersion string
		Metadata   struct{ Namespace, Name string }
	}
	if err := json.Unmarshal(object, &is); err != nil {
		return nil, err
	}
	if is.APIVersion != found.GVR.GroupVersion().String() {
		return nil, fmt.Errorf("the object is of %s, and is asked about as one of %s",
			is.APIVersion, found.GVR.GroupVersion())
	}
	r := kubeapi.Request{Method: http.MethodPost, Group: found.GVR.Group,
		Version: found.GVR.Version, Resource: found.GVR.Resource, Namespace: is.Metadata.Namespace,
		Body: object, FieldManager: "kubectl-client-side-apply", DryRun: true, Strict: true}
	if replaces {
		r.Method, r.Name = http.MethodPut, is.Metadata.Name
	}
	tried, err := c.writer.Do(ctx, r)
	if err == nil && !replaces {
		tried, err = withoutUID(tried)
	}
	return tried, refusal(err, r)
}

func withoutUID(object []byte) ([]byte, error) {
	var is unstructured.Unstructured
	if err := is.UnmarshalJSON(object); err != nil {
		return nil, err
	}
	is.SetUID("")
	return is.MarshalJSON()
}

// refusal returns an error as TryOut does.
func refusal(err error, r kubeapi.Request) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err
	}
	s := status.Status()
	switch s.Code {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusRequestEntityTooLarge,
		http.StatusUnprocessableEntity:
	case http.StatusForbidden:
		verb := map[string]string{http.MethodPost: "create", http.MethodPut: "update"}[r.Method]
		if strings.Contains(s.Message, " cannot "+verb+" resource ") { // about whoever asks
			return fmt.Errorf("the account may not %s %s", verb,
				schema.GroupResource{Group: r.Group, Resource: r.Resource})
		}
	default:
		return err
	}
	if strings.Contains(s.Message, "does not support dry run") {
		return err // a webhook with side effects
	}
	return &RefusedError{s.Message}
}
