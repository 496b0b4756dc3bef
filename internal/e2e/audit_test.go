package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// holes are defects that are compiled into informerd: each loses the events of one object, at
// another place of their way.
var holes = []struct {
	file, before, insert string
}{
	{"pkg/informer/controller.go", "	switch {\n	case d.Type == queue.Deleted:\n",
		`	if stored != nil && (o.Name() == "lost-informer" || o.Name() == "gone-informer") {
		return
	}
`},
	{"pkg/informer/processor.go", "	s := reg.subscription\n	if floors :=",
		`	if e.Object.Name() == "lost-listener" && e.Op == event.Update ||
		e.Object.Name() == "gone-listener" && e.Op == event.Delete {
		return
	}
`},
	{"internal/route/worker.go", "	rest := unsent{pipeline: w.pipeline}\n",
		`	if d.Object.Name() == "lost-worker" && d.Op == event.Update ||
		d.Object.Name() == "gone-worker" && d.Op == event.Delete {
		d.Done()
		return
	}
`},
	{"internal/delivery/sender.go", "	s.outbox.end(p.entry)\n",
		`	if p.entry.event.Object.Name() == "lost-output" && p.entry.event.Op == event.Update {
		s.done = append(s.done, p.Delivery)
		return
	}
`},
}

// holed builds informerd with the holes.
func holed(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for i, h := range holes {
		path := filepath.Join(root(), h.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), h.before); n != 1 {
			t.Fatalf("%s has %q %d times", h.file, h.before, n)
		}
		replace[path] = filepath.Join(dir, fmt.Sprint(i, ".go"))
		text = []byte(strings.Replace(string(text), h.before, h.insert+h.before, 1))
		if err := os.WriteFile(replace[path], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "informerd")
	build := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o",
		program, "./cmd/informerd")
	build.Dir = root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// audited is an informerd that is audited, and the objects that it listens to.
type audited struct {
	program    string
	dir        string
	kubeconfig string
	label      string
	client     dynamic.ResourceInterface
	process    *process
	starts     int
}

// newAudited starts a program with listeners of config maps that have a label.
func newAudited(t *testing.T, program, label, listeners string) *audited {
	t.Helper()
	c, err := sharedCluster()
	if err != nil {
		t.Fatal(err)
	}
	a := &audited{program: program, dir: t.TempDir(), label: label}
	if a.client, err = c.resource("configmap", "default"); err != nil {
		t.Fatal(err)
	}
	a.kubeconfig = c.kubeconfig()
	a.configure(t, "labelSelector: e2e="+label, listeners)
	a.start(t)
	return a
}

// configure writes the configuration, with what limits the informer.
func (a *audited) configure(t *testing.T, scope, listeners string) {
	t.Helper()
	config := "apiVersion: informerd.dev/v1alpha1\nkind: Config\nstate: {dir: state}\n" +
		"informers:\n  maps: {resource: configmaps, " + scope + "}\n" + listeners
	if err := os.WriteFile(filepath.Join(a.dir, "c.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

// start starts the program.
func (a *audited) start(t *testing.T) {
	t.Helper()
	p := &process{cmd: exec.Command(a.program, "run", "--config", "c.yaml"),
		done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = a.dir, append(os.Environ(), "KUBECONFIG="+a.kubeconfig)
	a.starts++
	var err error
	if p.out, err = newStream(filepath.Join(a.dir, fmt.Sprint("out-", a.starts))); err != nil {
		t.Fatal(err)
	}
	if p.err, err = newStream(filepath.Join(a.dir, fmt.Sprint("err-", a.starts))); err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	if err := p.start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	a.process = p
}

// end ends the program.
func (a *audited) end(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := a.process.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	<-a.process.done
}

// put creates or changes an object.
func (a *audited) put(t *testing.T, name string, n int) {
	t.Helper()
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"data": map[string]any{"n": fmt.Sprint(n), "even": fmt.Sprint(n%2 == 0)},
		"metadata": map[string]any{"name": a.label + "-" + name,
			"labels": map[string]any{"e2e": a.label}}}}
	if !strings.HasPrefix(name, "map-") {
		o.SetName(name)
	}
	_, err := a.client.Apply(t.Context(), o.GetName(), o,
		metav1.ApplyOptions{FieldManager: "e2e", Force: true})
	if err != nil {
		t.Error(err)
	}
}

func (a *audited) remove(t *testing.T, name string) {
	t.Helper()
	if strings.HasPrefix(name, "map-") {
		name = a.label + "-" + name
	}
	if err := a.client.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// result is what an audit has shown.
type result struct {
	exit     int
	objects  int
	counts   map[string]int
	outcomes map[string]string // of objects, with the reason
}

func (a *audited) audit(t *testing.T, listener string, args ...string) (r result) {
	t.Helper()
	cmd := exec.Command(a.program, slices.Concat([]string{"audit", listener, "--config", "c.yaml",
		"-o", "json"}, args)...)
	var out, errOut bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = a.dir, &out, &errOut
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		r.exit = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	r.outcomes = map[string]string{}
	for line := range strings.Lines(out.String()) {
		var l struct {
			Name, Outcome, Reason string
			Deleted               bool
			Objects               int
			Counts                map[string]int
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if l.Counts != nil {
			r.objects, r.counts = l.Objects, l.Counts
			continue
		}
		outcome := l.Outcome + ": " + l.Reason
		if l.Deleted {
			outcome += ", deleted"
		}
		r.outcomes[l.Name] = outcome
	}
	if r.counts == nil {
		t.Logf("%s: %s", listener, errOut.String())
	}
	return r
}

// eventually waits until an audit shows so many objects of an outcome.
func (a *audited) eventually(t *testing.T, listener, outcome string, n int) {
	t.Helper()
	err := eventually(func() error {
		if r := a.audit(t, listener, "--wait", "1ms"); r.counts[outcome] != n {
			return fmt.Errorf("%s: want %d %s, got %v", listener, n, outcome, r.counts)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, a.process.written())
	}
}

// An audit finds each event that is lost on its way, wherever that is, and nothing else.
func TestAuditFindsHoles(t *testing.T) {
	needs(t)
	t.Parallel()
	a := newAudited(t, holed(t), "audit-holes",
		"listeners:\n  all: {informer: maps, outputs: [file]}\n"+
			"outputs:\n  file: {file: {path: out.jsonl}}\n")
	lost := []string{"lost-informer", "lost-listener", "lost-worker", "lost-output"}
	gone := []string{"gone-informer", "gone-listener", "gone-worker"}
	names := slices.Concat(lost, gone)
	for i := range 20 {
		names = append(names, fmt.Sprint("map-", i))
	}
	for i, name := range names {
		a.put(t, name, i)
	}
	a.eventually(t, "all", "delivered", len(names))
	if r := a.audit(t, "all"); r.exit != 0 {
		t.Errorf("before anything is lost: exit code %d, %v", r.exit, r.outcomes)
	}
	changed := 0
	for i, name := range names {
		switch {
		case slices.Contains(gone, name), i%5 == 0 && !slices.Contains(lost, name):
			a.remove(t, name)
			continue
		case !slices.Contains(lost, name):
			changed++
		}
		a.put(t, name, 100+i)
	}
	a.eventually(t, "all", "delivered", changed)
	r := a.audit(t, "all", "--wait", "3s")
	const behind, lostOnWay, nobody = "the informer has not come to it",
		"it was on its way to the outputs, and none has it",
		"the informer has handed it on, and nobody has it"
	want := map[string]string{
		"lost-informer": behind, "lost-listener": nobody, "lost-worker": nobody,
		"lost-output": lostOnWay, "gone-informer": behind + ", deleted",
		"gone-listener": nobody + ", deleted", "gone-worker": nobody + ", deleted",
	}
	for name, reason := range want {
		want[name] = "never seen: " + reason
	}
	if r.exit != 1 || !maps.Equal(r.outcomes, want) {
		t.Errorf("exit code %d, got %v, want %v\n%s", r.exit, r.outcomes, want,
			a.process.written())
	}
}

// While thousands of objects change, come and go, nothing counts as never seen.
func TestAuditUnderLoad(t *testing.T) {
	needs(t)
	t.Parallel()
	const objects, rate, seconds, writers = 5000, 500, 12, 16
	a := newAudited(t, informerdBin(), "audit-load", `listeners:
  all: {informer: maps, checkpoint: true, outputs: [one]}
  even: {informer: maps, filter: object.data.even == "true", outputs: [one, two]}
  chosen: {informer: maps, select: object.data.even == "true", outputs: [two]}
  comes: {informer: maps, on: [add], buffer: {capacity: 10}, outputs: [one]}
  dropped: {informer: maps, buffer: {capacity: 5, overflow: drop}, outputs: [two]}
  became: {informer: maps, filter: 'became(object.data.even == "true")', outputs: [two]}
  judged:
    informer: maps
    rules: [{name: odd, deny: object.data.even != "true"}]
    outputs: [one]
outputs:
  one: {file: {path: one.jsonl}}
  two: {file: {path: two.jsonl}}
`)
	listeners := []string{"all", "even", "chosen", "comes", "dropped", "became", "judged"}
	work := make(chan func(), writers)
	var writing sync.WaitGroup
	for range writers {
		writing.Go(func() {
			for f := range work {
				f()
			}
		})
	}
	var busy [objects]sync.Mutex // of each object, whose changes come one after the other
	there := [objects]bool{}
	change := func(n, to int, remove bool) {
		busy[n].Lock()
		defer busy[n].Unlock()
		name := fmt.Sprint("map-", n)
		if remove && there[n] {
			a.remove(t, name)
			there[n] = false
			return
		}
		a.put(t, name, to)
		there[n] = true
	}
	for n := range objects {
		work <- func() { change(n, n, false) }
	}
	loaded := make(chan struct{})
	go func() {
		defer close(loaded)
		random := rand.New(rand.NewPCG(1, 2))
		ticks := time.NewTicker(time.Second / rate)
		defer ticks.Stop()
		for i := range rate * seconds {
			n, remove := random.IntN(objects), random.IntN(5) == 0
			work <- func() { change(n, i, remove) }
			<-ticks.C
		}
		close(work)
		writing.Wait()
	}()
	audits := 0
	for done := false; !done; audits++ {
		select {
		case <-loaded:
			done = true
		default:
		}
		listener := listeners[audits%len(listeners)]
		r := a.audit(t, listener, "--wait", "1m")
		if r.exit != 0 || r.counts["never seen"] > 0 {
			for name, outcome := range r.outcomes {
				if strings.HasPrefix(outcome, "never seen") {
					t.Errorf("%s: %s: %s", listener, name, outcome)
				}
			}
			t.Fatalf("%s: exit code %d, %v\n%s", listener, r.exit, r.counts, a.process.written())
		}
	}
	t.Logf("%d audits under load", audits)
	if audits < len(listeners) {
		t.Errorf("only %d audits", audits)
	}
	left := 0
	for _, is := range there {
		if is {
			left++
		}
	}
	for _, listener := range []string{"all", "chosen"} {
		a.eventually(t, listener, "waiting", 0)
		if r := a.audit(t, listener); r.objects != left || r.exit != 0 {
			t.Errorf("%s: %d objects, want %d: %v", listener, r.objects, left, r.counts)
		}
	}
	a.end(t, syscall.SIGTERM)
}

// What was killed, stopped or reloaded meanwhile has never missed anything either.
func TestAuditAcrossRestarts(t *testing.T) {
	needs(t)
	t.Parallel()
	const listeners = `listeners:
  kept: {informer: maps, checkpoint: true, filter: object.data.even == "true", outputs: [one]}
  fresh: {informer: maps, select: object.data.even == "true", outputs: [one, two]}
  small: {informer: maps, checkpoint: true, buffer: {capacity: 3, overflow: block}, outputs: [two]}
  spilt: {informer: maps, checkpoint: true, buffer: {capacity: 3, overflow: spill}, outputs: [two]}
outputs:
  one: {file: {path: one.jsonl}}
  two: {file: {path: two.jsonl}}
`
	names := []string{"kept", "fresh", "small", "spilt"}
	a := newAudited(t, informerdBin(), "audit-restarts", listeners)
	stop, writing := make(chan struct{}), sync.WaitGroup{}
	defer writing.Wait()
	defer close(stop)
	for writer := range 4 {
		writing.Go(func() {
			random, there := rand.New(rand.NewPCG(3, uint64(writer))), map[string]bool{}
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				name := fmt.Sprint("map-", writer, "-", random.IntN(100))
				if there[name] && random.IntN(4) == 0 {
					a.remove(t, name)
					delete(there, name)
					continue
				}
				a.put(t, name, i)
				there[name] = true
			}
		})
	}
	scopes := []string{"labelSelector: e2e=audit-restarts",
		"labelSelector: e2e=audit-restarts, namespaces: [default]",
		"labelSelector: e2e in (audit-restarts)"}
	audits := 0
	for turn := range 8 {
		switch turn % 4 {
		case 0:
			a.end(t, syscall.SIGKILL)
			a.start(t)
		case 1, 3:
			a.configure(t, scopes[turn%3], listeners)
			reload := exec.Command(a.program, "reload", "c.yaml")
			reload.Dir = a.dir
			if out, err := reload.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		case 2:
			a.end(t, syscall.SIGTERM)
			a.start(t)
		}
		for _, name := range names {
			err := eventually(func() error { // it may not listen yet, or be reloaded
				r := a.audit(t, name, "--wait", "1m")
				if r.counts == nil {
					return fmt.Errorf("%s: exit code %d", name, r.exit)
				}
				audits++
				for object, outcome := range r.outcomes {
					if strings.HasPrefix(outcome, "never seen") {
						t.Errorf("turn %d, %s: %s: %s", turn, name, object, outcome)
					}
				}
				return nil
			})
			if err != nil || t.Failed() {
				t.Fatalf("%v\n%s", err, a.process.written())
			}
		}
	}
	t.Logf("%d audits", audits)
}
