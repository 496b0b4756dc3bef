package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A handler's compiled code is in the folder for state, for nobody else, and only if there are handlers.
func TestCompiledCodeIsInTheFolderForState(t *testing.T) {
	k := kubernetesWith(t, teamsAndPods())
	dir := filepath.Join(t.TempDir(), "state")
	d := start(t, parse(t, strings.NewReplacer("GUEST", writeGuest(t, onceGuest), "DIR", dir).Replace(keeping)), k)
	d.out.waitForLines(t, 1, "/listeners/alone")
	d.stop(t)
	info, err := os.Stat(filepath.Join(dir, "compiled"))
	if err != nil || info.Mode() != os.ModeDir|0o700 {
		t.Fatalf("%v, %v", info, err)
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "compiled")); err != nil || len(entries) != 1 {
		t.Errorf("there are %v, %v", entries, err)
	}

	dir = filepath.Join(t.TempDir(), "state")
	d = start(t, parse(t, head+"  alone: {informer: {resource: pods}, outputs: [out]}\nstate: {dir: "+dir+"}\n"), k)
	d.out.waitForLines(t, 1, "/listeners/alone")
	d.stop(t)
	if _, err := os.Stat(filepath.Join(dir, "compiled")); !os.IsNotExist(err) {
		t.Errorf("without handlers: %v", err)
	}
}

// A folder for compiled code that others reach is an error of the state, and not of the handlers. Who only looks at the
// configuration does not care.
func TestTheFolderForCompiledCodeIsChecked(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "compiled")); err != nil {
		t.Fatal(err)
	}
	cfg := parse(t, strings.NewReplacer("GUEST", writeGuest(t, onceGuest), "DIR", dir).Replace(keeping))
	expectMistakes(t, cfg, Run(t.Context(), cfg, Options{Log: quiet}), "c.yaml:11:14: state.dir: the folder for compiled code: "+
		filepath.Join(dir, "compiled")+" is a symbolic link: its code is run by informerd, so it must be out of everybody else's reach; "+
		"name the folder itself")
	if err := Check(t.Context(), cfg, BuildOptions{Log: quiet}); err != nil {
		t.Error(err)
	}
}
