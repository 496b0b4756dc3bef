package e2e

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for what should happen at once. It is used up only if
// something is wrong.
const patience = time.Minute

// story is the state that the commands of one script share.
type story struct {
	dir       string
	namespace string
	cluster   *cluster
	own       *cluster // of the script alone; nil: none
	processes map[string]*process
	event     map[string]any // what expect-event found
	receivers []string       // their variables, which every informerd has
}

type storyKey struct{}

func storyOf(ts *testscript.TestScript) *story { return ts.Value(storyKey{}).(*story) }

// setup sets up a script's namespace, variables and files.
func setup(env *testscript.Env) error {
	c, err := sharedCluster()
	if err != nil {
		return err
	}
	s := &story{dir: env.WorkDir,
		namespace: newNamespace(strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")),
		cluster:   c, processes: map[string]*process{}}
	env.Values[storyKey{}] = s
	t := env.T().(testing.TB) // as testscript promises of scripts that Run runs
	env.Defer(func() { s.end(t) })
	env.Setenv("XDG_CACHE_HOME", filepath.Join(env.WorkDir, ".cache")) // of compiled handlers
	env.Setenv("NS", s.namespace)
	env.Setenv("PLUGINS", plugins())
	env.Setenv("INFORMERD", informerdBin())
	env.Setenv("CONFIGS", filepath.Join(root(), "configs"))
	env.Setenv("KUBECONFIG", c.kubeconfig())
	env.Setenv("SERVER", c.server)
	if err := s.fillIn(); err != nil {
		return err
	}
	return c.createNamespace(s.namespace)
}

var runs struct {
	mu sync.Mutex     // guards of
	of map[string]int // how often each script ran
}

// newNamespace returns a new namespace each time a script runs, since go test -count runs it
// repeatedly on one control plane.
func newNamespace(script string) string {
	runs.mu.Lock()
	defer runs.mu.Unlock()
	if runs.of == nil {
		runs.of = map[string]int{}
	}
	runs.of[script]++
	return fmt.Sprintf("%s-%d", script, runs.of[script])
}

// fillIn replaces the two variables that files may contain.
func (s *story) fillIn() error {
	values := strings.NewReplacer("${NS}", s.namespace, "${PLUGINS}", plugins())
	return filepath.WalkDir(s.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("${")) {
			return err
		}
		return os.WriteFile(path, []byte(values.Replace(string(text))), 0o644)
	})
}

// end stops everything, whatever the outcome of the script.
func (s *story) end(t testing.TB) {
	for _, p := range s.processes {
		p.kill()
	}
	s.checkLogs(t)
	if s.own != nil {
		_ = s.own.down() // if it fails, TestMain tries again and reports it
	}
}

// commands are the commands of scripts; doc.go describes them.
var commands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"k8s":    command(2, -1, "k8s VERB ARGUMENT…", k8s),
	"metric": command(2, -1, "metric [-eventually] NAME LABEL=VALUE… N", metric),
	"fetch": command(3, -1,
		"fetch FILE NAME PATH, fetch -eventually FILE NAME PATH [!]REGEXP…", fetch),
	"cluster":   command(1, 1, "cluster up|shared|own|kill-apiserver|restart-apiserver", ownCluster),
	"informerd": command(1, -1, "informerd STATUS ARGUMENT…", informerd),
	"informerd-start": command(2, -1, "informerd-start [-blocked] NAME ARGUMENT…",
		informerdStart),
	"informerd-blocked": command(1, 1, "informerd-blocked NAME", informerdBlocked),
	"informerd-unblock": command(1, 1, "informerd-unblock NAME", informerdUnblock),
	"informerd-signal":  command(2, 2, "informerd-signal NAME SIGNAL", informerdSignal),
	"informerd-wait":    command(3, 3, "informerd-wait NAME STATUS DURATION", informerdWait),
	"informerd-stop":    command(1, 1, "informerd-stop NAME", informerdStop),
	"expect-log":        command(2, -1, "expect-log NAME REGEXP…", expectLog),
	"expect-line":       command(2, -1, "expect-line NAME REGEXP…", expectLine),
	"allow-log":         command(2, -1, "allow-log NAME REGEXP…", allowLog),
	"no-log":            command(2, 2, "no-log NAME REGEXP", noLog),
	"expect-event":      command(2, -1, "expect-event NAME CONDITION…", expectEvent),
	"expect-events":     command(3, -1, "expect-events NAME N CONDITION…", expectEvents),
	"count-events":      command(2, -1, "count-events NAME N CONDITION…", countEvents),
	"no-event":          command(2, -1, "no-event NAME CONDITION…", noEvent),
	"event-gaps":        command(4, -1, "event-gaps NAME MIN MAX CONDITION…", eventGaps),
	"count-states":      command(2, -1, "count-states NAME N CONDITION…", countStates),
	"event-env":         command(2, 2, "event-env VARIABLE FIELD", eventEnv),
	"event-span":        command(4, 4, "event-span FIELD FIELD MIN MAX", eventSpan),
	"event-id":          command(2, -1, "event-id VARIABLE PART…", eventID),
	"receiver":          command(2, 2, "receiver VARIABLE FILE", receiver),
	"nats":              command(1, 1, "nats VARIABLE", natsServer),
	"guest":             command(2, 2, "guest MODULE FILE", guest),
	"expect-content":    command(2, -1, "expect-content FILE REGEXP…", expectContent),
	"stdout-env":        command(2, 2, "stdout-env VARIABLE REGEXP", stdoutEnv),
	"hex":               command(2, 2, "hex FILE DIGITS", hexFile),
	"head":              command(3, 3, "head FILE N NEW", headOf),
}

// command checks the number of arguments. No command can be negated: commands for what must not
// happen are separate.
func command(least, most int, usage string, run func(*testscript.TestScript, []string)) func(
	*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < least || most >= 0 && len(args) > most {
			ts.Fatalf("usage: %s", usage)
		}
		run(ts, args)
	}
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func duration(ts *testscript.TestScript, text string) time.Duration {
	d, err := time.ParseDuration(text)
	ts.Check(err)
	return d
}

// stdoutEnv puts what the first group of a regular expression matches into a variable.
func stdoutEnv(ts *testscript.TestScript, args []string) {
	re, err := regexp.Compile(args[1])
	ts.Check(err)
	found := re.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("standard output has no match of %s, with one group", args[1])
	}
	ts.Setenv(args[0], found[1])
}

func hexFile(ts *testscript.TestScript, args []string) {
	data, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

func headOf(ts *testscript.TestScript, args []string) {
	data, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	n := number(ts, args[1])
	if n >= len(data) {
		ts.Fatalf("%s has only %d bytes", args[0], len(data))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), data[:n], 0o644))
}

// ownCluster starts a control plane for the script alone, which it may break.
func ownCluster(ts *testscript.TestScript, args []string) {
	s := storyOf(ts)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if args[0] != "up" && s.own == nil {
		ts.Fatalf("this is the control plane of all scripts: run cluster up first")
	}
	switch args[0] {
	case "up":
		s.own = &cluster{dir: filepath.Join(s.dir, "cluster")}
		s.cluster = s.own
		ts.Check(s.cluster.up(ctx))
		ts.Check(s.cluster.createNamespace(s.namespace))
		ts.Setenv("KUBECONFIG", s.cluster.kubeconfig())
		ts.Setenv("SERVER", s.cluster.server)
	case "shared":
		s.cluster = shared.cluster
	case "own":
		s.cluster = s.own
	case "kill-apiserver":
		ts.Check(s.own.killAPIServer(ctx))
	case "restart-apiserver":
		ts.Check(s.own.restartAPIServer(ctx))
	default:
		ts.Fatalf("the commands are cluster up, shared, own, kill-apiserver and restart-apiserver")
	}
}
