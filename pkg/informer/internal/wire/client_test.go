package wire

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestResourcePath(t *testing.T) {
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1",
		Resource: "deployments"}
	for want, got := range map[string]string{
		"/api/v1/pods":                              resourcePath(pods, ""),
		"/api/v1/namespaces/shop/pods":              resourcePath(pods, "shop"),
		"/apis/apps/v1/deployments":                 resourcePath(deployments, ""),
		"/apis/apps/v1/namespaces/shop/deployments": resourcePath(deployments, "shop"),
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
