package kube

import (
	"fmt"
	"strings"

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

// query is one way to read a name: resource, resource.group, resource.version or
// resource.version.group.
type query struct {
	resource, version string
	group             string
	anyGroup          bool
}

// queries gives the ways to read a name, the likeliest first.
func queries(name string) []query {
	resource, rest, _ := strings.Cut(strings.TrimSuffix(name, "."), ".")
	if rest == "" {
		return []query{{resource: resource, anyGroup: true}}
	}
	first, group, _ := strings.Cut(rest, ".")
	return []query{
		{resource: resource, version: first, group: group}, // pods.v1, deployments.v1.apps
		{resource: resource, group: rest},                  // deployments.apps
	}
}
