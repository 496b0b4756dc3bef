package pagetest

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/informerd/informerd/internal/cli"
	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/pages"
)

// yaml checks a block of that language.
func (r *reader) yaml(b pages.Block) {
	r.t.Helper()
	if strings.HasPrefix(b.Name, "configs/") {
		r.inFile(b, b.Name)
	}
	if b.Has("input") {
		r.input(b)
		return
	}
	wrong := b.Has("wrong") || strings.Contains(b.Name, "wrong")
	docs, err := documents(b.Text)
	if err != nil && !wrong {
		r.errorf(b, "%v", err)
		return
	}
	var first map[string]any
	if len(docs) > 0 {
		first = docs[0]
	}
	version, _ := first["apiVersion"].(string)
	switch {
	case wrong, strings.HasPrefix(version, "informerd.dev/"):
		r.validate(b, b.Text, wrong)
	case version != "" && first["kind"] != nil:
		r.objects(b)
	case len(docs) == 1 && isFragment(first):
		r.validate(b, complete(b.Text, first), false)
	default:
		r.input(b)
	}
}

func documents(text string) (all []map[string]any, err error) {
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 1<<16)
	for {
		var doc map[string]any
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, doc)
	}
}

// isFragment reports whether a mapping has only fields of a configuration.
func isFragment(doc map[string]any) bool {
	fields := map[string]bool{}
	for _, f := range document.FieldsOf(reflect.TypeFor[config.Config]()) {
		fields[f.Name] = true
	}
	for name := range doc {
		if !fields[name] {
			return false
		}
	}
	return len(doc) > 0
}

// complete makes a configuration of some of its fields. Listeners that are missing become one of
// Deployments with all outputs; outputs that are missing become stdout.
func complete(text string, doc map[string]any) string {
	var b strings.Builder
	b.WriteString("apiVersion: informerd.dev/v1alpha1\nkind: Config\n")
	outputs, _ := doc["outputs"].(map[string]any)
	names := slices.Sorted(maps.Keys(outputs))
	if outputs == nil {
		listeners, _ := doc["listeners"].(map[string]any)
		for _, l := range listeners {
			listener, _ := l.(map[string]any)
			list, _ := listener["outputs"].([]any)
			for _, name := range list {
				if s, ok := name.(string); ok && !slices.Contains(names, s) {
					names = append(names, s)
				}
			}
		}
		if len(names) == 0 {
			names = []string{"stdout"}
		}
		b.WriteString("outputs:\n")
		for _, name := range names {
			b.WriteString("  " + name + ": {stdout: {}}\n")
		}
	}
	if doc["listeners"] == nil && doc["policies"] == nil {
		b.WriteString("listeners:\n  docs:\n    informer: {resource: deployments.apps}\n    outputs: [" +
			strings.Join(names, ", ") + "]\n")
	}
	if doc["state"] == nil {
		b.WriteString("state: {dir: state}\n")
	}
	if doc["cluster"] == nil {
		b.WriteString("cluster: {name: prod-eu-1}\n")
	}
	return b.String() + text
}

// validate has informerd validate check a configuration or policy.
func (r *reader) validate(b pages.Block, text string, wrong bool) {
	r.t.Helper()
	if strings.Contains(text, "bin/plugins/") {
		if _, err := os.Stat(filepath.Join(root, "bin", "plugins", "crashloop.wasm")); err != nil {
			r.t.Logf("%s:%d: not validated without the example handlers: make examples",
				r.page.Path, b.Line)
			return
		}
	}
	path := filepath.Join(r.dir, "page.yaml")
	if b.Name != "" {
		path = filepath.Join(r.dir, filepath.FromSlash(b.Name))
	} else if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Dir(path)); b.Name != "" && err == nil && info.IsDir() &&
		!strings.HasPrefix(b.Name, "configs/") {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
	valid := func(strict bool) (bool, string) {
		var out bytes.Buffer
		args := []string{"validate", path}
		if strict {
			args = append(args, "--strict")
		}
		code := cli.Main(args, &out, &out)
		return code == 0, strings.ReplaceAll(out.String(), r.dir+string(filepath.Separator), "")
	}
	warned := b.Has("warned") || strings.Contains(b.Name, "warned")
	ok, said := valid(!warned)
	switch {
	case wrong && ok:
		r.errorf(b, "it should be refused: %s", said)
	case !wrong && !ok:
		r.errorf(b, "informerd validate --strict refuses it:\n%s\nin\n%s", said, text)
	case warned:
		if ok, said := valid(true); ok {
			r.errorf(b, "there should be warnings: %s", said)
		}
	}
}

// objects checks that the types of Kubernetes have the fields of the block's objects. Objects of
// other types have to be read by a command of the page.
func (r *reader) objects(b pages.Block) {
	r.t.Helper()
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).
		UniversalDeserializer()
	for _, text := range strings.Split("\n"+b.Text, "\n---\n") {
		_, _, err := decoder.Decode([]byte(text), nil, nil)
		switch {
		case err == nil:
		case runtime.IsNotRegisteredError(err):
			r.input(b)
		default:
			r.errorf(b, "%v", err)
		}
	}
}
