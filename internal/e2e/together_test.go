package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

const (
	togetherShards  = 20 // informers, with five listeners each
	togetherObjects = 200
	togetherRate    = 50 // changes in a second, if the machine has the time
	lateFor         = 2 * time.Second
	// published is how much of what came before a leader is lost may come again, and saved of
	// one with a checkpoint: the interval, and the rest for a machine without time.
	published, saved = 6 * time.Second, 3 * time.Second
)

var togetherOutputs = []string{"all", "batches", "selected", "judged", "late"}

// together is one informerd with a checkpoint and two that take turns, who does something to them,
// to what they have written and to those who receive, and what came of it.
type together struct {
	*testing.T
	cluster *cluster
	maps    dynamic.ResourceInterface
	dir     string
	random  *rand.Rand
	seed    uint64
	server  *httptest.Server
	mounted bool // the state is a file system of its own

	processes map[string]*process
	stopped   map[string]bool // what has ended was ended
	starts    int
	variants  map[string]int // of the select, by who
	copied    time.Time      // when the folder was copied, zero if it was not
	damaged   bool           // it may be that the folder cannot be read

	mu      sync.Mutex
	modes   map[string]string // of "who/output": "refuse", "hang" and "lose" the answer
	ledgers map[string]map[string]*ledger
	attacks map[string][]attack // by who
	away    map[string][][2]time.Time
	facts   map[string][]fact
	last    map[string]time.Time // when a process has delivered last
	wrong   []string
	changes atomic.Int64
}

// who returns who shares a ledger with a process.
func who(process string) string {
	if process == "alone" {
		return process
	}
	return "pair"
}

// ServeHTTP takes what a process sends to an output, or does not.
func (w *together) ServeHTTP(answer http.ResponseWriter, r *http.Request) {
	by, output, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender has gone
	}
	w.mu.Lock()
	mode := w.modes[who(by)+"/"+output]
	w.mu.Unlock()
	switch mode {
	case "refuse":
		http.Error(answer, "away", http.StatusServiceUnavailable)
		return
	case "hang":
		select {
		case <-time.After(3 * time.Second):
		case <-r.Context().Done():
		}
		http.Error(answer, "away", http.StatusServiceUnavailable)
		return
	}
	if len(body) > 0 && body[0] != '[' {
		body = append(append([]byte{'['}, body...), ']')
	}
	var messages []struct {
		ID, Type, Op, UID, Subject, ResourceVersion, OldResourceVersion string

		FinalStateUnknown bool
		Data              struct {
			Object struct{ Data struct{ N string } }
			Since  time.Time
		}
	}
	if err := json.Unmarshal(body, &messages); err != nil {
		w.errorf("%s: %v", r.URL.Path, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	w.last[by] = now
	for _, m := range messages {
		name := m.Subject[strings.LastIndexByte(m.Subject, '/')+1:]
		key := who(by) + "/" + output
		l := w.ledgers[key][name]
		if l == nil {
			l = &ledger{output: output}
			if w.ledgers[key] == nil {
				w.ledgers[key] = map[string]*ledger{}
			}
			w.ledgers[key][name] = l
		}
		h := heard{at: now, taken: mode != "lose", by: by, ID: m.ID, Type: m.Type, Op: m.Op, UID: m.UID,
			n: m.Data.Object.Data.N, since: m.Data.Since, unknown: m.FinalStateUnknown}
		h.version, _ = strconv.ParseUint(m.ResourceVersion, 10, 64)
		h.old, _ = strconv.ParseUint(m.OldResourceVersion, 10, 64)
		l.heard = append(l.heard, h)
	}
	if mode == "lose" {
		if c, _, err := http.NewResponseController(answer).Hijack(); err == nil {
			_ = c.Close()
		}
	}
}

func (w *together) errorf(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// selects are the selects that reloads change.
var selects = []struct {
	expression string
	wants      func(fact) bool
}{
	{`object.data.bad == "no"`, func(f fact) bool { return !f.bad }},
	{`object.data.odd == "yes"`, func(f fact) bool { return f.odd }},
}

// configure writes the configuration of a process.
func (w *together) configure(process string, broken bool) {
	var c strings.Builder
	fmt.Fprintf(&c, "apiVersion: informerd.dev/v1alpha1\nkind: Config\n")
	checkpoint := ""
	if process == "alone" {
		fmt.Fprintln(&c, "state: {dir: state}")
		checkpoint = "checkpoint: true, "
	} else {
		fmt.Fprintln(&c, "leaderElection: {namespace: default, name: together, leaseDuration: 4s, renewDeadline: 3s, retryPeriod: 1s}")
	}
	fmt.Fprintln(&c, "informers:")
	for n := range togetherShards {
		fmt.Fprintf(&c, "  s%d: {resource: configmaps, namespaces: [default], labelSelector: \"shard=%[1]d\"}\n", n)
	}
	fmt.Fprintln(&c, "listeners:")
	for n := range togetherShards {
		for _, output := range togetherOutputs {
			more := ""
			switch output {
			case "all":
				more = "workers: 4, "
			case "selected":
				more = "select: '" + selects[w.variants[who(process)]].expression + "', "
			case "judged":
				more = `rules: [{name: bad, deny: 'object.data.bad == "yes"'}], `
			case "late":
				more = fmt.Sprintf(`rules: [{name: late, deny: 'object.data.late == "yes"', for: %v}], `, lateFor)
			}
			fmt.Fprintf(&c, "  %s-%d: {informer: s%[2]d, %s%soutputs: [%[1]s]}\n", output, n, more, checkpoint)
		}
	}
	fmt.Fprintln(&c, "outputs:")
	for _, output := range togetherOutputs {
		batch := ""
		if output == "batches" {
			batch = ", mode: batch, batch: {events: 50, wait: 50ms}"
		}
		fmt.Fprintf(&c, "  %s: {webhook: {url: \"%s/%s/%[1]s\", timeout: 5s%[4]s}}\n", output, w.server.URL, process, batch)
	}
	if broken {
		fmt.Fprintln(&c, "listeners: {}")
	}
	path := w.path(process, "c.yaml")
	if err := os.WriteFile(path+".new", []byte(c.String()), 0o600); err != nil {
		w.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		w.Fatal(err)
	}
}

func (w *together) path(names ...string) string {
	return filepath.Join(append([]string{w.dir}, names...)...)
}

// start starts a process.
func (w *together) start(name string, arguments ...string) {
	w.starts++
	p, err := startIn(w.dir, fmt.Sprint(name, ".", w.starts), []string{"KUBECONFIG=" + w.cluster.kubeconfig()},
		append([]string{"run", w.path(name, "c.yaml")}, arguments...)...)
	if err != nil {
		w.Fatal(err)
	}
	w.processes[name] = p
}

// end ends a process, and waits for that.
func (w *together) end(name string, how syscall.Signal) {
	p := w.processes[name]
	if p.hasEnded() {
		return
	}
	w.stopped[name] = true
	_ = p.cmd.Process.Signal(how)
	w.await(name)
	if how == syscall.SIGTERM && !p.cmd.ProcessState.Success() {
		w.errorf("%s ended with %v\n%s", name, p.cmd.ProcessState, tailOf(p))
	}
}

// await waits until a process has ended.
func (w *together) await(name string) {
	select {
	case <-w.processes[name].done:
	case <-time.After(patience):
		w.Fatalf("%s has not ended\n%s", name, tailOf(w.processes[name]))
	}
}

func tailOf(p *process) string {
	text, _ := p.err.lines()
	return text[max(0, len(text)-3000):]
}

// settle starts what has ended, and waits until what is changed now is delivered by one alone and one of
// the pair. forgot reports whether the one that is alone had to begin without its checkpoint.
func (w *together) settle(what string) (forgot bool) {
	begun := time.Now()
	for deadline := begun.Add(2 * patience); ; <-time.After(100 * time.Millisecond) {
		for name, p := range w.processes {
			if !p.hasEnded() {
				continue
			}
			log := tailOf(p)
			if !w.stopped[name] {
				w.Logf("%s: %s has ended by itself, before it settles after %s: %v, %s", time.Now().Format("04:05.000"), name, what,
					p.cmd.ProcessState, log[max(0, len(log)-300):])
			}
			w.stopped[name] = false
			if name == "alone" && strings.Contains(log, "run --forget") && w.damaged {
				forgot = true
				w.start(name, "--forget")
			} else {
				w.start(name)
			}
			begun = time.Now()
		}
		w.mu.Lock()
		alone, pair := w.last["alone"], w.last["a"]
		if w.last["b"].After(pair) {
			pair = w.last["b"]
		}
		w.mu.Unlock()
		if alone.After(begun.Add(500*time.Millisecond)) && pair.After(begun.Add(500*time.Millisecond)) {
			return forgot
		}
		if time.Now().After(deadline) {
			for name, p := range w.processes {
				_ = p.cmd.Process.Signal(syscall.SIGQUIT) // which writes what it does
				w.await(name)
				text, _ := p.err.lines()
				w.Logf("%s:\n%s", name, text)
			}
			r, _ := w.cluster.resource("lease.coordination.k8s.io", "default")
			lease, err := r.Get(w.Context(), "together", metav1.GetOptions{})
			w.Log(lease, err)
			w.Fatalf("nothing is delivered %v after: %s (alone %v, pair %v)", time.Since(begun), what, alone, pair)
		}
	}
}

// leader returns who of the pair has delivered last.
func (w *together) leader() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last["b"].After(w.last["a"]) {
		return "b"
	}
	return "a"
}

// change changes one object, as nobody else does at the time.
func (w *together) change(random *rand.Rand, number int) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name := fmt.Sprintf("map-%03d", number)
	w.mu.Lock()
	var was fact
	if all := w.facts[name]; len(all) > 0 {
		was = all[len(all)-1]
	}
	w.mu.Unlock()
	is := fact{asked: time.Now(), n: fmt.Sprint(w.changes.Add(1)), bad: random.IntN(3) == 0,
		late: random.IntN(2) == 0, odd: random.IntN(2) == 0}
	yes := map[bool]string{true: "yes", false: "no"}
	data := map[string]any{"n": is.n, "bad": yes[is.bad], "late": yes[is.late], "odd": yes[is.odd]}
	annotations := map[string]any{}
	if number < 2 { // and these are as large as a ConfigMap may be
		if was.version > 0 && random.IntN(20) > 0 {
			return
		}
		data["large"] = strings.Repeat(is.n+" ", (1<<20-1000)/(len(is.n)+1))
		annotations["large"] = strings.Repeat("x", 200_000)
	}
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": data,
		"metadata": map[string]any{"name": name, "annotations": annotations,
			"labels": map[string]any{"shard": fmt.Sprint(number % togetherShards)}}}}
	var err error
	var made *unstructured.Unstructured
	switch {
	case was.version == 0:
		made, err = w.maps.Create(ctx, o, metav1.CreateOptions{})
	case random.IntN(10) == 0:
		err = w.maps.Delete(ctx, name, metav1.DeleteOptions{})
		is = fact{asked: is.asked, uid: was.uid}
	default:
		made, err = w.maps.Update(ctx, o, metav1.UpdateOptions{})
	}
	if apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) {
		return
	}
	if err != nil {
		w.errorf("a change has failed: %v", err)
		return
	}
	if is.answered = time.Now(); made != nil {
		is.uid = string(made.GetUID())
		is.version, _ = strconv.ParseUint(made.GetResourceVersion(), 10, 64)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.facts[name] = append(w.facts[name], is)
}

// write changes objects until ctx is done.
func (w *together) write(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	const writers = 4
	for i := range writers {
		random := rand.New(rand.NewPCG(w.seed, uint64(i)))
		all.Go(func() {
			tick := time.NewTicker(time.Second * writers / togetherRate)
			defer tick.Stop()
			for ctx.Err() == nil {
				w.change(random, i+writers*random.IntN(togetherObjects/writers))
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			}
		})
	}
}

// TestTogether does everything at once, for as long as TOGETHER says, and compares all that was
// received with all that was written. TOGETHER_SEED=N repeats the choices.
func TestTogether(t *testing.T) {
	duration, err := time.ParseDuration(os.Getenv("TOGETHER"))
	if err != nil {
		t.Skip("make fault sets TOGETHER to a duration; it needs two processors for its own")
	}
	needs(t)
	w := &together{T: t, variants: map[string]int{}, cluster: newCluster(t), processes: map[string]*process{}, stopped: map[string]bool{},
		modes: map[string]string{}, ledgers: map[string]map[string]*ledger{}, attacks: map[string][]attack{},
		away: map[string][][2]time.Time{}, facts: map[string][]fact{}, last: map[string]time.Time{}}
	if w.seed, err = strconv.ParseUint(os.Getenv("TOGETHER_SEED"), 10, 64); err != nil {
		w.seed = rand.Uint64()
	}
	t.Logf("TOGETHER_SEED=%d", w.seed)
	w.random = rand.New(rand.NewPCG(w.seed, 100))
	if w.maps, err = w.cluster.resource("configmap", "default"); err != nil {
		t.Fatal(err)
	}
	if w.dir, err = os.MkdirTemp("", "TestTogether"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !t.Failed() { // what the processes have said is needed then
			_ = os.RemoveAll(w.dir)
		}
	})
	w.server = httptest.NewServer(w)
	t.Cleanup(w.server.Close)
	for _, name := range []string{"alone", "a", "b"} {
		if err := os.MkdirAll(w.path(name, "state"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.mount()
	for _, name := range []string{"alone", "a", "b"} {
		w.configure(name, false)
		w.start(name)
		t.Cleanup(func() { w.processes[name].kill() })
	}
	ctx, cancel := context.WithCancel(context.Background())
	var writing sync.WaitGroup
	writing.Go(func() { w.write(ctx) })
	defer writing.Wait()
	defer cancel()
	w.settle("the start")
	counts := map[string]int{}
	names := slices.Sorted(maps.Keys(attacks))
	for end := time.Now().Add(duration); time.Now().Before(end) && !t.Failed(); {
		var doing sync.WaitGroup
		if w.random.IntN(2) == 0 { // while a receiver is away
			key := []string{"alone/", "pair/"}[w.random.IntN(2)] + togetherOutputs[w.random.IntN(len(togetherOutputs))]
			mode := []string{"refuse", "hang", "lose"}[w.random.IntN(3)]
			lasts := time.Duration(1+w.random.IntN(8)) * time.Second
			counts["receiver: "+mode]++
			doing.Go(func() { w.receiverAway(key, mode, lasts) })
		}
		name := names[w.random.IntN(len(names))]
		counts[name]++
		w.attack(name)
		doing.Wait()
	}
	cancel()
	writing.Wait()
	w.judge(counts)
}

// receiverAway has one that does not take what one sends to an output for a time.
func (w *together) receiverAway(key, mode string, lasts time.Duration) {
	begun := time.Now()
	w.mu.Lock()
	w.modes[key] = mode
	w.mu.Unlock()
	<-time.After(lasts) // that is what is tested
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.modes, key)
	// An output that is paused comes back after as long as it was away, and what hangs after its time limit.
	w.away[key] = append(w.away[key], [2]time.Time{begun, time.Now().Add(lasts + 5*time.Second)})
}

// judge waits until the receivers have what they are to have, and says what is wrong.
func (w *together) judge(counts map[string]int) {
	var wrong []string
	deadline := time.Now().Add(patience)
	for {
		wrong = w.found()
		if len(wrong) == 0 || time.Now().After(deadline) {
			break
		}
		<-time.After(time.Second)
	}
	messages := 0
	for _, all := range w.ledgers {
		for _, l := range all {
			messages += len(l.heard)
		}
	}
	w.Logf("%d changes, %d messages, %v", w.changes.Load(), messages, counts)
	if len(wrong) == 0 {
		return
	}
	for who, all := range w.attacks {
		for _, a := range all {
			w.Logf("%s: %s to %s: %s", who, a.at.Format("04:05.000"), a.until.Format("04:05.000"), a.how)
		}
	}
	for _, what := range wrong[min(len(wrong), 20):] {
		w.Log(what[:strings.IndexByte(what+"\n", '\n')])
	}
	w.Errorf("%d are wrong, in %s:\n%s", len(wrong), w.dir, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
	for name, p := range w.processes {
		w.Logf("%s:\n%s", name, tailOf(p))
	}
}

// found returns what is wrong so far.
func (w *together) found() (wrong []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wrong = slices.Clone(w.wrong)
	for _, who := range []string{"alone", "pair"} {
		for _, output := range togetherOutputs {
			key := who + "/" + output
			for name, facts := range w.facts {
				l := &ledger{output: output, facts: facts, away: w.away[key]}
				if got := w.ledgers[key][name]; got != nil {
					l.heard = slices.Clone(got.heard)
				}
				for _, a := range w.attacks[who] {
					if !a.reload || output == "selected" {
						l.attacks = append(l.attacks, a)
					}
				}
				for _, what := range l.judge(selects[w.variants[who]].wants) {
					wrong = append(wrong, fmt.Sprintf("%s %s: %s", key, name, what))
				}
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// patch changes a part of an object that informerd has written.
func (w *together) patch(kind, name, patch string) {
	r, err := w.cluster.resource(kind, "default")
	if err == nil {
		if patch == "" {
			err = r.Delete(w.Context(), name, metav1.DeleteOptions{})
		} else {
			_, err = r.Patch(w.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
		}
	}
	if err != nil && !apierrors.IsNotFound(err) {
		w.errorf("patch of %s: %v", name, err)
	}
}
