package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/sink/kubeapi"
)

// Events are the Kubernetes Events that outputs write.
var Events = Resource{
	GVR: schema.GroupVersionResource{Group: "events.k8s.io", Version: "v1",
		Resource: "events"},
	GVK:        schema.GroupVersionKind{Group: "events.k8s.io", Version: "v1", Kind: "Event"},
	Namespaced: true,
}

// ConfigMaps and Leases are what the election of a leader writes.
var (
	ConfigMaps = Resource{
		GVR:        schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		GVK:        schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"},
		Namespaced: true,
	}
	Leases = Resource{
		GVR: schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1",
			Resource: "leases"},
		GVK:        schema.GroupVersionKind{Group: "coordination.k8s.io", Version: "v1", Kind: "Lease"},
		Namespaced: true,
	}
)

// Allowed reports whether the account has a right. Every account may ask for its own. Unlike
// trying, it changes nothing.
func (w *Writer) Allowed(ctx context.Context, right Right) (bool, error) {
	gvr := right.Resource.GVR
	review := authorizationv1.SelfSubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: authorizationv1.SchemeGroupVersion.String(),
			Kind: "SelfSubjectAccessReview"},
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: right.Namespace, Verb: right.Verb, Group: gvr.Group,
				Version: gvr.Version, Resource: gvr.Resource, Name: right.Name,
			},
		},
	}
	body, err := json.Marshal(review)
	if err != nil {
		return false, err
	}
	answer, err := w.Do(ctx, kubeapi.Request{Method: http.MethodPost,
		Group: authorizationv1.GroupName, Version: "v1", Resource: "selfsubjectaccessreviews",
		Body: body})
	if err != nil {
		return false, err
	}
	var reviewed struct{ Status *struct{ Allowed bool } }
	if err := json.Unmarshal(answer, &reviewed); err != nil {
		return false, fmt.Errorf("the answer is not an access review: %w", err)
	}
	if reviewed.Status == nil {
		return false, errors.New("the answer is not an access review: it has no status")
	}
	return reviewed.Status.Allowed, nil
}
