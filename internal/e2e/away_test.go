package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// away is what has happened to config maps, and what informerd has written of that.
type away struct {
	cluster *cluster
	client  dynamic.ResourceInterface
	dir     string
	made    int
	starts  int
	rand    *rand.Rand
	read    int64 // bytes of the output's file
	killed  bool  // the last changes may come again

	mu   sync.Mutex // guards what follows
	now  map[string]state
	want map[string][]told
}

// state is what a config map is.
type state struct{ uid, version, color string }

// told is what informerd writes of a change.
type told struct {
	op       string
	uid      string
	old, new string // versions, "" for the end of a delete
	from, to string // colors
}

// last is the object that changes while informerd runs.
const last = "last"

func newAway(t *testing.T, c *cluster) *away {
	client, err := c.resource("configmap", "default")
	if err != nil {
		t.Fatal(err)
	}
	a := &away{cluster: c, client: client, dir: t.TempDir(), rand: rand.New(rand.NewPCG(1, 1)),
		now: map[string]state{}, want: map[string][]told{}}
	const config = `apiVersion: informerd.dev/v1alpha1
kind: Config
state: {dir: state}
listeners:
  maps:
    informer: {resource: configmaps, labelSelector: "e2e=away"}
    checkpoint: true
    outputs: [file]
outputs:
  file: {file: {path: out.jsonl}}
`
	if err := os.WriteFile(a.path("c.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *away) path(name string) string { return filepath.Join(a.dir, name) }

// create makes objects, put changes them, and remove deletes them, many at a time.
func (a *away) create(t *testing.T, n int) {
	t.Helper()
	var names []string
	for range n {
		a.made++
		names = append(names, fmt.Sprint("map-", a.made))
	}
	a.put(t, names...)
}

func (a *away) put(t *testing.T, names ...string) {
	t.Helper()
	a.each(t, names, func(ctx context.Context, name string, was state, n int) error {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1",
			"kind": "ConfigMap", "data": map[string]any{"color": fmt.Sprint(was.version, "-", n)},
			"metadata": map[string]any{"name": name, "labels": map[string]any{"e2e": "away"}}}}
		if was.uid == "" {
			made, err := a.client.Create(ctx, o, metav1.CreateOptions{})
			if err == nil {
				a.is(name, "add", was, made)
			}
			return err
		}
		made, err := a.client.Update(ctx, o, metav1.UpdateOptions{})
		if err == nil {
			a.is(name, "update", was, made)
		}
		return err
	})
}

func (a *away) remove(t *testing.T, names ...string) {
	t.Helper()
	a.each(t, names, func(ctx context.Context, name string, was state, _ int) error {
		err := a.client.Delete(ctx, name, metav1.DeleteOptions{})
		if err == nil {
			a.is(name, "delete", was, nil)
		}
		return err
	})
}

// each does something to many objects.
func (a *away) each(t *testing.T, names []string,
	do func(ctx context.Context, name string, was state, n int) error) {
	t.Helper()
	var writers sync.WaitGroup
	next := make(chan int)
	for range 16 {
		writers.Go(func() {
			for n := range next {
				a.mu.Lock()
				was := a.now[names[n]]
				a.mu.Unlock()
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				if err := do(ctx, names[n], was, n); err != nil {
					t.Error(err)
				}
				cancel()
			}
		})
	}
	for n := range names {
		next <- n
	}
	close(next)
	writers.Wait()
	if t.Failed() {
		t.FailNow()
	}
}

// is notes what has become of an object, and what has to be told of it.
func (a *away) is(name, op string, was state, made *unstructured.Unstructured) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if made == nil {
		delete(a.now, name)
		a.want[name] = append(a.want[name], told{op: op, uid: was.uid, to: was.color})
		return
	}
	color, _, _ := unstructured.NestedString(made.Object, "data", "color")
	now := state{string(made.GetUID()), made.GetResourceVersion(), color}
	a.now[name] = now
	e := told{op: op, uid: now.uid, new: now.version, to: now.color}
	if op == "update" {
		e.old, e.from = was.version, was.color
	}
	a.want[name] = append(a.want[name], e)
}

// change deletes, changes and replaces objects, and makes new ones.
func (a *away) change(t *testing.T) {
	t.Helper()
	names := slices.Sorted(maps.Keys(a.now))
	names = slices.DeleteFunc(names, func(name string) bool { return name == last })
	a.rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	a.remove(t, names[:changed+replaced]...)
	a.put(t, names[changed:2*changed+replaced]...)
	a.create(t, changed)
}

// start starts informerd.
func (a *away) start(t *testing.T) *process {
	t.Helper()
	a.starts++
	name := fmt.Sprint("informerd-", a.starts)
	p, err := startIn(a.dir, name, []string{"KUBECONFIG=" + a.cluster.kubeconfig()}, "run", "--config", "c.yaml", "--log-level", "debug")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	return p
}

// end ends informerd.
func (a *away) end(t *testing.T, p *process, signal syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	a.killed = signal == syscall.SIGKILL
	<-p.done
	if success := p.cmd.ProcessState.Success(); success != (signal == syscall.SIGTERM) {
		t.Fatalf("informerd ended with %v:\n%s", p.cmd.ProcessState, p.written())
	}
}

// settle waits until the checkpoint has what was written, but for the last changes.
func (a *away) settle(t *testing.T, p *process) {
	t.Helper()
	for range 3 {
		before := committed(p)
		a.expect(t, p, "a change")
		err := p.await(p.err, func(string) error {
			if committed(p) == before {
				return fmt.Errorf("no checkpoint after %d", before)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func committed(p *process) int {
	lines, _ := p.err.lines()
	return strings.Count(lines, "the checkpoint is committed")
}

// expect waits until informerd has written what has happened since it was called last, and checks
// that it has written nothing else.
func (a *away) expect(t *testing.T, p *process, when string) {
	t.Helper()
	a.put(t, last) // what comes before it has come
	got := map[string][]told{}
	end := a.want[last][len(a.want[last])-1]
	err := eventually(func() error {
		if p.hasEnded() {
			return fmt.Errorf("informerd has ended: %v", p.cmd.ProcessState)
		}
		if err := a.readInto(got); err != nil {
			return err
		}
		if !slices.Contains(got[last], end) {
			return fmt.Errorf("the last change has not come")
		}
		for name, want := range a.want {
			if len(got[name]) < len(want) {
				return fmt.Errorf("%s: got %v, want %v", name, got[name], want)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v\n%s", when, err, p.written())
	}
	wrong := 0
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if slices.Equal(got[name], a.want[name]) || name == last && a.killed {
			continue
		}
		if wrong++; wrong <= 10 {
			t.Errorf("%s: %s: got %v, want %v", when, name, got[name], a.want[name])
		}
	}
	if wrong > 10 {
		t.Errorf("%s: %d objects are wrong", when, wrong)
	}
	clear(a.want)
	a.killed = false
}

// readInto adds what is new in the output's file.
func (a *away) readInto(got map[string][]told) error {
	f, err := os.Open(a.path("out.jsonl"))
	if os.IsNotExist(err) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, a.read, 1<<40))
	if err != nil {
		return err
	}
	text = text[:strings.LastIndexByte(string(text), '\n')+1]
	a.read += int64(len(text))
	for line := range strings.Lines(string(text)) {
		var m struct {
			Op, UID, Subject, ResourceVersion, OldResourceVersion string

			Data struct {
				Object, Old struct{ Data struct{ Color string } }
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			return fmt.Errorf("%w: %s", err, line)
		}
		e := told{op: m.Op, uid: m.UID, old: m.OldResourceVersion, new: m.ResourceVersion,
			from: m.Data.Old.Data.Color, to: m.Data.Object.Data.Color}
		if e.op == "delete" {
			e.new = "" // a delete that was seen has its own version, one that was found has none
		}
		name := m.Subject[strings.LastIndex(m.Subject, "/")+1:]
		got[name] = append(got[name], e)
	}
	return nil
}
