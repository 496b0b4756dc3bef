package author

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/informerd/informerd/pkg/plugins/guesttest"
)

// A module is given objects of caches, by name and by index, and of no others.
func TestCaches(t *testing.T) {
	dir := t.TempDir()
	objects := write(t, dir, "pods.json",
		`POD {"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"other","name":"db"}}`)
	configuration := write(t, dir, "c.yaml",
		"apiVersion: informerd.dev/v1alpha1\nkind: Config\n"+
			"informers: {pods: {resource: pods, indexes: {app: metadata.labels.app}}}\n"+
			"listeners: {a: {informer: pods, handler: {wasm: m.wasm}, outputs: [out]}}\n"+
			"outputs: {out: {stdout: {}}}\n")
	o := RunOptions{Module: write(t, dir, "m.wasm", "no matter"), Configuration: configuration,
		Listener: "a", Events: []string{objects}, Caches: []string{"pods=" + objects}}
	p, _, err := o.prepare()
	if err != nil {
		t.Fatal(err)
	}
	given := p.Caches
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
	if given.ByIndex("nodes", "app", "web") != nil {
		t.Error("there is something in a cache that is not there")
	}
	o.Caches = append(o.Caches, o.Caches[0])
	if _, _, err = o.prepare(); err == nil ||
		!strings.Contains(err.Error(), "duplicate object shop/web-1") {
		t.Errorf("duplicate objects: %v", err)
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
	if err == nil || err.Error() != "1 of 2 cases failed" ||
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
