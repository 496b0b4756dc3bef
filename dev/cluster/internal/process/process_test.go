package process

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// helperVariable makes the test binary act as a component of the kind in its value.
const helperVariable = "PROCESS_TEST_HELPER"

func TestMain(m *testing.M) {
	switch os.Getenv(helperVariable) {
	case "":
		os.Exit(m.Run())
	case "obedient":
		println("up")
		time.Sleep(time.Minute)
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		println("up")
		time.Sleep(time.Minute)
	case "failing":
		println("cannot continue")
		os.Exit(3)
	}
}

// start starts a helper as a component of a cluster and returns once it is up.
func start(t *testing.T, cluster, name, kind string) *Started {
	t.Helper()
	spec := Spec{
		Cluster: cluster, Name: name, Path: os.Args[0],
		Env: []string{helperVariable + "=" + kind},
		Log: filepath.Join(cluster, name+".log"),
	}
	s, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		syscall.Kill(s.PID, syscall.SIGKILL)
		<-s.Exited()
	})
	deadline := time.Now().Add(10 * time.Second)
	for !strings.Contains(Tail(spec.Log, 1), "up") && kind != "failing" {
		if time.Now().After(deadline) {
			t.Fatalf("the helper did not come up: %s", Tail(spec.Log, 5))
		}
		time.Sleep(time.Millisecond)
	}
	return s
}

func list(t *testing.T, cluster string) Running {
	t.Helper()
	running, err := List(cluster)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(running.Close)
	return running
}

func TestListFindsTheComponentsOfOneCluster(t *testing.T) {
	here, elsewhere := t.TempDir(), t.TempDir()
	etcd := start(t, here, "etcd", "obedient")
	start(t, elsewhere, "etcd", "obedient")
	// Neither a process without a mark nor one whose directory has the same prefix is ours.
	start(t, mkdir(t, filepath.Join(here, "inner")), "etcd", "obedient")
	unmarked := exec.Command(os.Args[0])
	unmarked.Env = []string{helperVariable + "=obedient"}
	if err := unmarked.Start(); err != nil {
		t.Fatal(err)
	}
	defer unmarked.Wait()
	defer unmarked.Process.Kill()

	running := list(t, here)
	if len(running) != 1 || running[0].PID != etcd.PID || running[0].Name != "etcd" {
		t.Fatalf("List found %v, want etcd with pid %d alone", describe(running), etcd.PID)
	}
	if found := running.Named("kube-apiserver"); len(found) != 0 {
		t.Errorf("Named found %v", describe(found))
	}
}

func TestListForgetsTheDead(t *testing.T) {
	cluster := t.TempDir()
	s := start(t, cluster, "etcd", "obedient")
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.Exited()
	if s.Err() == nil || !strings.Contains(s.Err().Error(), "killed") {
		t.Errorf("Err = %v, want an error with killed", s.Err())
	}
	if running := list(t, cluster); len(running) != 0 {
		t.Errorf("List found %v", describe(running))
	}
}

// A pid that was reused after List must not be signalled: the handle still refers to the dead
// process.
func TestStopDoesNothingToTheDead(t *testing.T) {
	cluster := t.TempDir()
	s := start(t, cluster, "etcd", "obedient")
	running := list(t, cluster)
	if err := syscall.Kill(s.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-s.Exited()
	if err := running.Stop(context.Background(), time.Minute); err != nil {
		t.Fatal(err)
	}
}

func TestStopAsksFirst(t *testing.T) {
	cluster := t.TempDir()
	s := start(t, cluster, "etcd", "obedient")
	if err := list(t, cluster).Stop(context.Background(), time.Minute); err != nil {
		t.Fatal(err)
	}
	<-s.Exited()
	if !strings.Contains(s.Err().Error(), "terminated") {
		t.Errorf("it ended with %q, want by SIGTERM", s.Err())
	}
}

func TestStopKillsAfterTheGracePeriod(t *testing.T) {
	cluster := t.TempDir()
	stubborn := start(t, cluster, "kube-apiserver", "stubborn")
	start(t, cluster, "etcd", "obedient")
	if err := list(t, cluster).Stop(context.Background(), 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if running := list(t, cluster); len(running) != 0 {
		t.Errorf("after Stop these are still running: %v", describe(running))
	}
	<-stubborn.Exited()
	if !strings.Contains(stubborn.Err().Error(), "killed") {
		t.Errorf("it ended with %q, want by SIGKILL", stubborn.Err())
	}
}

func TestStartedTellsItsEnd(t *testing.T) {
	cluster := t.TempDir()
	s := start(t, cluster, "etcd", "failing")
	<-s.Exited()
	if got, want := s.Err().Error(), "exit status 3"; got != want {
		t.Errorf("Err = %q, want %q", got, want)
	}
	if got, want := Tail(filepath.Join(cluster, "etcd.log"), 5), "cannot continue"; got != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
}

func TestStartDetaches(t *testing.T) {
	s := start(t, t.TempDir(), "etcd", "obedient")
	group, err := syscall.Getpgid(s.PID)
	if err != nil {
		t.Fatal(err)
	}
	if group != s.PID {
		t.Errorf("the component is in process group %d, want one of its own, %d", group, s.PID)
	}
}

func TestTail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	f := func(content string, lines int, want string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := Tail(path, lines); got != want {
			t.Errorf("Tail(%.20q, %d) = %q, want %q", content, lines, got, want)
		}
	}
	f("", 3, "(the log is empty)")
	f("a\nb\n", 3, "a\nb")
	f("a\nb\nc\nd\n", 3, "b\nc\nd")
	f("a\nb", 1, "b")
	f(strings.Repeat("x\n", tailBytes)+"end\n", 2, "x\nend")
	f(strings.Repeat("y", tailLine+1), 1, strings.Repeat("y", tailLine)+"...")

	if got := Tail(filepath.Join(t.TempDir(), "none"), 1); !strings.HasPrefix(got, "(no log: ") {
		t.Errorf("Tail of a missing file = %q", got)
	}
}

func mkdir(t *testing.T, path string) string {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func describe(running Running) (names []string) {
	for _, p := range running {
		names = append(names, p.Name)
	}
	return names
}
