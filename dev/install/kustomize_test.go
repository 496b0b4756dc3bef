package install

import (
	"path/filepath"
	"testing"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// kustomized builds a folder of deploy/kustomize.
func kustomized(t *testing.T, name string) string {
	t.Helper()
	all, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		filepath.Join(repository(t), "deploy", "kustomize", name))
	if err != nil {
		t.Fatal(err)
	}
	text, err := all.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestKustomize: the default overlay is the manifest, but for the namespace, which is to be there.
func TestKustomize(t *testing.T) {
	byName := func(text string) map[string]string {
		all := map[string]string{}
		for _, o := range objects(t, text) {
			o.SetAnnotations(nil)
			o.SetLabels(nil)
			if o.GetKind() != "Namespace" {
				if o.GetKind() == "ServiceAccount" {
					delete(o.Object, "automountServiceAccountToken") // pods say it themselves
				}
				all[o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName()] = toYAML(t, o.Object)
			}
		}
		return all
	}
	want, got := byName(read(t, "deploy", "informerd.yaml")), byName(kustomized(t, "default"))
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is\n%s\nand should be\n%s", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d objects, not %d", len(got), len(want))
	}
	if n := len(objects(t, kustomized(t, "example"))); n != 8 {
		t.Errorf("the example has %d objects", n)
	}
}
