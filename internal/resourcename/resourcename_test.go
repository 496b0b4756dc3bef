package resourcename

import (
	"reflect"
	"testing"
)

func TestReadings(t *testing.T) {
	for name, want := range map[string][]Reading{
		"pods":    {{Resource: "pods", AnyGroup: true}},
		"pods.":   {{Resource: "pods", AnyGroup: true}},
		"pods.v1": {{Resource: "pods", Version: "v1"}, {Resource: "pods", Group: "v1"}},
		"deployments.apps": {
			{Resource: "deployments", Version: "apps"}, {Resource: "deployments", Group: "apps"}},
		"certificates.v1.cert-manager.io": {
			{Resource: "certificates", Version: "v1", Group: "cert-manager.io"},
			{Resource: "certificates", Group: "v1.cert-manager.io"}},
	} {
		if got := Readings(name); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func TestMayBeSecrets(t *testing.T) {
	for name, want := range map[string]bool{
		"secrets": true, "Secret": true, "secrets.v1": true, "Secret.v1": true, "secrets.": true,
		"secrets.v1.": true,

		"secret-stores": false, "secrets.v2": false, "secrets.vault.example.com": false,
		"secrets.v1.vault.example.com": false, "pods": false, "": false,
	} {
		if got := MayBeSecrets(name); got != want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
