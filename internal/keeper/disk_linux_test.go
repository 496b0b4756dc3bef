package keeper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/informerd/informerd/internal/checkpoint"
)

// mount mounts a small disk, or skips the test.
func mount(t *testing.T, options string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("a small disk cannot be mounted here (%v); that takes root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// A full disk ends Run with an error, and what was committed before is there.
func TestAFullDisk(t *testing.T) {
	disk := mount(t, "size=256k")
	dir := filepath.Join(disk, "checkpoint")
	k, w := open(t, dir), filled(t, 3)
	ended := make(chan error, 1)
	s := &shared{world: w}
	from := w.source()
	from.Informers = s
	go func() { ended <- k.Run(t.Context(), from) }()
	committed := []string{w.text()}
	var err error
	for i := 0; err == nil; i++ {
		s.put(newObject(t, fmt.Sprint("p", i), 100+i, 20_000))
		s.do(func() { committed = append(committed, w.text()) })
		err = k.Await(t.Context())
	}
	if runErr := <-ended; !errors.Is(err, syscall.ENOSPC) || !errors.Is(runErr, syscall.ENOSPC) ||
		!errors.Is(runErr, checkpoint.ErrFailed) {
		t.Errorf("Await: %v, Run: %v", err, runErr)
	}
	if err := k.Close(); err != nil {
		t.Error(err)
	}
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT, "size=2m"); err != nil {
		t.Fatal(err)
	}
	k = open(t, dir)
	if i := slices.Index(committed, k.text()); i < len(committed)-2 || i < 3 {
		t.Errorf("%d was committed, and there is %d", len(committed)-2, i)
	}
	mustTurn(t, k, newWorld(t)) // it goes on
	if err := k.Close(); err != nil {
		t.Error(err)
	}
}

// A disk that can only be read is an error of Open.
func TestAReadOnlyDisk(t *testing.T) {
	disk := mount(t, "size=256k")
	dir := filepath.Join(disk, "checkpoint")
	k := open(t, dir)
	mustTurn(t, k, filled(t, 3))
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	files := glob(t, dir, "*")
	if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY,
		""); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, quiet); !errors.Is(err, syscall.EROFS) {
		t.Errorf("Open: %v", err)
	}
	if again := glob(t, dir, "*"); !slices.Equal(again, files) {
		t.Errorf("there is %q, and was %q", again, files)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}
