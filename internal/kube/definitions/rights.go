package definitions

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/kube"
	openapi "github.com/informerd/informerd/internal/schema"
)

// definitionResource is that of CustomResourceDefinitions.
var definitionResource = kube.Resource{
	GVR: schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1",
		Resource: "customresourcedefinitions"},
	GVK: schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1",
		Kind: "CustomResourceDefinition"},
}

// Needed reports whether one of these names of resources, as a configuration has them, is not that
// of a built-in resource.
func Needed(names ...string) bool {
	builtin, err := openapi.Builtin()
	if err != nil {
		return true
	}
	return slices.ContainsFunc(names, func(name string) bool {
		_, known := builtin.Lookup(name)
		return !known
	})
}

// Rights returns what a configuration needs that asks for resources of these names: nothing if all
// of them are built in. Without these rights everything works, but resources that come later are
// found by polling.
func Rights(names ...string) (all []kube.Right) {
	if !Needed(names...) {
		return nil
	}
	for _, verb := range []string{"list", "watch"} {
		all = append(all, kube.Right{Resource: definitionResource, Verb: verb})
	}
	return all
}
