package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/schema"
)

func TestBuiltinSchemasAreThoseOfTheControlPlane(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a control plane; skipped with -short")
	}
	kubeconfig := startControlPlane(t)
	output := filepath.Join(t.TempDir(), "schemas.gz")
	if err := run(t.Context(), kubeconfig, output); err != nil {
		t.Fatal(err)
	}
	if got, want := unpack(t, output), unpack(t, "../../internal/schema/builtin.gz"); !bytes.Equal(
		got, want) {
		t.Error("internal/schema/builtin.gz is out of date: run make schemas")
	}
	if left, err := os.ReadDir(filepath.Dir(output)); err != nil || len(left) != 1 {
		t.Errorf("there are files besides the output: %v, %v", left, err)
	}
}

func startControlPlane(t *testing.T) (kubeconfig string) {
	t.Helper()
	bin := os.Getenv("DEVCLUSTER_BIN")
	if bin == "" {
		bin = "../../bin/devcluster"
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("%v; make devcluster", err)
	}
	dir := t.TempDir()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if out, err := exec.CommandContext(ctx, bin, "down", "--dir",
			dir).CombinedOutput(); err != nil {
			t.Errorf("devcluster down: %v\n%s", err, out)
		}
	})
	if out, err := exec.CommandContext(t.Context(), bin, "up", "--dir",
		dir).CombinedOutput(); err != nil {
		t.Fatalf("devcluster up: %v\n%s", err, out)
	}
	return filepath.Join(dir, "kubeconfig")
}

func unpack(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDescribe(t *testing.T) {
	set, err := schema.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	apps, entries := groups[1], set.Entries()
	list := []metav1.APIResource{
		{Name: "deployments", Verbs: []string{"list", "watch"}, ShortNames: []string{"dpl"}},
		{Name: "deployments/scale", Verbs: []string{"watch"}},
		{Name: "zebras", Verbs: []string{"create"}},
	}
	if err := describe(entries, apps, list); err != nil {
		t.Error(err)
	}
	if _, ok := schema.NewSet(entries).Lookup("dpl.apps"); !ok {
		t.Error("the short name is missing")
	}
	list[2].Verbs = []string{"watch"}
	if err := describe(entries, apps, list); err == nil ||
		err.Error() != "apps/v1: the document has no schema of zebras" {
		t.Errorf("got %v", err)
	}
}
