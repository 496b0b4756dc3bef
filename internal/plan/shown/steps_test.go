package shown

import "testing"

func TestSteps(t *testing.T) {
	for path, want := range map[string]string{
		"spec.replicas":                      ".spec.replicas",
		"spec.containers[0].image":           ".spec.containers[0].image",
		`metadata.annotations["a.b/c"]`:      `.metadata.annotations["a.b/c"]`,
		`metadata.annotations["a].b\"/c"].x`: `.metadata.annotations["a].b\"/c"].x`,
		"metadata.annotations.x/y":           `.metadata.annotations["x/y"]`,
		"data.my-key.2nd.ok":                 `.data["my-key"]["2nd"].ok`,
		`["é"].a`:                            `["é"].a`,
		"[0]":                                "[0]",
	} {
		if got := steps(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
