package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

const howToBuild = "make devcluster build examples"

// shared is the control plane of all scripts that do not break it.
var shared struct {
	once    sync.Once
	cluster *cluster
	err     error
}

func TestMain(m *testing.M) {
	if os.Getenv(asKubectl) != "" {
		if err := kubectl(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "kubectl:", err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	// The stories mostly wait, so more of them run at a time than there are processors.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	forget := stopWhenInterrupted()
	code := m.Run()
	forget()
	if err := running.stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// stopWhenInterrupted stops the control planes when the tests are interrupted, or take so long that
// go test is about to kill them.
func stopWhenInterrupted() (forget func()) {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	var tooLong <-chan time.Time
	if f := flag.Lookup("test.timeout"); f != nil {
		const stopping = 20 * time.Second
		if timeout, ok := f.Value.(flag.Getter).Get().(time.Duration); ok && timeout > stopping {
			tooLong = time.After(timeout - stopping)
		}
	}
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		select {
		case <-interrupted:
		case <-tooLong:
			fmt.Fprintln(os.Stderr, "the stories take too long; stopping their control planes")
		case <-done:
			return
		}
		_ = running.stop()
		os.Exit(1)
	})
	return func() {
		signal.Stop(interrupted)
		close(done)
		watching.Wait()
	}
}

// needs skips the test with -short, and fails it if a required program was not built.
func needs(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("the stories need a control plane; skipped with -short")
	}
	for _, file := range []string{informerdBin(), devclusterBin(),
		filepath.Join(plugins(), "crashloop.wasm"), filepath.Join(plugins(), "label-audit.wasm")} {
		if _, err := os.Stat(file); err != nil {
			t.Fatalf("%v\nbuild it with: %s", err, howToBuild)
		}
	}
}

// sharedCluster starts the control plane that TestMain stops.
func sharedCluster() (*cluster, error) {
	shared.once.Do(func() {
		dir, err := os.MkdirTemp("", "informerd-e2e-")
		if err != nil {
			shared.err = err
			return
		}
		shared.cluster = &cluster{dir: dir}
		shared.err = shared.cluster.up(context.Background())
	})
	return shared.cluster, shared.err
}

// newCluster starts a control plane for a test that breaks it or counts its requests. The test's end
// stops it; its logs stay.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	dir, err := os.MkdirTemp("", "informerd-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{dir: dir}
	if err := c.up(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.down(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// root returns the repository's root: go test runs tests in their package's folder.
func root() string {
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		panic(err)
	}
	return dir
}

func informerdBin() string  { return program("INFORMERD_BIN", "informerd") }
func devclusterBin() string { return program("DEVCLUSTER_BIN", "devcluster") }
func plugins() string       { return filepath.Join(root(), "bin", "plugins") }

func program(variable, name string) string {
	if path := os.Getenv(variable); path != "" {
		return path
	}
	return filepath.Join(root(), "bin", name)
}

func TestStories(t *testing.T) {
	needs(t)
	// Done once here, not in the first script to need it: the others would wait and count the time
	// as theirs.
	if _, err := sharedCluster(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOTMPDIR", t.TempDir()) // testscript would leave an empty folder behind
	testscript.Run(t, testscript.Params{
		Dir: "testdata", Setup: setup, Cmds: commands,
		RequireUniqueNames: true,
	})
}
