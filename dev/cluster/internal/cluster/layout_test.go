package cluster

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func quiet(string, ...any) {}

// owned returns the layout of a new directory that a cluster has run in.
func owned(t *testing.T) layout {
	t.Helper()
	l, err := newLayout(filepath.Join(t.TempDir(), "cluster"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.create(); err != nil {
		t.Fatal(err)
	}
	release, err := l.acquire(context.Background(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	release()
	return l
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestLayoutHasOneNameForADirectory(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	f := func(dir, want string) {
		t.Helper()
		l, err := newLayout(dir)
		if err != nil {
			t.Fatal(err)
		}
		if l.dir != want {
			t.Errorf("%s became %s, want %s", dir, l.dir, want)
		}
	}
	f(real, real)
	f(link, real)
	f(filepath.Join(link, "not", "there"), filepath.Join(real, "not", "there"))
	t.Chdir(real)
	f(".", real)
}

func TestCreateRefusesForeignFiles(t *testing.T) {
	l, err := newLayout(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := l.create(); err != nil {
		t.Errorf("an empty directory is rejected: %v", err)
	}
	put(t, l.kubeconfig(), "somebody's")
	if err := l.create(); err == nil || !strings.Contains(err.Error(), "for example kubeconfig") {
		t.Errorf("create = %v, want an error that names the file", err)
	}
}

func TestCleanKeepsTheLogs(t *testing.T) {
	l := owned(t)
	for _, path := range []string{
		l.kubeconfig(), l.kwokConfig(), l.settings(), l.pkiFile("x"), filepath.Join(l.etcd(),
			"member"), l.log(etcd),
		l.kubeconfig() + partialSuffix,
	} {
		put(t, path, "x")
	}
	if err := l.clean(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != "logs" && entry.Name() != filepath.Base(l.lock()) {
			t.Errorf("%s remains", entry.Name())
		}
	}
	if !exists(l.log(etcd)) {
		t.Error("the log is gone")
	}
}

func TestWriteFileIsPrivateWhateverWasThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	put(t, path, "old")
	put(t, path+partialSuffix, "half of the n")
	if err := writeFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v", info.Mode())
	}
	if content, _ := os.ReadFile(path); string(content) != "new" {
		t.Errorf("content = %q", content)
	}
	if exists(path + partialSuffix) {
		t.Error("the partial file remains")
	}
}

func TestSettingsSurviveWriting(t *testing.T) {
	l := owned(t)
	if _, err := l.readSettings(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("readSettings of a new directory: %v", err)
	}
	want := settings{Controllers: true, Nodes: 3, Kwok: "/bin/kwok", FeatureGates: "A=true",
		Ports: ports{Etcd: 1, APIServer: 2, Kwok: 5}}
	if err := l.writeSettings(want); err != nil {
		t.Fatal(err)
	}
	if got, err := l.readSettings(); err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

func TestLockIsHeldByOne(t *testing.T) {
	l := owned(t)
	release, err := l.acquire(context.Background(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	var said string
	_, err = l.acquire(ctx, func(format string, _ ...any) { said = format })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second acquire: %v, want it to wait", err)
	}
	if !strings.HasPrefix(said, "waiting for another devcluster command") {
		t.Errorf("it printed %q", said)
	}
	release()
	again, err := l.acquire(context.Background(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	again()
}

func TestAcquireExistingLeavesNoFile(t *testing.T) {
	l, err := newLayout(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	release, err := l.acquireExisting(context.Background(), quiet)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if l.owned() {
		t.Error("the lock was created")
	}
}
