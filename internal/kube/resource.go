package kube

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/pkg/informer"
)

// Resource is a resource of the server that can be listed and watched.
type Resource struct {
	GVR schema.GroupVersionResource
	GVK schema.GroupVersionKind
	// Namespaced is false for resources of the whole cluster, such as nodes.
	Namespaced bool
	// OwnStatus: the status is written with the object, since there is no subresource for it.
	OwnStatus bool
}

// String returns the name with group and version, as in "deployments (apps/v1)".
func (r Resource) String() string {
	return fmt.Sprintf("%s (%s)", r.GVR.Resource, r.GVR.GroupVersion())
}

// Watched returns the resource as informers have it.
func (r Resource) Watched() informer.Resource {
	return informer.Resource{GroupVersionResource: r.GVR, Kind: r.GVK.Kind}
}

// IsConfigMaps reports whether these are the core group's ConfigMaps.
func (r Resource) IsConfigMaps() bool {
	return r.GVR.GroupResource() == ConfigMaps.GVR.GroupResource()
}

// IsSecrets reports whether these are the core group's Secrets, whatever name they were found by.
func (r Resource) IsSecrets() bool {
	return r.GVR.Group == "" && r.GVR.Resource == "secrets"
}

// CheckSecrets returns an error if these are Secrets, by a name in a configuration, and those are
// not allowed.
func (r Resource) CheckSecrets(name string, allowed bool) error {
	if !r.IsSecrets() || allowed {
		return nil
	}
	return fmt.Errorf("%q are Secrets: set allowSecrets: true in the informer to watch them", name)
}

// CheckNamespaces returns an error if there are namespaces and the resource is not in any.
func (r Resource) CheckNamespaces(namespaces []string) error {
	if r.Namespaced || len(namespaces) == 0 {
		return nil
	}
	return fmt.Errorf("%s belong to the whole cluster and cannot be limited to namespaces (%s); remove namespaces", r, list(namespaces))
}
