package hostile_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/plugins"
	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/internal/hostile"
)

// The bounds that no guest breaks.
const (
	beyond = 50 * time.Millisecond  // that a guest runs longer than its deadline
	delay  = 100 * time.Millisecond // of another listener's event
	// that a module is compiled, or a huge memory cleared; an idle machine takes seconds
	compile = time.Minute
	held    = 50 * time.Millisecond // of the garbage collector
	logged  = 512 << 10             // bytes that one guest gets into the log
	// of a case that takes too long: other processes do not leave the machine alone
	repeats  = 3
	large    = 64 << 10 // bytes of a module
	beside64 = 64 << 20 // bytes that a guest takes besides its memory
	forever  = time.Hour
)

// run is what came of a case.
type run struct {
	ended      string // as Case.Want, with the whole error for a refusal
	load, call time.Duration
	delay      time.Duration
	held       time.Duration
	peak       int64 // bytes that the process grew by while the events were handled, at most
}

// best takes the better of two runs, for each figure.
func (r run) best(other run) run {
	return run{r.ended, min(r.load, other.load), min(r.call, other.call), min(r.delay, other.delay),
		min(r.held, other.held), min(r.peak, other.peak)}
}

// exceeds says which bound was broken, "" for none, on a machine that is late by itself. It is for
// make hostile.
func (r run) exceeds(c hostile.Case, noise run) string {
	if busy() {
		return ""
	}
	late := func(what string, took, most, noise time.Duration) string {
		if most *= slower; took > most+noise {
			return fmt.Sprintf("%s took %v, at most %v and %v for the machine are right. ", what,
				took.Round(time.Millisecond), most, noise)
		}
		return ""
	}
	load := ""
	if os.Getenv("HOSTILE") == "full" { // elsewhere other processes take what compiling would
		most := hostile.LoadDeadline + beyond
		if c.Slow {
			most += compile
		}
		load = late("Load", r.load, most, noise.load)
	}
	grown := ""
	if most := max(c.Memory, hostile.Memory) + beside64; !race && r.peak > most {
		grown = fmt.Sprintf("the process grew by %d MiB, at most %d are right. ", r.peak>>20,
			most>>20)
	}
	return grown + load +
		late("the call", r.call, time.Duration(max(1, c.Events))*hostile.Deadline+beyond,
			noise.call) +
		late("another listener's event", r.delay, delay, noise.delay) +
		late("the garbage collector", r.held, held, noise.held)
}

// busy reports whether the machine may do something else as well, which says nothing about times:
// all but make hostile.
func busy() bool { return os.Getenv("HOSTILE") != "full" }

// noise is how late things are with a loop of our own in place of a guest, since other processes
// may use the machine as well.
func (b *neighbour) noise() (n run) {
	for range repeats {
		took, delay, held := b.during(func() {
			for begun := time.Now(); time.Since(begun) < hostile.Deadline; {
			}
		})
		n.call, n.delay, n.held = max(n.call, took-hostile.Deadline), max(n.delay, delay),
			max(n.held, held)
	}
	n.load = n.call
	return n
}

// TestCorpus runs everything in the corpus next to a listener that does no harm.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs everything that handlers can try, which takes a minute")
	}
	out, url, object := &sink{}, silent(t), pod(t)
	var compiler []string
	// elsewhere starting a process for each of hundreds of modules would take longest
	if os.Getenv("HOSTILE") == "full" {
		compiler = plugins.SelfCompiler()
	}
	host := plugins.NewHost(plugins.HostConfig{Compiler: compiler,
		Log: slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	defer host.Close(t.Context())
	beside := newNeighbour(t)
	first := resident(t)
	before, worst := first, run{}
	for _, c := range hostile.All(url) {
		t.Run(c.Name, func(t *testing.T) {
			r := checkCase(t, host, beside, c, spec(c.Module(), url, object), out)
			worst.load, worst.call = max(worst.load, r.load), max(worst.call, r.call)
			worst.delay, worst.held = max(worst.delay, r.delay), max(worst.held, r.held)
			worst.peak = max(worst.peak, r.peak)
			after := resident(t)
			if after > before+kept {
				t.Errorf("it leaves %d MiB of memory", (after-before)>>20)
			}
			before = after
		})
	}
	if before > first+kept {
		t.Errorf("all together leave %d MiB of memory", (before-first)>>20)
	}
	t.Logf("longest Load %v, call %v, delay of another listener %v, wait of the garbage collector %v, peak of memory %d MiB; memory grew by %d KiB",
		worst.load, worst.call, worst.delay, worst.held, worst.peak>>20, (before-first)>>10)
}

// checkCase runs a case, up to three times if something takes too long, and returns the best of
// each figure.
func checkCase(t *testing.T, host *plugins.Host, beside *neighbour, c hostile.Case, s plugins.Spec,
	out *sink) run {
	t.Helper()
	r := run{load: forever, call: forever, delay: forever, held: forever, peak: 1 << 62}
	if c.Memory > 0 {
		s.Limits.Memory = c.Memory
	}
	for n := range repeats {
		goroutines := goleak.IgnoreCurrent()
		written := out.bytes
		now := runCase(t, host, beside, s, c)
		if !wanted(now.ended, c.Want) && !(busy() && strings.HasSuffix(now.ended, ": deadline")) {
			t.Fatalf("it ended with\n%s\nand not with\n%s", now.ended, c.Want)
		}
		r = now.best(r)
		if err := goleak.Find(goroutines); err != nil {
			t.Error(err)
		}
		if written = out.bytes - written; written > logged*int(slower) {
			t.Errorf("it wrote %d bytes to the log", written)
		}
		if r.exceeds(c, run{}) == "" {
			return r
		}
		t.Logf("run %d: %s", n+1, now.exceeds(c, run{}))
	}
	if broken := r.exceeds(c, beside.noise()); broken != "" {
		t.Errorf("in each of %d runs: %s", repeats, broken)
	}
	return r
}

// TestHugeRanges has guests of 2 GiB.
func TestHugeRanges(t *testing.T) {
	if race {
		t.Skip("the race detector takes several times the memory of a guest for its notes")
	}
	out, object := &sink{}, pod(t)
	host := plugins.NewHost(plugins.HostConfig{Log: slog.New(slog.NewTextHandler(out, nil))})
	defer host.Close(t.Context())
	beside, before := newNeighbour(t), resident(t)
	for _, c := range hostile.Huge() {
		t.Run(c.Name, func(t *testing.T) {
			s := spec(c.Module(), "http://127.0.0.1:1/", object)
			// where the heap has such a range already, it is cleared first
			s.Limits.Memory, s.Limits.LoadDeadline = 2<<30, compile
			c.Memory = s.Limits.Memory
			r := checkCase(t, host, beside, c, s, out)
			t.Logf("call %v, delay of another listener %v, wait of the garbage collector %v",
				r.call, r.delay, r.held)
			if after := resident(t); after > before+kept {
				t.Errorf("it leaves %d MiB of memory", (after-before)>>20)
			}
		})
	}
}

// runCase loads a module, and passes it an event, or some.
func runCase(t *testing.T, host *plugins.Host, beside *neighbour, s plugins.Spec,
	c hostile.Case) (r run) {
	var handler *plugins.Handler
	var err error
	r.load, r.delay, r.held = beside.during(func() { handler, err = host.Load(t.Context(), s) })
	if c.Slow || len(s.Wasm) > large {
		r.held = 0 // the engine fills the heap to compile it, so that collecting takes its time
	}
	if err != nil {
		r.ended = ending(err)
		return r
	}
	defer handler.Close(t.Context())
	i, err := handler.NewInstance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close(t.Context())
	events := slices.Repeat([]event.Event{{Op: event.Add, Object: beside.e.Object}},
		max(1, c.Events))
	var delay, held time.Duration
	r.peak = peak(t, func() {
		r.call, delay, held = beside.during(func() { _, err = i.HandleBatch(t.Context(), events) })
	})
	r.delay, r.held = max(r.delay, delay), max(r.held, held)
	r.ended = ending(err)
	if strings.HasSuffix(r.ended, "deadline") && i.Fuel() == 0 {
		t.Error("it used no fuel")
	}
	return r
}

func ending(err error) string {
	var crash *plugins.CrashError
	switch {
	case err == nil:
		return "verdict"
	case errors.As(err, &crash):
		return crash.Func + ": " + string(crash.Reason)
	}
	return "refused: " + err.Error()
}

// wanted reports whether a module ended as it must.
func wanted(ended, want string) bool {
	for one := range strings.SplitSeq(want, " | ") {
		text, refused := strings.CutPrefix(one, "refused: ")
		if one == ended || refused && strings.HasPrefix(ended, "refused: ") &&
			strings.Contains(ended, text) {
			return true
		}
	}
	return false
}

func TestCorpusIsWhatItSays(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the whole corpus, which takes seconds")
	}
	names := map[string]bool{}
	for _, c := range hostile.All("http://127.0.0.1:1/") {
		if names[c.Name] {
			t.Errorf("two cases are called %q", c.Name)
		}
		names[c.Name] = true
		if first, second := c.Module(), c.Module(); !bytes.Equal(first, second) {
			t.Errorf("%s: it is another module the second time", c.Name)
		}
	}
	if len(names) < 40 {
		t.Errorf("%d cases", len(names))
	}
	for _, f := range abi.Imports {
		if !slices.ContainsFunc(hostile.Functions(), func(s string) bool {
			return s == f.Module+" "+f.Name
		}) {
			t.Errorf("there are no cases for %s %s", f.Module, f.Name)
		}
	}
}
