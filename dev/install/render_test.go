package install

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

func theChart(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := loader.Load(filepath.Join(repository(t), "deploy", "chart", "informerd"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// values reads values as Helm reads those of a file.
func values(t *testing.T, texts ...string) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, text := range texts {
		one, err := loader.LoadValues(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		all = loader.MergeMaps(all, one)
	}
	return all
}

// render returns the text of all templates, with the notes, sorted by their names.
func render(c *chart.Chart, release, namespace string, vals map[string]any) (string, error) {
	capabilities := common.DefaultCapabilities.Copy()
	capabilities.KubeVersion = common.KubeVersion{Version: "v1.36.0", Major: "1", Minor: "36"}
	options := common.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1}
	options.IsInstall = true
	all, err := util.ToRenderValues(c, vals, options, capabilities)
	if err != nil {
		return "", err
	}
	files, err := engine.Render(c, all)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".yaml") && strings.TrimSpace(files[name]) != "" {
			text.WriteString("---\n" + strings.TrimSpace(files[name]) + "\n")
		}
	}
	return text.String(), nil
}

// objects reads documents.
func objects(t *testing.T, text string) (all []*unstructured.Unstructured) {
	t.Helper()
	d := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		o := &unstructured.Unstructured{}
		err := d.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if len(o.Object) > 0 {
			all = append(all, o)
		}
	}
}

func rendered(t *testing.T, c *chart.Chart, release, namespace string,
	vals map[string]any) []*unstructured.Unstructured {
	t.Helper()
	text, err := render(c, release, namespace, vals)
	if err != nil {
		t.Fatal(err)
	}
	return objects(t, text)
}

func toYAML(t *testing.T, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
