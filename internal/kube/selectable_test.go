package kube

import "testing"

func TestSelectable(t *testing.T) {
	for _, tt := range []struct {
		resource, field string
		want            bool
	}{
		{"pods", "status.phase", true},
		{"pods.v1", "status.phase", true},
		{"Pods", "spec.nodeName", true},
		{"pods", "status.qosClass", false},
		{"events", "reason", true},
		{"events.events.k8s.io", "reason", false}, // it has no such field
		{"certificatesigningrequests.certificates.k8s.io", "spec.signerName", true},
		{"certificatesigningrequests.v1.certificates.k8s.io", "spec.signerName", true},
		{"deployments.apps", "spec.paused", false},
		{"", "", false},
	} {
		if got := Selectable(tt.resource, tt.field); got != tt.want {
			t.Errorf("%s of %s: %t", tt.field, tt.resource, got)
		}
	}
}
