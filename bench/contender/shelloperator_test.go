package contender

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/informerd/informerd/bench/objects"
)

// fakeOperator, set in the environment, makes the test binary act as shell-operator.
const fakeOperator = "CONTENDER_TEST_FAKE_OPERATOR"

// contexts are binding contexts of real hook calls, shortened.
var contexts = []string{`[
  {
    "binding": "bench",
    "objects": [
      {
        "filterResult": {
          "kind": "Pod"
        }
      },
      {
        "filterResult": null
      },
      {
        "filterResult": {
          "kind": "Pod"
        }
      }
    ],
    "type": "Synchronization"
  }
]
`, `[
  {
    "binding": "bench",
    "filterResult": {
      "kind": "Pod"
    },
    "type": "Event",
    "watchEvent": "Modified"
  },
  {
    "binding": "bench",
    "filterResult": null,
    "type": "Event",
    "watchEvent": "Modified"
  }
]
`}

// playOperator asks the hook for its configuration, calls it with the contexts, and ends on
// SIGTERM.
func playOperator() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	flags := map[string]string{}
	for i := 2; i+1 < len(os.Args); i += 2 {
		flags[os.Args[i]] = os.Args[i+1]
	}
	fail := func(why string, err error) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", why, err)
		os.Exit(2)
	}
	hook := filepath.Join(flags["--hooks-dir"], "count.sh")
	if out, err := exec.Command(hook, "--config").Output(); err != nil ||
		!strings.Contains(string(out), "  kind: Pod\n") ||
		flags["--listen-address"] != "127.0.0.1" {
		fail("called with "+strings.Join(os.Args, " ")+", the hook's configuration is "+string(out),
			err)
	}
	for i, text := range contexts {
		path := filepath.Join(flags["--tmp-dir"], fmt.Sprint(i))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			fail("the temporary folder", err)
		}
		cmd := exec.Command(hook)
		cmd.Env = append(os.Environ(), "BINDING_CONTEXT_PATH="+path)
		if out, err := cmd.CombinedOutput(); err != nil {
			fail("the hook: "+string(out), err)
		}
	}
	<-stop
	os.Exit(1)
}

func TestTheHooksMatchesAreCounted(t *testing.T) {
	t.Setenv(fakeOperator, "1")
	s := newShellOperator(Setup{Kind: objects.Pods, Program: os.Args[0], Dir: t.TempDir(),
		Kubeconfig: "k"})
	tally := NewTally(0)
	p, err := s.Start(t.Context(), tally)
	if err != nil {
		t.Fatal(err)
	}
	for tally.MatchedChanges.Load() == 0 {
		if _, err := p.CPU(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	if listed, changes := tally.MatchedListed.Load(), tally.MatchedChanges.Load(); listed != 2 ||
		changes != 1 {
		t.Errorf("%d objects and %d changes", listed, changes)
	}
}

func TestAnotherExitCodeIsAnError(t *testing.T) {
	t.Setenv(fakeOperator, "1")
	s := newShellOperator(Setup{Kind: objects.Nodes, Program: os.Args[0], Dir: t.TempDir(),
		Kubeconfig: "k"})
	if _, err := s.Start(t.Context(), NewTally(0)); err != nil {
		t.Fatal(err)
	}
	err := <-s.done
	if want := "shell-operator: exit status 2: called with "; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
	s.setup.Program = s.setup.Dir
	if _, err := s.Start(t.Context(), NewTally(0)); err == nil ||
		!strings.HasPrefix(err.Error(), "cannot start shell-operator: ") {
		t.Error(err)
	}
}
