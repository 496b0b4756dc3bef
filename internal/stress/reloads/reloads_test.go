package reloads

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const rate = 1000 // events a second

// run is one run of the test.
type run struct {
	size
	subject
	server    *server
	receivers *receivers
	truth     truth
	followers *followers
	rand      *rand.Rand
	v         int // the last version that was made
	modules   int // so many modules were made
	refused   int
	swapped   int
}

func TestReloads(t *testing.T) {
	s, err := sizeFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	if testing.Short() {
		s.reloads = 10
	}
	t.Logf("STRESS_SEED=%d: %d reloads", s.seed, s.reloads)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	r := &run{size: s, server: newServer(t), receivers: newReceivers(t),
		followers: newFollowers(),
		rand:      rand.New(rand.NewPCG(s.seed, 1))}
	if r.folder, err = os.MkdirTemp("", "reloads"); err != nil { // a socket's path is short
		t.Fatal(err)
	}
	r.state = filepath.Join(r.folder, "state")
	t.Cleanup(func() { _ = os.RemoveAll(r.folder) })
	files := open(t)
	r.begin(t)
	stop := r.write(t) // some things begin with the first events, or the first reload
	r.apply(t, r.initial())
	time.Sleep(time.Second)
	stop()
	before := r.settled(t, "at the beginning")

	r.followers.latest.Store(int64(r.server.last()))
	stop = r.write(t)
	begun, first := time.Now(), r.server.last()
	for n := range r.reloads {
		what := r.reload(t)
		t.Logf("reload %d at %d: %s", n+1, r.server.last(), what)
		r.follow(t, fmt.Sprintf("after reload %d of %d, %s", n+1, r.reloads, what))
		if n%20 == 19 {
			r.remember()
			if wrong := r.truth.always(r.ledgers(t)); len(wrong) > 0 {
				t.Errorf("by reload %d: %s", n+1, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
			}
		}
		if t.Failed() {
			break
		}
	}
	stop()
	seconds := time.Since(begun).Seconds()
	t.Logf("%d reloads, %d refused, %d with another module; %.0f events/s", r.reloads, r.refused,
		r.swapped, float64(r.server.last()-first)/seconds)
	r.finally(t)

	// What it had in the beginning it has in the end.
	r.apply(t, r.initial())
	r.forget()
	after := r.settled(t, "at the end")
	t.Logf("before %+v, after %+v", before, after)
	before.compare(t, after)
	r.cancel()
	if err := <-r.done; err != nil {
		t.Error(err)
	}
	r.ends(t, files)
	if left, _ := filepath.Glob(filepath.Join(temporary, "*")); !slices.Equal(left,
		[]string{r.folder}) {
		t.Errorf("temporary files: %v", left)
	}
}

// forget drops the ledgers and the histories, whose memory is not the daemon's.
func (r *run) forget() {
	r.receivers.mu.Lock()
	r.receivers.got = nil
	r.receivers.mu.Unlock()
	r.server.mu.Lock()
	r.server.history = nil
	r.server.mu.Unlock()
	r.truth = truth{last: r.truth.last}
	r.subject.mu.Lock()
	r.ended = map[string]error{}
	r.subject.mu.Unlock()
}

// initial is the configuration of the beginning.
func (r *run) initial() *version {
	r.v++
	w := first().clone(r.v)
	w.module, w.path = r.modules, "m-a.wasm"
	return w
}

// begin starts the daemon and waits until everybody has all objects.
func (r *run) begin(t *testing.T) {
	for i := range r.objects {
		r.server.put(r.draw("p-", i))
		if i < quiet {
			r.server.put(r.draw("q-", i))
		}
	}
	r.modules = 1
	r.subject.write(t, "m-a.wasm", module(1))
	r.subject.write(t, "bad.wasm", []byte("no module"))
	w := r.initial()
	r.truth = truth{begin: r.server.last(), versions: map[int]*version{r.v: w}, last: w}
	r.mount(t, w.text(r.receivers.url, r.state))
	r.start(t, r.server.url)
	t.Cleanup(r.cancel)
	r.agree(t, "the start")
}

// quiet is how many objects there are that never change: of those, only a reload can have news.
const quiet = 40

// draw makes an object.
func (r *run) draw(prefix string, i int) pod {
	return pod{namespace: one(r.rand, []string{"ns-a", "ns-b", "ns-c"}),
		name: fmt.Sprint(prefix, i),
		team: one(r.rand, []string{"a", "b", "c"}), node: one(r.rand, []string{"n1", "n2"}),
		n: r.rand.IntN(100)}
}

// ahead is how many changes may be on their way to listeners that get all of them, and to those
// that compare what comes. Where there is no time to spare there are fewer changes in a second, and
// not ever more that waits.
const ahead = 3000

// write changes objects until stop is called.
func (r *run) write(t *testing.T) (stop func()) {
	random := rand.New(rand.NewPCG(r.seed, 2))
	ctx, cancel := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	writing.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		last := time.Now()
		for ctx.Err() == nil {
			<-tick.C
			if r.server.last()-min(r.receivers.newest("filtered"), r.followers.newest()) > ahead {
				last = time.Now()
				continue
			}
			n := min(int(time.Since(last).Seconds()*rate), 50)
			last = last.Add(time.Duration(n) * time.Second / rate)
			for made := 0; made < n; {
				if r.server.step(random, r.objects) {
					made++
				}
			}
		}
	})
	return func() { cancel(); writing.Wait() }
}

// step may change one object somehow, and reports whether it has.
func (s *server) step(r *rand.Rand, objects int) bool {
	name := fmt.Sprint("p-", r.IntN(objects))
	namespace := one(r, []string{"ns-a", "ns-b", "ns-c"})
	s.mu.Lock()
	before := s.pods[namespace+"/"+name]
	s.mu.Unlock()
	switch {
	case before == nil:
		if r.IntN(3) > 0 {
			return false
		}
		s.put(pod{namespace: namespace, name: name, team: one(r, []string{"a", "b", "c"}),
			node: one(r, []string{"n1", "n2"}), n: r.IntN(100)})
	case r.IntN(8) == 0:
		s.remove(before.key())
	default:
		p := *before
		p.n = r.IntN(100)
		if r.IntN(4) == 0 {
			p.team = one(r, []string{"a", "b", "c"})
		}
		if r.IntN(10) == 0 {
			p.node = one(r, []string{"n1", "n2"})
		}
		s.put(p)
	}
	return true
}

// last returns the server's version.
func (s *server) last() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// reload changes the configuration somehow, to a valid or an invalid one. It returns what it was.
func (r *run) reload(t *testing.T) string {
	t.Helper()
	time.Sleep(time.Duration(r.rand.IntN(100)) * time.Millisecond)
	if r.rand.IntN(2) == 0 {
		r.receivers.hold.Lock() // so that something waits
		time.Sleep(time.Duration(r.rand.IntN(100)) * time.Millisecond)
		release := sync.OnceFunc(r.receivers.hold.Unlock)
		defer release()
		time.AfterFunc(time.Duration(r.rand.IntN(400))*time.Millisecond, release)
	}
	r.v++
	w := r.truth.last.clone(r.v)
	what := w.change(r.rand)
	if r.rand.IntN(2) == 0 {
		text, why := spoil(r.rand, w.text(r.receivers.url, r.state))
		r.refused++
		r.refuse(t, text, why)
		return fmt.Sprintf("to the refused version %d with %s", w.v, why)
	}
	if r.rand.IntN(5) == 0 {
		what += ", module"
		r.swapped++
		r.modules++
		w.module = r.modules
		if r.rand.IntN(2) == 0 {
			w.path = map[string]string{"m-a.wasm": "m-b.wasm", "m-b.wasm": "m-a.wasm"}[w.path]
		}
		r.truth.module(w.module, w)
		r.subject.write(t, w.path, module(w.module))
	}
	r.apply(t, w)
	return fmt.Sprintf("to version %d, which changed %s", w.v, what)
}

// module notes that a module may come before the version that brings it: its file has changed.
func (w *truth) module(n int, with *version) {
	if w.last.path == with.path {
		w.last.module = n
	}
}

// apply makes a version the one that runs.
func (r *run) apply(t *testing.T, w *version) {
	t.Helper()
	if w.path == r.truth.last.path && w.module != r.truth.last.module {
		r.truth.module(w.module, w)
	}
	r.truth.versions[w.v] = w // before its first message comes
	if err := r.try(t, w.text(r.receivers.url, r.state)); err != nil {
		t.Errorf("version %d is not applied: %v\n%s", w.v, err,
			w.text(r.receivers.url, r.state))
	}
	r.truth.last = w
}

// refuse has an invalid configuration refused.
func (r *run) refuse(t *testing.T, text, why string) {
	t.Helper()
	err := r.try(t, text)
	if err == nil {
		t.Errorf("a configuration with %s was not refused:\n%s", why, text)
		return
	}
	warnings, want := validated(t.Context(), r.path())
	if want == nil && (strings.Contains(why, "the state") || strings.Contains(why, "a secret") &&
		strings.Contains(warnings, "NOT_SET_HERE")) {
		return // that is wrong where the daemon runs only
	}
	missing := want == nil
	if want != nil {
		for line := range strings.Lines(want.Error()) {
			missing = missing || !strings.Contains(err.Error(), strings.TrimSpace(line))
		}
	}
	if missing {
		t.Errorf("a configuration with %s was refused with\n%v\nand validate says\n%v", why, err,
			want)
	}
}

// try writes a configuration and has it read, in one of several ways.
func (r *run) try(t *testing.T, text string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if r.rand.IntN(2) == 0 {
		r.mount(t, text)
	} else {
		r.subject.write(t, "c.yaml", []byte(text))
	}
	switch r.rand.IntN(3) {
	case 0:
		return r.command(ctx)
	case 1:
		r.hangup <- struct{}{}
	}
	return r.outcome(ctx, text)
}

// ledgers returns everything that was received.
func (r *run) ledgers(t *testing.T) []message {
	text, err := os.ReadFile(filepath.Join(r.folder, "still-file.jsonl"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	text = text[:strings.LastIndexByte(string(text), '\n')+1]
	all, err := parse(text, "still-file")
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(all, r.receivers.all())
}

// remember has the truth know what has happened so far.
func (r *run) remember() {
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	r.truth.history = r.server.history
}

// agree waits until the ledgers agree with the truth.
func (r *run) agree(t *testing.T, when string) {
	t.Helper()
	r.remember()
	r.truth.now = r.server.now()
	var wrong problems
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		all := r.ledgers(t)
		if wrong = r.truth.always(all); len(wrong) > 0 {
			break // waiting does not help
		}
		if wrong = r.truth.atLast(all); len(wrong) == 0 {
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Errorf("%s: the ledgers disagree:\n%s", when, strings.Join(wrong[:min(len(wrong), 20)], "\n"))
}

// finally compares the ledgers once nobody writes.
func (r *run) finally(t *testing.T) {
	t.Helper()
	r.agree(t, "at the end")
	time.Sleep(300 * time.Millisecond) // for what must not come
	if wrong := slices.Concat(r.truth.always(r.ledgers(t)), r.truth.atLast(r.ledgers(t))); len(
		wrong) > 0 && !t.Failed() {
		t.Errorf("after the end:\n%s", strings.Join(wrong, "\n"))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, words := range r.mishaps[:min(len(r.mishaps), 10)] {
		t.Errorf("the daemon logged: %s", words)
	}
}

// resources is what the process has.
type resources struct {
	goroutines, files, sockets, watches int
	instances                           string // of handlers, by listener
	heap                                uint64
}

// goroutines returns how many there are that do not serve a connection of HTTP.
func goroutines() (n int) {
	stacks := make([]byte, 4<<20)
	for g := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if !strings.Contains(g, "created by net/http.") {
			n++
		}
	}
	return n
}

// idle is how many more connections, which are kept for a while, may be open.
const idle = 40

// settled returns the resources once they do not change any more.
func (r *run) settled(t *testing.T, when string) (now resources) {
	t.Helper()
	for same, last := 0, (resources{}); same < 5; {
		time.Sleep(100 * time.Millisecond)
		now = resources{goroutines: goroutines(), watches: r.server.watched(),
			instances: r.metric(t, "informerd_handler_instances")}
		for _, file := range open(t) {
			if strings.HasPrefix(file, "socket:") {
				now.sockets++
			} else {
				now.files++
			}
		}
		if now == last {
			same++
		} else {
			same, last = 0, now
		}
		if t.Context().Err() != nil {
			t.Fatalf("%s: nothing settles: %+v", when, now)
		}
	}
	runtime.GC()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	now.heap = memory.HeapAlloc
	return now
}

// grown is how much memory may grow: pools, and what was compiled, are kept for a while.
const grown = 24 << 20

// compare fails if something is left over.
func (b resources) compare(t *testing.T, after resources) {
	t.Helper()
	if after.heap > b.heap+grown {
		t.Errorf("memory has grown from %d to %d bytes", b.heap, after.heap)
	}
	if after.goroutines > b.goroutines+5 || after.files > b.files ||
		after.sockets > b.sockets+idle || after.watches != b.watches ||
		after.instances != b.instances {
		stacks := make([]byte, 1<<20)
		t.Errorf("something is left over: before %+v, after %+v; open are %v\n%s", b, after,
			open(t),
			stacks[:runtime.Stack(stacks, true)])
	}
}

// ends checks that nothing remains when the daemon has ended.
func (r *run) ends(t *testing.T, files []string) {
	t.Helper()
	err := errors.New("not asked")
	for deadline := time.Now().Add(5 * time.Second); err != nil && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
		err = nil
		if n := r.server.watched(); n > 0 {
			err = fmt.Errorf("%d watches", n)
		}
	}
	if err != nil {
		t.Errorf("left over: %v", err)
	}
	for _, file := range open(t) {
		if strings.HasPrefix(file, "/") && !slices.Contains(files, file) &&
			strings.HasPrefix(file, r.folder) {
			t.Errorf("%s is open", file)
		}
	}
}

// open lists the files and sockets that are open.
func open(t *testing.T) (all []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil {
			all = append(all, to)
		}
	}
	return all
}
