package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// etcd is that of a control plane, which is stopped, restored and started again.
type etcd struct {
	cluster *cluster
	args    []string
	env     []string // by which the control plane knows it
	data    string
	pid     int
	address string
	cmd     *exec.Cmd // nil while it is the control plane's own
}

func newEtcd(t *testing.T, c *cluster) *etcd {
	t.Helper()
	e := &etcd{cluster: c, data: filepath.Join(c.dir, "etcd")}
	var err error
	if e.pid, e.address, err = c.component(t.Context(), "etcd"); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]*[]string{"cmdline": &e.args, "environ": &e.env} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", e.pid, name))
		if err != nil {
			t.Fatal(err)
		}
		*to = strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	}
	t.Cleanup(e.end)
	return e
}

// backup copies what it has, while it stands still.
func (e *etcd) backup(t *testing.T) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "etcd")
	if err := syscall.Kill(e.pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	err := os.CopyFS(folder, os.DirFS(e.data))
	if err := syscall.Kill(e.pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// restore has the control plane be as it was at a backup.
func (e *etcd) restore(t *testing.T, folder string) {
	t.Helper()
	if err := e.cluster.killAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if e.cmd != nil {
		e.end()
	} else if err := killServer(e.pid, e.address); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(e.data); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(e.data, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	e.cmd = exec.Command(e.args[0], e.args[1:]...)
	e.cmd.Env = e.env
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e.pid = e.cmd.Process.Pid
	if err := e.cluster.restartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// end ends the one that this test has started, if there is one.
func (e *etcd) end() {
	if e.cmd != nil {
		_ = e.cmd.Process.Kill()
		_ = e.cmd.Wait()
		e.cmd = nil
	}
}

// TestAControlPlaneIsRestoredFromABackup: whether informerd runs meanwhile or not, what it has
// written in the end is what there is.
func TestAControlPlaneIsRestoredFromABackup(t *testing.T) {
	needs(t)
	t.Parallel()
	c := newCluster(t)
	e, a := newEtcd(t, c), newAway(t, c)
	a.create(t, 40)
	p := a.start(t)
	believed := map[string]told{}
	a.believe(t, p, believed)
	for _, running := range []bool{true, false} {
		backup, then := e.backup(t), maps.Clone(a.now)
		names := slices.Sorted(maps.Keys(a.now))
		a.remove(t, names[:5]...)
		a.put(t, names[3:15]...)
		a.create(t, 20)
		a.believe(t, p, believed)
		if !running {
			a.end(t, p, syscall.SIGTERM)
		}
		e.restore(t, backup)
		a.now = then
		if !running {
			p = a.start(t)
		}
		a.put(t, names[14:16]...)
		a.believe(t, p, believed)
		if text := p.written(); !strings.Contains(text, "the API server is behind what it had") {
			t.Errorf("running %t: it does not say so:\n%s", running, text)
		}
	}
	a.end(t, p, syscall.SIGTERM)
}

// believe waits until what informerd has written is what there is.
func (a *away) believe(t *testing.T, p *process, believed map[string]told) {
	t.Helper()
	err := eventually(func() error {
		got := map[string][]told{}
		if err := a.readInto(got); err != nil {
			return err
		}
		for name, all := range got {
			if believed[name] = all[len(all)-1]; believed[name].op == "delete" {
				delete(believed, name)
			}
		}
		for name, e := range believed {
			if is := a.now[name]; is.uid != e.uid || is.version != e.new || is.color != e.to {
				return fmt.Errorf("%s: %+v was told, and it is %+v", name, e, is)
			}
		}
		if len(believed) != len(a.now) {
			return fmt.Errorf("%d objects were told of, and there are %d", len(believed), len(a.now))
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, p.written())
	}
}
