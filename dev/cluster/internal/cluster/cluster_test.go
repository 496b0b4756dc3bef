package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/dev/cluster/internal/process"
)

// startSleeper starts a process that counts as a component of the cluster.
func startSleeper(t *testing.T, l layout, name string) {
	t.Helper()
	if err := os.MkdirAll(l.logs(), 0o700); err != nil {
		t.Fatal(err)
	}
	spec := process.Spec{Cluster: l.dir, Name: name, Path: "/bin/sleep", Args: []string{"60"},
		Log: l.log(name)}
	started, err := process.Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stopAll(context.Background(), l); err != nil {
			t.Error(err)
		}
		<-started.Exited()
	})
	// A process that has just been started has no environment for a moment, and is recognised by
	// it.
	for listed := 0; listed == 0; {
		running, err := process.List(l.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range running {
			if p.Name == name {
				listed++
			}
		}
		running.Close()
	}
}

func takeOverSaying(t *testing.T, l layout, o Options) (done bool, said string, err error) {
	t.Helper()
	o.Say = func(format string, _ ...any) { said += format + "\n" }
	done, err = takeOver(context.Background(), l, o)
	return done, said, err
}

func TestTakeOverOfAnEmptyDirectory(t *testing.T) {
	done, said, err := takeOverSaying(t, owned(t), Options{})
	if done || said != "" || err != nil {
		t.Errorf("takeOver = %v, %q, %v", done, said, err)
	}
}

func TestTakeOverRemovesLeftovers(t *testing.T) {
	l := owned(t)
	put(t, l.settings(), `{"ports":{"etcd":`) // cut off in the middle
	put(t, filepath.Join(l.etcd(), "member", "wal"), "old")
	put(t, l.kubeconfig(), "of a cluster that is gone")
	done, said, err := takeOverSaying(t, l, Options{})
	if done || err != nil {
		t.Fatalf("takeOver = %v, %v", done, err)
	}
	if !strings.HasPrefix(said, "removing the remains of an earlier run") {
		t.Errorf("it printed %q", said)
	}
	if l.used() {
		t.Error("something remains")
	}
}

func TestTakeOverStopsWhatIsIncomplete(t *testing.T) {
	for name, left := range map[string]func(l layout){
		"no settings":     func(layout) {},
		"broken settings": func(l layout) { put(t, l.settings(), "{") },
		"no API server": func(l layout) {
			put(t, l.settings(), "{}")
			put(t, l.kubeconfig(), "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := owned(t)
			left(l)
			startSleeper(t, l, etcd)
			done, said, err := takeOverSaying(t, l, Options{})
			if done || err != nil {
				t.Fatalf("takeOver = %v, %v", done, err)
			}
			if !strings.Contains(said, "stopping the rest and starting again") {
				t.Errorf("it printed %q", said)
			}
			running, err := process.List(l.dir)
			if err != nil {
				t.Fatal(err)
			}
			defer running.Close()
			if len(running) > 0 || l.used() {
				t.Error("something remains")
			}
		})
	}
}

func TestTakeOverDoesNotAddControllersToARunningCluster(t *testing.T) {
	l := owned(t)
	put(t, l.settings(), "{}")
	put(t, l.kubeconfig(), "")
	startSleeper(t, l, etcd)
	startSleeper(t, l, apiServer)
	_, _, err := takeOverSaying(t, l, Options{Controllers: true})
	if err == nil || !strings.Contains(err.Error(), "run down first") {
		t.Errorf("takeOver = %v", err)
	}
}

func TestTakeOverDoesNotChangeFeatureGates(t *testing.T) {
	l := owned(t)
	put(t, l.settings(), `{"featureGates":"A=true"}`)
	put(t, l.kubeconfig(), "")
	startSleeper(t, l, etcd)
	startSleeper(t, l, apiServer)
	_, _, err := takeOverSaying(t, l, Options{FeatureGates: "B=true"})
	if err == nil || !strings.Contains(err.Error(), `has the feature gates "A=true"`) {
		t.Errorf("takeOver = %v", err)
	}
}

func TestDownStopsEvenIfTheDirectoryIsGone(t *testing.T) {
	l := owned(t)
	startSleeper(t, l, etcd)
	if err := os.RemoveAll(l.dir); err != nil {
		t.Fatal(err)
	}
	stopped, err := Down(context.Background(), l.dir, quiet)
	if !stopped || err != nil {
		t.Errorf("Down = %v, %v", stopped, err)
	}
	stopped, err = Down(context.Background(), l.dir, quiet)
	if stopped || err != nil {
		t.Errorf("a second Down = %v, %v", stopped, err)
	}
	if exists(l.dir) {
		t.Error("Down made the directory")
	}
}

func TestStatusAndRestartWithoutACluster(t *testing.T) {
	dir := t.TempDir()
	if _, err := Status(context.Background(), dir); !errors.Is(err, ErrNone) {
		t.Errorf("Status = %v", err)
	}
	if err := RestartAPIServer(context.Background(), dir, nil, DefaultTimeout, quiet); !errors.Is(err,
		ErrNone) {
		t.Errorf("RestartAPIServer = %v", err)
	}
}

func TestComponents(t *testing.T) {
	l := layout{dir: "/cluster"}
	var names []string
	for _, c := range components(l, settings{Controllers: true, Kwok: "/bin/kwok"}) {
		names = append(names, c.name)
		if c.name != kwok && c.spec(l, "/self").Path != "/self" {
			t.Errorf("%s is run by another program", c.name)
		}
	}
	if want := []string{etcd, apiServer, controllerManager, scheduler, kwok}; !slices.Equal(names,
		want) {
		t.Errorf("components = %v, want %v", names, want)
	}
	for _, step := range stopOrder {
		names = slices.DeleteFunc(names, func(name string) bool {
			return slices.Contains(step, name)
		})
	}
	if len(names) > 0 {
		t.Errorf("stopOrder forgets %v", names)
	}

	const gates = "--feature-gates=A=true,B=false"
	if !slices.Contains(apiServerComponent(l, settings{FeatureGates: "A=true,B=false"}).args, gates) {
		t.Errorf("the API server lacks %s", gates)
	}

	// Without controllers nothing creates service accounts, and pods must be accepted all the same.
	const plugin = "--disable-admission-plugins=ServiceAccount"
	if !slices.Contains(apiServerComponent(l, settings{}).args, plugin) {
		t.Errorf("without controllers the API server lacks %s", plugin)
	}
	if slices.Contains(apiServerComponent(l, settings{Controllers: true}).args, plugin) {
		t.Errorf("with controllers the API server has %s", plugin)
	}
}

func TestFindKwok(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "kwok")
	if _, err := findKwok(program); err == nil || !strings.Contains(err.Error(), "--kwok") {
		t.Errorf("a missing program: %v", err)
	}
	put(t, program, "")
	if _, err := findKwok(program); err == nil ||
		!strings.Contains(err.Error(), "is not a program") {
		t.Errorf("a file that is not executable: %v", err)
	}
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if got, err := findKwok("kwok"); err != nil || !filepath.IsAbs(got) {
		t.Errorf("findKwok = %q, %v; want an absolute path", got, err)
	}
	if _, err := findKwok(""); err == nil || !strings.Contains(err.Error(), "README.md") {
		t.Errorf("kwok is missing next to the program: %v", err)
	}
}

func TestFailedChecks(t *testing.T) {
	f := func(body, want string) {
		t.Helper()
		if got := failedChecks(body); got != want {
			t.Errorf("failedChecks(%q) = %q, want %q", body, got, want)
		}
	}
	f("[+]ping ok\n[-]etcd failed: reason withheld\n[-]rbac failed\nreadyz check failed\n",
		"[-]etcd failed: reason withheld, [-]rbac failed")
	f("no leader\n", "no leader")
	f("", "")
}
