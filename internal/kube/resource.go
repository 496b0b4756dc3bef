package kube

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is a resource that the server has, and that can be listed and watched.
type Resource struct {
	GVR schema.GroupVersionResource
	GVK schema.GroupVersionKind
	// Namespaced is false for resources of the whole cluster, such as nodes.
	Namespaced bool
}

// String gives the name with group and version, as in "deployments (apps/v1)".
func (r Resource) String() string {
	return fmt.Sprintf("%s (%s)", r.GVR.Resource, r.GVR.GroupVersion())
}

// IsSecrets tells whether these are the core group's Secrets, by whatever name they were asked for.
func (r Resource) IsSecrets() bool {
	return r.GVR.Group == "" && r.GVR.Resource == "secrets"
}

// CheckNamespaces refuses namespaces for a resource that has none.
func (r Resource) CheckNamespaces(namespaces []string) error {
	if r.Namespaced || len(namespaces) == 0 {
		return nil
	}
	return fmt.Errorf("%s belong to the whole cluster and cannot be limited to namespaces (%s); remove namespaces", r, list(namespaces))
}
