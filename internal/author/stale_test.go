package author

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A module is stale if one of its sources is younger, and of nothing else: tests, what was
// installed or built, and other files say nothing about it.
func TestStaleModules(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	for younger, stale := range map[string]bool{
		"main.go": true, "go.mod": true, "go.sum": true, "src/lib.rs": true, "Cargo.toml": true,
		"assembly/index.ts": true, "handler.c": true, "include/abi.h": true,
		"main_test.go": false, "README.md": false, "cases/a.yaml": false,
		"node_modules/a/index.ts": false, "target/debug/a.rs": false, ".git/a.go": false,
		"other.wasm": false,
	} {
		dir := t.TempDir()
		age(t, dir, "m.wasm", now)
		age(t, dir, "old.go", now.Add(-time.Hour))
		age(t, dir, younger, now.Add(90*time.Second))
		err := (&result{module: filepath.Join(dir, "m.wasm")}).stale()
		want := filepath.Join(dir, "m.wasm") + " is older than " + filepath.Join(dir, younger) +
			", by 1m30s: build it first"
		if stale && (err == nil || err.Error() != want) || !stale && err != nil {
			t.Errorf("%s: %v", younger, err)
		}
		age(t, dir, "m.wasm", now.Add(time.Hour)) // it is built
		if err := (&result{module: filepath.Join(dir, "m.wasm")}).stale(); err != nil {
			t.Errorf("%s, built: %v", younger, err)
		}
	}
	if err := (&result{module: filepath.Join(t.TempDir(), "m.wasm")}).stale(); err == nil {
		t.Error("a module that is not there is not stale")
	}
}

// After a build that failed, --update does not write what the old module makes of events. A case
// that expects something is checked as ever.
func TestUpdateRefusesAStaleModule(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().Truncate(time.Second)
	write(t, dir, "m.wasm", string(clock()))
	age(t, dir, "main.go", now.Add(time.Hour))
	const text = "grants: {clock: {}}\nnow: 2026-01-01T00:00:00Z\nevents:\n- object: POD\n"
	if err := os.Mkdir(filepath.Join(dir, "cases"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := write(t, dir, "cases/a.yaml", text)
	var out strings.Builder
	err := Test(t.Context(), TestOptions{Paths: []string{dir}, Update: true}, &out)
	got, readErr := os.ReadFile(file)
	if err == nil || !strings.Contains(out.String(), "nothing was written: ") ||
		!strings.Contains(out.String(), "build it first") ||
		string(got) != strings.ReplaceAll(text, "POD", pod) || readErr != nil {
		t.Errorf("%v, %v\n%s\nthe case is\n%s", err, readErr, out.String(), got)
	}
	age(t, dir, "main.go", now.Add(-time.Hour))
	out.Reset()
	if err := Test(t.Context(), TestOptions{Paths: []string{dir}, Update: true}, &out); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	if got, err := os.ReadFile(file); err != nil || !strings.Contains(string(got), "verdict") {
		t.Errorf("%v: the case is\n%s", err, got)
	}
}

// age sets the time of a file, which is made if need be.
func age(t *testing.T, dir, name string, when time.Time) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Chtimes(path, when, when)
	}
	if err != nil {
		t.Fatal(err)
	}
}
