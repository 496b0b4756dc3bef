package daemon

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// fullDisk mounts a disk that has room for everything but the checkpoint of largePods, or skips the
// test.
func fullDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=300k"); err != nil {
		t.Skipf("a small disk cannot be mounted here (%v); that takes root", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// largePods are ten pods that take 500 KB, one of which a rule of onDisk does not want.
func largePods(t *testing.T) *kubernetes {
	t.Helper()
	var pods []string
	for i := range 10 {
		pods = append(pods, named("shop", fmt.Sprint("pod-", i), "", fmt.Sprintf(`,"status":{"text":%q}`,
			strings.Repeat(fmt.Sprintf("%d %x ", i, i*7919), 50_000/8))))
	}
	return kubernetesWith(t, map[string][]string{"pods": pods})
}

// onDisk is a configuration that keeps a checkpoint in a folder.
func onDisk(t *testing.T, dir, onDiskError string) *config.Config {
	t.Helper()
	return parse(t, `http: {address: "127.0.0.1:0"}
state: {dir: `+filepath.Join(dir, "state")+`, onDiskError: `+onDiskError+`}
`+head+`
  kept:
    informer: {resource: pods}
    checkpoint: true
    rules: [{name: unwanted, deny: object.metadata.name == "pod-3"}]
    outputs: [out]
  plain: {informer: {resource: pods}, outputs: [out]}
`)
}

// A daemon whose checkpoint cannot be written stops with an error, and has reported nothing that it
// would not know of after a restart.
func TestADiskErrorStopsTheDaemon(t *testing.T) {
	d := start(t, onDisk(t, fullDisk(t), "stop"), largePods(t))
	err := <-d.done
	if err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("got %v", err)
	}
	if log := d.log.String(); !strings.Contains(log,
		`level=ERROR msg="the checkpoint cannot be written, so informerd stops"`) {
		t.Errorf("logged %s", log)
	}
	if strings.Contains(d.out.String(), "dev.informerd.rule.violated") {
		t.Error("a violation is reported")
	}
}

// With state.onDiskError: continue it goes on and says so.
func TestADaemonThatContinuesAfterADiskError(t *testing.T) {
	d := start(t, onDisk(t, fullDisk(t), "continue"), largePods(t))
	d.out.waitForLines(t, 1, "dev.informerd.rule.violated")
	d.out.waitForLines(t, 10, "/listeners/plain")
	d.log.waitFor(t, `level=ERROR msg="the checkpoint cannot be written, and informerd goes on without it`)
	if got := d.ask(t, "/metrics"); !strings.Contains(got, "\ninformerd_checkpoint_failed 1\n") {
		t.Error("no metric says so")
	}
	if got := d.ask(t, "/readyz"); !strings.HasPrefix(got, "200 ok\ncheckpoint: given up, ") ||
		!strings.Contains(got, "no space left on device") {
		t.Errorf("got %q", got)
	}
	d.stop(t)
}

// A disk that can only be read is an error at the start, whatever is to be done later.
func TestAReadOnlyDiskIsAnErrorAtTheStart(t *testing.T) {
	dir, k := fullDisk(t), kubernetesWith(t, map[string][]string{"pods": {named("shop", "web", "",
		"")}})
	d := start(t, onDisk(t, dir, "continue"), k)
	d.out.waitForLines(t, 1, "/listeners/plain")
	d.stop(t)
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY,
		""); err != nil {
		t.Fatal(err)
	}
	d = start(t, onDisk(t, dir, "continue"), k)
	if err := <-d.done; err == nil || !strings.Contains(err.Error(), "read-only file system") ||
		!strings.Contains(err.Error(), "state.dir: ") {
		t.Errorf("got %v", err)
	}
}
