package archtest

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// made builds a repository of texts, and loads it.
func made(t *testing.T, files map[string]string) []pkg {
	t.Helper()
	repo := fstest.MapFS{
		"go.mod": {Data: []byte("module " + rootModule + "\n")},
		"dev/cluster/go.mod": {
			Data: []byte("// The cluster.\nmodule " + rootModule + "/dev/cluster\n")},
	}
	for name, text := range files {
		repo[name] = &fstest.MapFile{Data: []byte(text)}
	}
	pkgs, err := load(repo)
	if err != nil {
		t.Fatal(err)
	}
	return pkgs
}

// source is a file that imports what is given, one import a line from line 3 on.
func source(imports ...string) string {
	text := "package x\n\n"
	for _, i := range imports {
		text += "import _ \"" + i + "\"\n"
	}
	return text
}

// whyLayer returns why packages of a folder's layer keep to themselves.
func whyLayer(folder string) string {
	index, _ := layerOf(folder)
	return layers[index].why
}

func TestImportsThatAreCaught(t *testing.T) {
	const m = rootModule + "/"
	tests := []struct {
		name, file, text string
		want             []string // nil if all is well
	}{
		{"standard library", "pkg/informer/event/a.go", source("encoding/json"), nil},
		{"event imports the informer", "pkg/informer/event/a.go", source("fmt", m+"pkg/informer"),
			[]string{
				"pkg/informer/event/a.go:4: pkg/informer/event must not import " + m +
					"pkg/informer: " + whyLayer("pkg/informer/event")}},
		{"event imports Kubernetes", "pkg/informer/event/a.go",
			source("k8s.io/apimachinery/pkg/types"), []string{
				"pkg/informer/event/a.go:3: pkg/informer/event must not import k8s.io/apimachinery/pkg/types: " + bans[1].why}},
		{"event imports client-go", "pkg/informer/event/a.go", source("k8s.io/client-go/rest"),
			[]string{
				"pkg/informer/event/a.go:3: pkg/informer/event must not import k8s.io/client-go/rest: " + bans[1].why}},
		{"event imports expr", "pkg/informer/event/a.go", source("github.com/expr-lang/expr"),
			[]string{
				"pkg/informer/event/a.go:3: pkg/informer/event must not import github.com/expr-lang/expr: its home is pkg/filters: " + homes[1].why}},
		{"a stage imports event", "pkg/filters/a.go",
			source(m+"pkg/informer/event", "github.com/expr-lang/expr/vm"), nil},
		{"filters know quantities", "pkg/filters/a.go",
			source("k8s.io/apimachinery/pkg/api/resource"), nil},
		{"filters import more of Kubernetes", "pkg/filters/a.go",
			source("k8s.io/apimachinery/pkg/api/resourcex"), []string{
				"pkg/filters/a.go:3: pkg/filters must not import k8s.io/apimachinery/pkg/api/resourcex: " + bans[2].why}},
		{"filters import the informer", "pkg/filters/a.go", source(m + "pkg/informer"), []string{
			"pkg/filters/a.go:3: pkg/filters must not import " + m + "pkg/informer: " +
				whyLayer("pkg/filters")}},
		{"plugins import filters, in a test", "pkg/plugins/guesttest/a_test.go",
			source(m + "pkg/filters"), []string{
				"pkg/plugins/guesttest/a_test.go:3: pkg/plugins must not import " + m +
					"pkg/filters: " + whyLayer("pkg/plugins")}},
		{"outputs with clients of their own import each other", "internal/sink/nats/a.go",
			source(m + "internal/sink/kafka"), []string{
				"internal/sink/nats/a.go:3: internal/sink/nats must not import " + m +
					"internal/sink/kafka: " + whyLayer("internal/sink/nats")}},
		{"within one folder", "pkg/plugins/a.go",
			source(m+"pkg/plugins/internal/wasm", "github.com/tetratelabs/wazero/api"), nil},
		{"a folder whose name only begins alike", "pkg/plugins/a.go",
			source("github.com/tetratelabs/wazerox"), nil},
		{"route joins the stages", "internal/route/a.go",
			source(m+"pkg/informer", m+"pkg/filters", m+"pkg/plugins",
				m+"internal/sink/cloudevent"), nil},
		{"route imports the daemon", "internal/route/a.go", source(m + "internal/daemon"), []string{
			"internal/route/a.go:3: internal/route must not import " + m + "internal/daemon: " +
				whyLayer("internal/route")}},
		{"route imports the configuration", "internal/route/a.go", source(m + "internal/config"),
			[]string{
				"internal/route/a.go:3: internal/route must not import " + m + "internal/config: " +
					whyLayer("internal/route")}},
		{"daemon imports the command line", "internal/daemon/a.go", source(m + "internal/cli"),
			[]string{
				"internal/daemon/a.go:3: internal/daemon must not import " + m + "internal/cli: " +
					whyLayer("internal/daemon")}},
		{"endpoints import the daemon", "internal/endpoints/a.go",
			source(m+"internal/route", m+"internal/daemon"), []string{
				"internal/endpoints/a.go:4: internal/endpoints must not import " + m +
					"internal/daemon: " + whyLayer("internal/endpoints")}},
		{"Prometheus away from home", "internal/route/a.go",
			source("github.com/prometheus/client_golang/prometheus"), []string{
				"internal/route/a.go:3: internal/route must not import github.com/prometheus/client_golang/prometheus: its home is internal/endpoints: " + homes[4].why}},
		{"cli imports the daemon", "internal/cli/a.go",
			source(m+"internal/daemon", m+"internal/config"), nil},
		{"wazero away from home", "internal/daemon/a_test.go",
			source("github.com/tetratelabs/wazero"), []string{
				"internal/daemon/a_test.go:3: internal/daemon must not import github.com/tetratelabs/wazero: its home is pkg/plugins: " + homes[2].why}},
		{"YAML away from home", "internal/cli/a.go", source("sigs.k8s.io/yaml/goyaml.v3"), []string{
			"internal/cli/a.go:3: internal/cli must not import sigs.k8s.io/yaml/goyaml.v3: " +
				"its home is internal/config and internal/migrate and internal/rights: " + homes[3].why}},
		{"client-go away from home", "internal/daemon/a.go", source("k8s.io/client-go/dynamic"),
			[]string{
				"internal/daemon/a.go:3: internal/daemon must not import k8s.io/client-go/dynamic: its home is pkg/informer and internal/kube and dev: " + homes[0].why}},
		{"client-go in a test", "internal/daemon/a_test.go", source("k8s.io/client-go/dynamic"),
			nil},
		{"client-go at home", "internal/kube/a.go", source("k8s.io/client-go/dynamic"), nil},
		{"a folder nobody placed", "pkg/helpers/a.go", source("fmt"), []string{
			"pkg/helpers: the folder is in no layer; add it to layers in internal/archtest/rules.go"}},
		{"another operating system", "pkg/filters/a_windows.go",
			"//go:build windows\n\n" + source("k8s.io/api/core/v1"), []string{
				"pkg/filters/a_windows.go:5: pkg/filters must not import k8s.io/api/core/v1: " +
					bans[2].why}},
		{"another module", "dev/cluster/a.go", source("k8s.io/client-go/dynamic", m+"internal/cli"),
			nil},
		{"a program for go run", "pkg/filters/gen.go",
			"//go:build ignore\n\n" + source("k8s.io/client-go/rest"), nil},
		{"data of a test", "pkg/filters/testdata/a.go", source("k8s.io/client-go/rest"), nil},
	}
	for _, tt := range tests {
		got := checkImports(made(t, map[string]string{tt.file: tt.text}))
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, strings.Join(got, "\n     "),
				strings.Join(tt.want, "\n     "))
		}
	}
}

func TestPackageDocsThatAreCaught(t *testing.T) {
	pkgs := made(t, map[string]string{
		"one/doc.go":       "// Package one.\npackage one\n",
		"one/a.go":         "package one\n",
		"one/a_test.go":    "package one_test\n",
		"none/a.go":        "// A comment on its own.\n\npackage none\n",
		"two/a.go":         "// Package two.\npackage two\n",
		"two/a_linux.go":   "//go:build linux\n\n// Package two.\npackage two\n",
		"tests/a_test.go":  "package tests\n",
		"dev/cluster/a.go": "package main\n",
	})
	want := []string{
		"dev/cluster: no package doc comment: say what the package promises",
		"none: no package doc comment: say what the package promises",
		"two: 2 package doc comments, in two/a.go, two/a_linux.go: keep one",
	}
	if got := checkDocs(pkgs); !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func TestLoadErrors(t *testing.T) {
	tests := []struct{ name, file, text, want string }{
		{"no Go", "a/a.go", "pakage a\n", "a/a.go:1:1: expected 'package', found pakage"},
		{"no module", "a/go.mod", "go 1.26\n", "a/go.mod: no module line"},
	}
	for _, tt := range tests {
		_, err := load(fstest.MapFS{tt.file: {Data: []byte(tt.text)}})
		if err == nil || err.Error() != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}
