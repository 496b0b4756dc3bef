package statefolder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/pkg/plugins"
)

// Whoever can put something into the folder could have the key of the digests written where it can
// be read, or dead letters elsewhere.
func TestTheFolderIsInformerdsOwn(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		spoil func(t *testing.T, dir string) error
		want  string // "": it is taken
	}{
		"new":      {func(_ *testing.T, dir string) error { return os.Remove(dir) }, ""},
		"group":    {func(_ *testing.T, dir string) error { return os.Chmod(dir, 0o2770) }, ""},
		"readable": {func(_ *testing.T, dir string) error { return os.Chmod(dir, 0o755) }, ""},
		"everybody's": {func(_ *testing.T, dir string) error { return os.Chmod(dir, 0o777) },
			"is open to everybody (mode 0777)"},
		"another's": {func(t *testing.T, dir string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			return os.Chown(dir, 4711, 4711)
		}, "belongs to the user 4711"},
		"a planted file": {func(t *testing.T, dir string) error {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a file away")
			}
			path := filepath.Join(dir, "deadletters.db")
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Chown(path, 4711, 4711))
		}, "deadletters.db belongs to the user 4711"},
		"a file of everybody's": {func(_ *testing.T, dir string) error {
			path := filepath.Join(dir, "handlers.db")
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o666))
		}, "handlers.db is open to everybody (mode 0666)"},
		"the checkpoint of everybody": {func(_ *testing.T, dir string) error {
			path := filepath.Join(dir, checkpointFolder)
			return errors.Join(os.Mkdir(path, 0o700), os.Chmod(path, 0o777))
		}, "checkpoint is open to everybody (mode 0777)"},
		"the key": {func(_ *testing.T, dir string) error {
			return os.Symlink(victim, filepath.Join(dir, digestKeyFile+".new"))
		}, "is a symbolic link"},
		"a volume's own": {func(_ *testing.T, dir string) error {
			other := filepath.Join(dir, "lost+found") // which only root may read
			if err := os.Mkdir(other, 0); err != nil {
				return err
			}
			return os.Symlink(victim, filepath.Join(other, "x"))
		}, ""},
		"in the checkpoint": {func(_ *testing.T, dir string) error {
			if err := os.Mkdir(filepath.Join(dir, checkpointFolder), 0o700); err != nil {
				return err
			}
			return os.Symlink(victim, filepath.Join(dir, checkpointFolder, "log-1"))
		}, "is a symbolic link"},
		"in the checkpoint of a cluster": {func(_ *testing.T, dir string) error {
			if err := os.MkdirAll(CheckpointIn(dir, "eu"), 0o700); err != nil {
				return err
			}
			return os.Symlink(victim, filepath.Join(CheckpointIn(dir, "eu"), "log-1"))
		}, "is a symbolic link"},
		"in place of a cluster": {func(_ *testing.T, dir string) error {
			if err := os.Mkdir(filepath.Join(dir, clustersFolder), 0o700); err != nil {
				return err
			}
			return os.Symlink(filepath.Dir(victim), filepath.Join(dir, clustersFolder, "eu"))
		}, "is a symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := test.spoil(t, dir); err != nil {
				t.Fatal(err)
			}
			err := Prepare(parse(t, dir), &plugins.HostConfig{})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if text, err := os.ReadFile(victim); string(text) != "precious" {
		t.Errorf("the victim has %q, %v", text, err)
	}
}

// A key that others may have read tells what a value is.
func TestTheKeyIsPrivate(t *testing.T) {
	dir := t.TempDir()
	cfg := parse(t, dir)
	cfg.Listeners["plain"].Informer().AllowSecrets = true
	key, err := DigestKey(cfg)
	if err != nil || len(key) != 32 {
		t.Fatal(key, err)
	}
	path := filepath.Join(dir, digestKeyFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
	for mode, want := range map[os.FileMode]bool{0o600: true, 0o660: true, 0o644: false, 0o606: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		again, err := DigestKey(cfg)
		if (err == nil) != want || want && string(again) != string(key) {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}
