package kube

import "testing"

func TestParseReference(t *testing.T) {
	for text, want := range map[string]Reference{
		"pod/default/web":         {"pod", "default", "web"},
		"deployments.apps/shop/a": {"deployments.apps", "shop", "a"},
		"Pod/default/web":         {"Pod", "default", "web"},
		"node/n1":                 {"node", "", "n1"},
		"clusterrole/system:node": {"clusterrole", "", "system:node"},
		"gadgets.v1alpha1.example.com/shop/a.b-c": {
			"gadgets.v1alpha1.example.com", "shop", "a.b-c"},
	} {
		if ref, ok := ParseReference(text); !ok || ref != want || ok && ref.String() != text {
			t.Errorf("%s: %+v, %t", text, ref, ok)
		}
	}
	for _, text := range []string{
		"", "-", "pod", "pod.yaml", "./pod/web", "../web", "/pod/web", "/etc/pod", "pod/",
		"pod//web", "a/b/c/d", "~/pod", "my objects/pod",
		"objects/pod.yaml", "objects/shop/pod.json", "objects/pod.yml", "pod/Shop/web",
		"pod/a.b/web",
	} {
		if ref, ok := ParseReference(text); ok {
			t.Errorf("%q is %+v", text, ref)
		}
	}
}
