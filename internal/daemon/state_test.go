package daemon

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/plugins"
)

// A handler's compiled code is in the folder for state, for nobody else, and only if there are
// handlers.
func TestCompiledCodeIsInTheFolderForState(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	dir := filepath.Join(t.TempDir(), "state")
	d := start(t, parse(t, strings.NewReplacer("GUEST", writeGuest(t, onceGuest), "DIR",
		dir).Replace(keeping)), k)
	d.out.waitForLines(t, 1, "/listeners/alone")
	d.log.waitFor(t, `msg="handler loaded" listener=kept`)
	d.stop(t)
	info, err := os.Stat(filepath.Join(dir, "compiled"))
	if err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Fatalf("%v, %v", info, err)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "compiled")); err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}

	dir = filepath.Join(t.TempDir(), "state")
	d = start(t, parse(t, head+
		"  alone: {informer: {resource: pods}, outputs: [out]}\nstate: {dir: "+dir+"}\n"), k)
	d.out.waitForLines(t, 1, "/listeners/alone")
	d.stop(t)
	if _, err := os.Stat(filepath.Join(dir, "compiled")); !os.IsNotExist(err) {
		t.Errorf("without handlers: %v", err)
	}
}

// A folder for compiled code that others reach is an error of the state, and not of the handlers.
// Who only looks at the configuration does not care.
func TestTheFolderForCompiledCodeIsChecked(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "compiled")); err != nil {
		t.Fatal(err)
	}
	cfg := parse(t, strings.NewReplacer("GUEST", writeGuest(t, onceGuest), "DIR",
		dir).Replace(keeping))
	expectMistakes(t, cfg, Run(t.Context(), cfg, Options{Log: quiet}),
		"c.yaml:11:14: state.dir: the folder for compiled code: "+
			filepath.Join(dir, "compiled")+
			" is a symbolic link: its code is run by informerd, so it must be out of everybody else's reach; "+
			"name the folder itself")
	if err := Check(t.Context(), cfg, Options{Log: quiet}); err != nil {
		t.Error(err)
	}
}

// With a folder for state, the values of Secrets have the same digests after a restart; without
// one, others. The key is made if Secrets are watched, for nobody else to read.
func TestDigestsOfSecretsOutlastARestart(t *testing.T) {
	k := kubernetesWith(t, map[string][]string{"secrets": {
		`{"metadata":{"name":"a","namespace":"shop","uid":"u","resourceVersion":"1"},"data":{"password":"aHVudGVyMg=="}}`,
	}, "pods": {named("shop", "web", "", "")}})
	digest := func(informer, state string) string {
		d := start(t, parse(t, head+"  alone: {informer: "+informer+", outputs: [out]}\n"+state), k)
		d.out.waitForLines(t, 1, "/listeners/alone")
		d.stop(t)
		return regexp.MustCompile("hmac-sha256:[0-9a-f]*").FindString(d.out.String())
	}
	const secrets = "{resource: secrets, allowSecrets: true}"
	dir := filepath.Join(t.TempDir(), "state")
	state, key := "state: {dir: "+dir+"}\n", filepath.Join(dir, "secrets.key")
	digest("{resource: pods}", state)
	if _, err := os.Stat(key); !os.IsNotExist(err) {
		t.Errorf("without Secrets: %v", err)
	}
	first := digest(secrets, state)
	if again := digest(secrets, state); first == "" || again != first {
		t.Errorf("%q after a restart, %q before", again, first)
	}
	if info, err := os.Stat(key); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	elsewhere := strings.Replace(state, dir, filepath.Join(t.TempDir(), "other"), 1)
	if other := digest(secrets, elsewhere); other == first || other == "" {
		t.Errorf("with another key: %q", other)
	}
	if none := digest(secrets, ""); none == first || none == "" {
		t.Errorf("without a folder: %q", none)
	}

	if err := os.WriteFile(key, []byte("abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := parse(t, head+"  alone: {informer: "+secrets+", outputs: [out]}\n"+state)
	err := Run(t.Context(), cfg, Options{Log: quiet})
	if want := "state.dir: the key of the digests of Secrets, " + key +
		", is damaged: it should be 64 hexadecimal digits; restore it, or remove it, which changes all digests once"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
	if err := Check(t.Context(), cfg, Options{Log: quiet}); err != nil {
		t.Error(err)
	}
}

// The tools for authors keep compiled code in the user's cache, so that a module is compiled once
// for all of them. Where there can be no such folder, they work all the same.
func TestTheToolsForAuthorsUseTheUsersCache(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	wasm, err := os.ReadFile(writeGuest(t, onceGuest))
	if err != nil {
		t.Fatal(err)
	}
	load := func() {
		t.Helper()
		host := CompilingHost(t.Context(), quiet)
		defer host.Close(t.Context())
		if _, err := host.Load(t.Context(),
			plugins.Spec{Listener: "pods", Wasm: wasm,
				Grants: plugins.Grants{KV: &plugins.KVGrant{}}}); err != nil {
			t.Fatal(err)
		}
	}
	code := func() os.FileInfo {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(cache, "informerd", "compiled", "*", "*", "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("there are %v, %v", files, err)
		}
		info, err := os.Stat(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	load()
	first := code()
	load()
	if again := code(); !os.SameFile(first, again) || !first.ModTime().Equal(again.ModTime()) {
		t.Errorf("it was compiled again: %v, %v", first, again)
	}
	file := filepath.Join(cache, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", file)
	load()
}
