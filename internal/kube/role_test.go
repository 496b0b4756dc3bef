package kube

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestRoles(t *testing.T) {
	of := func(group, resource string) Resource {
		return Resource{GVR: schema.GroupVersionResource{Group: group, Version: "v1",
			Resource: resource}}
	}
	got := Roles("informerd", []Right{
		{of("apps", "deployments"), "shop", "watch"}, {of("apps", "deployments"), "shop", "list"}, {
			of("", "pods"), "shop", "list"},
		{of("", "nodes"), "", "watch"}, {of("apps", "deployments"), "123", "list"}, {
			of("apps", "deployments"), "shop", "list"},
	})
	want := `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: informerd}
rules:
- {apiGroups: [""], resources: ["nodes"], verbs: [watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: informerd, namespace: "123"}
rules:
- {apiGroups: ["apps"], resources: ["deployments"], verbs: [list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: informerd, namespace: "shop"}
rules:
- {apiGroups: [""], resources: ["pods"], verbs: [list]}
- {apiGroups: ["apps"], resources: ["deployments"], verbs: [list, watch]}
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Roles("informerd", nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
