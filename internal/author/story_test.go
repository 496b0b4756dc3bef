package author

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/informerd/informerd/pkg/plugins/guesttest"
)

// A module is given objects of caches, by name and by index, and of no others.
func TestCaches(t *testing.T) {
	c := caches{}
	if c.Get("pods", "shop", "web-1") != nil || c.ByIndex("pods", "app", "web") != nil {
		t.Error("there is something in a cache that is not there")
	}
	dir := t.TempDir()
	objects := write(t, dir, "pods.json",
		`POD {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"other","name":"db"}}`)
	p, _, err := RunOptions{Module: write(t, dir, "m.wasm", "no matter"),
		Events: []string{objects}, Caches: []string{"pods=" + objects}}.prepare()
	if err != nil {
		t.Fatal(err)
	}
	given := p.Caches.(caches)
	if err := given.cache("pods").index("app", "metadata.labels.app"); err != nil {
		t.Fatal(err)
	}
	if o := given.Get("pods", "shop", "web-1"); o == nil || given.Get("pods", "", "web-1") != nil ||
		given.Get("nodes", "shop", "web-1") != nil {
		t.Errorf("got %v", o)
	}
	for index, want := range map[string]int{"app web": 1, "app db": 0, "namespace other": 1,
		"none x": 0} {
		name, value, _ := strings.Cut(index, " ")
		if found := given.ByIndex("pods", name, value); len(found) != want {
			t.Errorf("%s: %d objects, want %d", index, len(found), want)
		}
	}
	_, _, err = RunOptions{Module: filepath.Join(dir, "m.wasm"), Events: []string{objects},
		Caches: []string{"pods=" + objects, "pods=" + objects}}.prepare()
	if err == nil {
		t.Error("duplicate objects are accepted")
	}
}

// Deadlines hold: a module that loops forever fails its case and nothing else.
func TestEndlessModule(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "cases"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "m.wasm", string(Guest{Events: map[int][]Action{1: {Forever()}}}.Bytes()))
	write(t, dir, "cases/a.yaml", "limits: {deadline: 10ms}\nevents: [{object: POD}, {object: POD}]\n")
	write(t, dir, "cases/b.yaml",
		"limits: {fuel: 1000}\nevents: [{op: resync, object: POD, expect: {verdict: done}}]\n")
	var out bytes.Buffer
	err := Test(t.Context(), []string{dir}, &out)
	if !errors.Is(err, ErrFailed) || err.Error() != "1 of 2 cases failed" ||
		!strings.Contains(out.String(),
			"event 2, line 2: add Pod shop/web-1\n        it crashed:\n          deadline in on_event") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// Objects among cases are not cases, and neither are names that begin with a dot.
func TestFindCases(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"sub", ".git"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, dir, "b.yaml", "events: []")
	write(t, dir, "broken.yml", "a: [")
	write(t, dir, "object.yaml", "POD")
	write(t, dir, "notes.txt", "events: []")
	write(t, dir, "sub/a.yaml", "events: []")
	write(t, dir, ".git/a.yaml", "events: []")
	write(t, dir, ".a.yaml", "events: []")
	files, err := findCases([]string{dir, filepath.Join(dir, "b.yaml"),
		filepath.Join(dir, "object.yaml")})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(strings.Join(files, " "), dir, "@")
	if want := "@/b.yaml @/broken.yml @/sub/a.yaml @/object.yaml"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A module may write as much to its log at one event as it likes: what a daemon would leave out is
// what its author looks for.
func TestLogsAreNotCutShort(t *testing.T) {
	const lines = 500
	wasm := Guest{Events: map[int][]Action{1: slices.Repeat([]Action{Log("one of many")},
		lines)}}.Bytes()
	dir := t.TempDir()
	write(t, dir, "m.wasm", string(wasm))
	var out bytes.Buffer
	err := Run(t.Context(), RunOptions{Listener: "a", Configuration: write(t, dir, "c.yaml",
		"apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n  a:\n    informer: {resource: pods}\n"+
			"    handler: {wasm: m.wasm, grants: {log: {rate: 1}}}\n    outputs: [out]\noutputs: {out: {stdout: {}}}\n"),
		Events: []string{write(t, dir, "e.json", "POD")},
	}, &out)
	if n := strings.Count(out.String(), "info: one of many\n"); err != nil || n != lines {
		t.Errorf("%d of %d lines, %v\n%.500s", n, lines, err, out.String())
	}
}
