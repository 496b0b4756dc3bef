package hostile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/internal/hostile"
)

// searched are the limits of modules that a search makes. HOSTILE_SEARCH says how long it goes on,
// as in 30m.
const (
	searchedSize   = 32 << 20
	searchedTime   = 10 * time.Second
	searchedMemory = 512 << 20
	searchedSlack  = 64 << 20        // of memory, beyond the limits
	stopped        = 2 * time.Second // that a stop takes at most
	start          = 64 << 10        // bytes of a module that cost no more than starting a process
)

// loaded is what it took to load a module.
type loaded struct {
	recipe hostile.Recipe
	size   int
	took   time.Duration
	cpu    time.Duration // of the process that compiled it
	child  int64         // bytes of memory that it had
	during int64         // bytes by which this process grew while it was there
	parent int64         // bytes by which this process grew until the end
	delay  time.Duration
	held   time.Duration // that the garbage collector waited for all goroutines to stop
	gc     time.Duration // that a collection took, its work included
	end    string
	stop   time.Duration // from the end of the context to that of Load; 0: it was not ended
}

func (l loaded) String() string {
	return fmt.Sprintf("%-24s %9d bytes: %v, of which %v in the child with %d MiB, %d MiB here and %d MiB afterwards; another's event %v late, GC waited %v and took %v, stopped in %v: %.90s",
		l.recipe, l.size, l.took.Round(time.Millisecond), l.cpu.Round(time.Millisecond),
		l.child>>20, l.during>>20, l.parent>>20,
		l.delay.Round(time.Millisecond), l.held.Round(time.Millisecond),
		l.gc.Round(time.Millisecond), l.stop.Round(time.Millisecond), l.end)
}

// memory is the most that both processes had at once.
func (l loaded) memory() int64 { return max(l.child+l.during, l.parent) }

// The aims of a search, each of which it makes as large as it can.
var aims = map[string]func(loaded) float64{
	"time":            func(l loaded) float64 { return l.took.Seconds() },
	"time a byte":     func(l loaded) float64 { return l.took.Seconds() / float64(l.size+start) },
	"memory of both":  func(l loaded) float64 { return float64(l.memory()) },
	"memory a byte":   func(l loaded) float64 { return float64(l.child) / float64(l.size+start) },
	"memory here":     func(l loaded) float64 { return float64(l.parent) },
	"another's event": func(l loaded) float64 { return l.delay.Seconds() },
	"collector":       func(l loaded) float64 { return l.held.Seconds() },
	"stop":            func(l loaded) float64 { return l.stop.Seconds() },
}

// TestSearchForCostlyModules looks for modules that cost most to load. Its short form shows that it
// works. With HOSTILE=full, what it finds is compared with the absolute bounds.
func TestSearchForCostlyModules(t *testing.T) {
	duration, _ := time.ParseDuration(os.Getenv("HOSTILE_SEARCH"))
	most, steps := searchedSize, 1<<30
	if duration == 0 {
		duration, most, steps = time.Hour, 64<<10, 3
	}
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("HOSTILE_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("HOSTILE_SEED=%d", seed)
	random, s := rand.New(rand.NewPCG(seed, 1)), newSearch(t)
	best := map[string]loaded{}
	var names []string
	for name := range aims {
		names = append(names, name)
	}
	n := 0
	for begun := time.Now(); time.Since(begun) < duration && n < steps; n++ {
		r := hostile.Random(random, most)
		if from, ok := best[names[random.IntN(len(names))]]; ok && random.IntN(3) > 0 {
			r = from.recipe.Near(random, most)
		}
		l := s.load(t, r, random.IntN(4) == 0)
		for name, aim := range aims {
			if was, ok := best[name]; !ok || aim(l) > aim(was) {
				best[name] = l
				t.Logf("%6d %-16s %v", n, name, l)
			}
		}
	}
	var worst strings.Builder
	fmt.Fprintf(&worst, "# The worst of %d modules, from seed %d, in %v, for what was searched. The bounds: another's event %v late, the collector\n"+
		"# waits %v, stopped in %v, %d MiB.\n", n, seed, duration, delay, held, stopped,
		(searchedMemory+searchedSlack)>>20)
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&worst, "%-16s %v\n", name, best[name])
	}
	t.Log(worst.String())
	if *write {
		if err := os.WriteFile("testdata/worst_loading.txt", []byte(worst.String()),
			0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKnownCostlyModules loads the worst that was found.
func TestKnownCostlyModules(t *testing.T) {
	if os.Getenv("HOSTILE") != "full" {
		t.Skip("they take two minutes, in make hostile")
	}
	s := newSearch(t)
	for _, r := range hostile.Costly {
		l := s.load(t, r, false)
		t.Log(l)
		if l.end != "loaded" && !strings.Contains(l.end, "limits.load") &&
			!strings.Contains(l.end, "allowed") && !strings.Contains(l.end, "split large") {
			t.Errorf("%v ended with %s", r, l.end)
		}
	}
}

// search loads modules next to a listener that does no harm.
type search struct {
	host   *plugins.Host
	beside *neighbour
	log    *logText
}

func newSearch(t *testing.T) *search {
	t.Helper()
	log := &logText{}
	host := plugins.NewHost(plugins.HostConfig{Compiler: compilerOf(t),
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	t.Cleanup(func() {
		if err := host.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return &search{host, newNeighbour(t), log}
}

// load loads a module and lets go of it, or ends that at some moment.
func (s *search) load(t *testing.T, r hostile.Recipe, end bool) loaded {
	wasm := r.Module()
	l := loaded{recipe: r, size: len(wasm), end: "loaded"}
	spec := plugins.Spec{Listener: "searched", Wasm: wasm, Limits: plugins.Limits{
		Memory: 16 << 20, LoadTime: searchedTime, LoadMemory: searchedMemory}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var ended time.Time
	var ending sync.WaitGroup
	if end {
		after := time.Duration(rand.Int64N(int64(3 * time.Second)))
		ending.Go(func() {
			select {
			case <-time.After(after):
				ended = time.Now()
				cancel()
			case <-ctx.Done():
			}
		})
	}
	s.log.take()
	before := mostMemory(t, true)
	waits, _ := stoppings()
	l.took, l.delay, l.gc = s.beside.during(func() {
		h, err := s.host.Load(ctx, spec)
		if err != nil {
			l.end = err.Error()
			return
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	returned := time.Now()
	l.held = waits.longest()
	cancel()
	ending.Wait()
	if !ended.IsZero() && errors.Is(ctx.Err(), context.Canceled) && returned.After(ended) {
		l.stop = returned.Sub(ended)
	}
	l.parent = max(0, mostMemory(t, false)-before)
	l.cpu, l.child = used(s.log.take())
	l.during = max(0, s.log.compiled.Swap(0)-before)
	if l.child == 0 { // it was refused without being compiled, or its end is unknown
		l.during = 0
	}
	s.bounds(t, l)
	return l
}

// bounds compares what was seen with what is promised, on a machine that does nothing else.
func (s *search) bounds(t *testing.T, l loaded) {
	if os.Getenv("HOSTILE") != "full" {
		return
	}
	switch noise := s.beside.noise(); {
	case l.stop > stopped+noise.call:
		t.Errorf("it was stopped too late: %v", l)
	case l.delay > delay+noise.delay:
		t.Errorf("another listener waited: %v", l)
	case l.held > held+noise.held:
		t.Errorf("the garbage collector waited: %v", l)
	case l.memory() > searchedMemory+searchedSlack:
		t.Errorf("it took too much memory: %v", l)
	}
}

// mostMemory is what this process had at most since it was asked with reset.
func mostMemory(t testing.TB, reset bool) int64 {
	if reset {
		now := resident(t)
		_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
		return now
	}
	return highWater()
}

// highWater is 0 where it is unknown.
func highWater() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(string(found[1]), 10, 64)
	return kilobytes << 10
}

// logText collects the log.
type logText struct {
	compiled atomic.Int64 // the most memory that this process had when the last child ended

	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logText) Write(p []byte) (int, error) {
	if compiledLine.Match(p) {
		l.compiled.Store(highWater())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logText) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.b.Reset()
	return l.b.String()
}

var compiledLine = regexp.MustCompile(`msg="compiling has ended" cpu=(\S+) memory=(\d+)`)

// used reads from the log what the last process that compiled has used.
func used(log string) (cpu time.Duration, memory int64) {
	if found := compiledLine.FindStringSubmatch(log); found != nil {
		cpu, _ = time.ParseDuration(found[1])
		memory, _ = strconv.ParseInt(found[2], 10, 64)
	}
	return cpu, memory
}
