package kube

import (
	"context"
	"errors"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	return w.allowed(ctx, authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: right.Namespace, Verb: right.Verb, Group: gvr.Group,
			Version: gvr.Version, Resource: gvr.Resource, Name: right.Name,
		}})
}

func (w *Writer) allowed(ctx context.Context,
	spec authorizationv1.SelfSubjectAccessReviewSpec) (bool, error) {
	asked := authorizationv1.SelfSubjectAccessReview{
		TypeMeta: metav1.TypeMeta{APIVersion: authorizationv1.SchemeGroupVersion.String(),
			Kind: "SelfSubjectAccessReview"}, Spec: spec,
	}
	var answer struct{ Status *struct{ Allowed bool } }
	if err := review(ctx, w,
		authorizationv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews"), asked,
		&answer); err != nil {
		return false, err
	}
	if answer.Status == nil {
		return false, errors.New("the answer is not an access review: it has no status")
	}
	return answer.Status.Allowed, nil
}
