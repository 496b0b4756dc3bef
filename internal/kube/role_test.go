package kube

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRightAsText(t *testing.T) {
	deployments := Resource{GVR: schema.GroupVersionResource{Group: "apps", Version: "v1",
		Resource: "deployments"}}
	for want, right := range map[string]Right{
		"list deployments.apps":                {deployments, "", "", "list"},
		"list deployments.apps in shop":        {deployments, "shop", "", "list"},
		`patch deployments.apps "web" in shop`: {deployments, "shop", "web", "patch"},
		"watch leases.coordination.k8s.io":     {Leases, "", "", "watch"},
		"get configmaps in ha":                 {ConfigMaps, "ha", "", "get"},
	} {
		if got := right.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
