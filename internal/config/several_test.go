package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const severalHead = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n"

// loadAll writes texts into files a.yaml, b.yaml and so on, and loads them as one configuration.
// The folder is left out of the error.
func loadAll(t *testing.T, l Loading, texts ...string) (*Config, string) {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, text := range texts {
		path := filepath.Join(dir, string(rune('a'+i))+".yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	if err := os.WriteFile(filepath.Join(dir, "policy.yaml"), []byte(
		"apiVersion: informerd.dev/v1alpha1\nkind: Policy\ninformer: pods\n"+
			"rules: [{name: r, deny: \"true\"}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := l.Load(paths...)
	if err == nil {
		return c, ""
	}
	return c, strings.ReplaceAll(err.Error(), dir+"/", "")
}

// Several files mean what one file with all that is in them means.
func TestSeveralFilesAreOne(t *testing.T) {
	informers := "informers:\n  pods: {resource: pods}\n"
	listener := "  a:\n    informer: pods\n    filter: >-\n      op ==\n      \"add\"\n    outputs: [out]\n"
	policies, out := "policies: [{files: policy.yaml, outputs: [out]}]\n",
		"  out: {stdout: {}}\n"
	one, wrong := loadAll(t, Loading{}, severalHead+"cluster: {name: c}\n"+informers+"listeners:\n"+
		listener+"  b: {informer: pods, outputs: [more]}\n"+policies+"outputs:\n"+out+
		"  more: {stdout: {}}\n")
	if wrong != "" {
		t.Fatal(wrong)
	}
	several, wrong := loadAll(t, Loading{}, severalHead+"cluster: {name: c}\n"+informers,
		severalHead+"listeners:\n"+listener+policies+"outputs:\n"+out,
		severalHead+"listeners: {b: {informer: pods, outputs: [more]}}\noutputs: {more: {stdout: {}}}\n")
	if wrong != "" {
		t.Fatal(wrong)
	}
	if one.digest() != several.digest() {
		t.Error("they mean something else")
	}
	var names []string
	for _, l := range several.ListenersInOrder() {
		names = append(names, l.Name)
	}
	if fmt.Sprint(names) != "[a b policy]" {
		t.Errorf("the listeners are %v", names)
	}
	// the places are those in the files
	filter := several.Listeners["a"].Filter
	if filepath.Base(filter.File) != "b.yaml" || filter.Line != 7 {
		t.Errorf("the filter is at %s:%d", filter.File, filter.Line)
	}
	if at := filter.Positions(); at[0].Line != 7 || at[len(at)-1].Line != 8 {
		t.Errorf("its characters are at %v", at)
	}
	e := several.ErrorAt("listeners.b.outputs", "x", "")
	if filepath.Base(e.File) != "c.yaml" || e.Line != 3 {
		t.Errorf("a mistake is at %v", e)
	}
	if files := several.Files(); len(files) != 4 || filepath.Base(files[2]) != "c.yaml" {
		t.Errorf("the files are %v", files)
	}
	if again := FilesOf(several.OwnFiles()...); fmt.Sprint(again) != fmt.Sprint(several.Files()) {
		t.Errorf("FilesOf has %v", again)
	}
}

// What is wrong with several files is at its place in its file, in the order of the files.
func TestMistakesInSeveralFiles(t *testing.T) {
	good := severalHead + "listeners: {a: {informer: pods, outputs: [out]}}\noutputs: {out: {stdout: {}}}\n"
	pods := severalHead + "informers: {pods: {resource: pods}}\n"
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"one name twice": {[]string{pods, good, severalHead + "# ours\ninformers:\n  pods: {resource: nodes}\n"},
			"c.yaml:5:3: informers.pods is defined twice, first at a.yaml:3"},
		"a scalar twice": {[]string{pods + "cluster: {name: a}\n", good + "cluster: {name: b}\n"},
			"b.yaml:5:1: cluster is defined twice, first at a.yaml:4"},
		"twice in one": {[]string{pods, good + "http: {address: \"localhost:1\"}\nhttp: {address: \"localhost:1\"}\n"},
			"b.yaml:6:1: http is defined twice, first on line 5"},
		"another version": {[]string{pods, strings.Replace(good, "v1alpha1", "v1beta1", 1)},
			`b.yaml:1:13: apiVersion is "informerd.dev/v1beta1" here, and "informerd.dev/v1alpha1" at a.yaml:1`},
		"another kind": {[]string{pods, strings.Replace(good, "Config", "Policy", 1)},
			`b.yaml:2:7: kind is "Policy" here, and "Config" at a.yaml:2`},
		"no kind": {[]string{pods, good[len("apiVersion: informerd.dev/v1alpha1\n"):]},
			"b.yaml:1:1: apiVersion is missing"},
		"a list": {[]string{pods, "[a]\n"},
			"b.yaml:1:1: the configuration must be a mapping"},
		"syntax, in both": {[]string{"a: [\n", "b: {\n"}, "a.yaml"},
		"in order": {[]string{strings.Replace(pods, "resource: pods", "resorce: pods", 1),
			strings.Replace(good, "[out]", "[ot]", 1)},
			`a.yaml:3:20: unknown field "resorce" in informers.pods; did you mean "resource"?` + "\n" +
				`b.yaml:3:43: listeners.a.outputs[0]: unknown output "ot"; did you mean "out"?`},
		"unknown": {[]string{good, severalHead + "informers: {nodes: {resource: nodes}}\n"},
			`a.yaml:3:27: listeners.a.informer: unknown informer "pods"`},
		"empty": {[]string{pods, ""}, "b.yaml: the configuration is empty"},
		"name of a policy": {[]string{pods, strings.Replace(good, "{a:", "{policy:", 1),
			severalHead + "policies: [{files: policy.yaml, outputs: [out]}]\n"},
			`is the name of a listener in b.yaml already`},
	} {
		t.Run(name, func(t *testing.T) {
			_, got := loadAll(t, Loading{}, c.files...)
			if !strings.Contains(got, c.want) || got == "" {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestStateDirOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	for name, text := range map[string]string{"a.yaml": severalHead + "informers: {}\n",
		"b.yaml": severalHead + "state: {dir: here}\nlisteners: {a: wrong}\n"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	got, _, err := Loading{}.StateDir(paths...)
	if err != nil || got != filepath.Join(dir, "here") {
		t.Errorf("got %q, %v", got, err)
	}
}
