package keeper

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/record"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/object"
)

// filled returns a world with an informer of some pods, and a listener that has one of them unsent.
func filled(t testing.TB, pods int) *world {
	w := newWorld(t)
	in := w.informer("pods")
	in.join("a")
	for i := range pods {
		in.put(newObject(t, fmt.Sprint("p", i), i+1, 200))
	}
	in.complete(pods)
	in.tell("a", key("p0"), nil, false)
	w.listener("a").offer(newObject(t, "p0", 1, 200))
	w.listeners["a"].violate(2)
	return w
}

// "A cut has what has changed since the one before."
func TestACutHasWhatHasChanged(t *testing.T) {
	k, w := open(t, t.TempDir()), filled(t, 100)
	var written []byte
	out := k.out.(*writer)
	commit := out.write
	out.write = func(block []byte) error {
		written = slices.Clone(block)
		return commit(block)
	}
	mustTurn(t, k, w)
	if n := strings.Count(string(written), `"uid":"u"`); n != 101 {
		t.Errorf("the first cut has %d objects", n)
	}
	written = nil
	if mustTurn(t, k, w); written != nil {
		t.Errorf("nothing has changed, and the cut has %q", written)
	}
	w.informers["pods"].put(newObject(t, "p7", 200, 200))
	mustTurn(t, k, w)
	if n := strings.Count(string(written), `"uid":"u"`); n != 1 ||
		!strings.Contains(string(written), `"p7"`) {
		t.Errorf("the third cut has %d objects: %q", n, written)
	}
}

// ordered notes what is asked of it.
type ordered struct {
	*world
	fakeListener
	order []string
}

func (o *ordered) Cut() []informer.InformerCut {
	o.order = append(o.order, "informers")
	return o.world.Cut()
}

// orderedCutter is the listener of ordered.
type orderedCutter struct{ *ordered }

func (o orderedCutter) Name() string           { return "a" }
func (o orderedCutter) Select() string         { return "" }
func (o orderedCutter) Whole(to record.Writer) { o.fakeListener.Whole(to) }

func (o orderedCutter) Cut(to record.Writer) {
	o.order = append(o.order, "routes")
	o.fakeListener.Cut(to)
}

// "What listeners have finished is taken first, then what their routes have not sent, and handlers'
// values are written last", before the cut counts.
func TestTheOrderOfACut(t *testing.T) {
	k, o := open(t, t.TempDir()), &ordered{world: filled(t, 1)}
	out := k.out.(*writer)
	commit := out.write
	out.write = func(block []byte) error {
		o.order = append(o.order, "commit")
		return commit(block)
	}
	err := k.turn(Source{Informers: o,
		Listeners: func() []Cutter { return []Cutter{orderedCutter{o}} },
		Flush:     func() error { o.order = append(o.order, "values"); return nil }}, false)
	if want := []string{"informers", "routes", "values", "commit"}; err != nil ||
		!slices.Equal(o.order, want) {
		t.Errorf("%v, %q, want %q", err, o.order, want)
	}
}

// If the values of handlers cannot be written, the cut is not made.
func TestValuesThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 1)
	w.flush = func() error { return syscall.EIO }
	if err := k.turn(w.source(), false); !errors.Is(err, syscall.EIO) {
		t.Error(err)
	}
	if text := reopen(t, dir, k).text(); text != "" {
		t.Errorf("there is\n%s", text)
	}
}

// "A cut counts as a whole, or not at all if a crash has cut it off", wherever that is.
func TestACutCountsAsAWhole(t *testing.T) {
	defer func(size int) { blockSize = size }(blockSize)
	blockSize = 200
	dir := t.TempDir()
	k, w := open(t, dir), filled(t, 3)
	mustTurn(t, k, w)
	first := w.text()
	path := glob(t, dir, "log-*")[0]
	size := fileSize(t, path)
	for i := range 3 {
		w.informers["pods"].put(newObject(t, fmt.Sprint("p", i), 10+i, 5))
	}
	w.listeners["a"].offer(newObject(t, "p1", 11, 50))
	mustTurn(t, k, w)
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := size; n <= int64(len(content)); n++ {
		again := t.TempDir()
		if err := os.WriteFile(filepath.Join(again, filepath.Base(path)), content[:n],
			0o600); err != nil {
			t.Fatal(err)
		}
		k := open(t, again)
		want := first
		if n == int64(len(content)) {
			want = w.text()
		}
		if got := k.text(); got != want {
			t.Fatalf("with %d bytes of %d there is\n%s", n, len(content), got)
		}
		if err := k.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func fileSize(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// shared is a world that changes while a keeper runs.
type shared struct {
	*world
	mu sync.Mutex
}

func (s *shared) do(how func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	how()
}

func (s *shared) Cut() []informer.InformerCut {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.world.Cut()
}

func (s *shared) CutAndWhole() (last, all []informer.InformerCut) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.world.CutAndWhole()
}

// put changes a pod of the informer.
func (s *shared) put(o *object.Object) { s.do(func() { s.informers["pods"].put(o) }) }

// running is a keeper that runs in a bubble, and when it has committed.
type running struct {
	*shared
	commits []time.Duration
	delay   time.Duration // of a commit
	stop    context.CancelFunc
	ended   chan error
}

// run runs a keeper. Call it in a bubble.
func run(t *testing.T, k *Keeper, w *world) *running {
	r := &running{shared: &shared{world: w}, ended: make(chan error, 1)}
	begun, commit := time.Now(), k.out.(*writer).write
	k.out.(*writer).write = func(block []byte) error {
		var delay time.Duration
		r.do(func() { delay = r.delay })
		time.Sleep(delay)
		r.do(func() { r.commits = append(r.commits, time.Since(begun)) })
		return commit(block)
	}
	ctx, stop := context.WithCancel(t.Context())
	r.stop = stop
	from := w.source()
	from.Informers = r.shared
	go func() { r.ended <- k.Run(ctx, from) }()
	return r
}

// times returns when there were commits.
func (r *running) times() (commits []time.Duration) {
	r.do(func() { commits = slices.Clone(r.commits) })
	return commits
}

// end ends the keeper.
func (r *running) end(t *testing.T) {
	t.Helper()
	r.stop()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
}

// "There is a cut after each Interval in which something has changed", none if nothing has, and a
// last one at the end.
func TestCutsAreMadeEachInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		k, w := open(t, dir), filled(t, 3)
		r := run(t, k, w)
		for i := range 20 { // 2 changes in each interval
			time.Sleep(Interval / 2)
			r.put(newObject(t, "p1", 100+i, 10))
		}
		time.Sleep(time.Minute)
		n := len(r.times())
		if first := r.times()[0]; n < 10 || n > 11 || first != Interval {
			t.Errorf("cuts at %v", r.times())
		}
		r.put(newObject(t, "p1", 200, 10))
		r.end(t)
		if len(r.times()) != n+4 { // one says that nothing follows, two have nothing
			t.Error("there is no last cut")
		}
		if got := reopen(t, dir, k).text(); got != w.text() {
			t.Errorf("there is\n%s", got)
		}
	})
}

// "If only the versions of informers have, there is one in VersionInterval."
func TestCutsOfVersions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, w := open(t, t.TempDir()), filled(t, 3)
		r := run(t, k, w)
		time.Sleep(Interval)
		for i := range 600 { // a minute
			time.Sleep(Interval / 2)
			r.do(func() { w.informers["pods"].complete(100 + i) })
		}
		if n := len(r.times()); n < 6 || n > 8 {
			t.Errorf("cuts at %v", r.times())
		}
		r.end(t)
	})
}

// "There is a cut when somebody waits for one", at once, even if nothing has changed.
func TestAwaitDoesNotWaitForTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k, w := open(t, t.TempDir()), filled(t, 3)
		r := run(t, k, w)
		for i := range 3 {
			begun := time.Now()
			r.put(newObject(t, "p1", 100+i, 10))
			if err := k.Await(t.Context()); err != nil || time.Since(begun) > 0 {
				t.Errorf("%v, after %v", err, time.Since(begun))
			}
			if err := k.Await(t.Context()); err != nil { // nothing has changed
				t.Error(err)
			}
		}
		if n := len(r.times()); n != 3 {
			t.Errorf("%d cuts", n)
		}
		r.end(t)
		if err := k.Await(t.Context()); err == nil {
			t.Error("there are no more cuts, and Await has no error")
		}
	})
}

// "Cuts are made and written by a goroutine of their own": a disk that needs five seconds holds up
// nobody but those that wait for it, until what they have changed is on disk.
func TestASlowDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const slow = 5 * time.Second
		dir := t.TempDir()
		k, w := open(t, dir), filled(t, 3)
		r := run(t, k, w)
		r.do(func() { r.delay = slow })
		time.Sleep(Interval + time.Second) // the first commit has begun
		for i := range 30 {
			begun := time.Now()
			r.put(newObject(t, "p2", 100+i, 10))
			if waited := time.Since(begun); waited > 0 {
				t.Fatalf("a change has waited %v", waited)
			}
		}
		want, begun := w.text(), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := k.Await(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after a second: %v", err)
		}
		if err := k.Await(t.Context()); err != nil || time.Since(begun) != slow-time.Second+slow {
			t.Errorf("%v, after %v", err, time.Since(begun))
		}
		r.end(t)
		if got := reopen(t, dir, k).text(); got != want {
			t.Errorf("there is\n%s", got)
		}
	})
}
