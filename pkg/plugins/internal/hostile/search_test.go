package hostile_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/informerd/informerd/pkg/plugins/internal/hostile"
	"github.com/informerd/informerd/pkg/plugins/internal/meter"
)

// HOSTILE_SEARCH is how long TestSearch goes on, as 30m. HOSTILE_SEED is where it begins.
var write = flag.Bool("worst", false,
	"write what searches find to testdata/worst.txt and testdata/worst_loading.txt")

const worstFile = "testdata/worst.txt"

// The bounds between two visits, of the host as it is shipped.
const (
	// an instruction on a table at the end
	mostUnits = meter.DefaultSlice + 3*meter.DefaultPass + 100 + meter.DefaultMaxTable
	// bytes, when it is found to be too large
	mostStack = 40 << 20
	mostWait  = 50 * time.Millisecond
)

// figures are what a program does to its host.
type figures struct {
	units int64         // the most between two visits
	wait  time.Duration // processor time between two visits, that of one in twenty
	stack int           // the most
}

// measure runs a program for a while.
func measure(t testing.TB, p hostile.Program, budget int64) (f figures) {
	t.Helper()
	ctx := context.Background()
	rewritten, err := meter.Rewrite(p.Module())
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	r := wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2))
	defer r.Close(ctx)
	tank := &meter.Tank{Fuel: rewritten.Fuel}
	if err := meter.Instantiate(ctx, r, func(context.Context) *meter.Tank {
		return tank
	}); err != nil {
		t.Fatal(err)
	}
	instance, err := r.InstantiateWithConfig(ctx, rewritten.Module,
		wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	tank.Bind(instance)
	tank.Fill(1<<40, time.Now())
	if _, err := instance.ExportedFunction("init").Call(ctx); err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	run := instance.ExportedFunction("run")
	stack := reflect.Indirect(reflect.ValueOf(run)).FieldByName("stack")
	var waits []time.Duration
	last, used, begun := onThread(), int64(0), time.Now()
	tank.Check = func() error {
		now, total := onThread(), tank.Used()
		waits = append(waits, now-last)
		f.units = max(f.units, total-used)
		if stack.IsValid() {
			f.stack = max(f.stack, stack.Len())
			if stack.Len() > 16<<20 {
				return meter.ErrSpent // as the host does
			}
		}
		if used = total; time.Since(begun) > 200*time.Millisecond {
			return meter.ErrSpent
		}
		last = onThread()
		return nil
	}
	tank.Fill(budget, time.Now())
	last, begun = onThread(), time.Now()
	_, err = run.Call(ctx)
	if err == nil || !strings.Contains(err.Error(), meter.ErrSpent.Error()) {
		t.Fatalf("%s: ended with %v", p, err)
	}
	if len(waits) > 0 {
		slices.Sort(waits)
		f.wait = waits[len(waits)*19/20]
	}
	return f
}

// check holds what does not depend on the machine, and under make hostile the time.
func (f figures) check(t testing.TB, p hostile.Program) {
	t.Helper()
	if f.units > mostUnits || f.stack > mostStack {
		t.Errorf("%s: %d units and a stack of %d MiB, at most %d and %d are right", p, f.units,
			f.stack>>20, mostUnits, mostStack>>20)
	}
	if !busy() && !race && f.wait > mostWait {
		t.Errorf("%s: %v between two visits", p, f.wait)
	}
}

func (f figures) String() string {
	return fmt.Sprintf("%8.2f ms %7d units %5d KiB", f.wait.Seconds()*1000, f.units, f.stack>>10)
}

// TestSearch looks for the program that holds up its host the longest: it changes the worst ones it
// has found. What it finds is kept in testdata, and run each time by TestWorst.
func TestSearch(t *testing.T) {
	if testing.Short() {
		t.Skip("it searches for seconds")
	}
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("there is no compiler")
	}
	seed, budget := uint64(1), int64(400_000)
	if text := os.Getenv("HOSTILE_SEED"); text != "" {
		fmt.Sscan(text, &seed)
	}
	duration, err := time.ParseDuration(os.Getenv("HOSTILE_SEARCH"))
	if err != nil {
		duration = 0 // some programs only, to see that all of it works
	}
	r := rand.New(rand.NewPCG(seed, 7))
	type found struct {
		program hostile.Program
		figures figures
	}
	var slowest, deepest []found
	keep := func(best []found, f found, more func(a, b figures) int) []found {
		best = append(best, f)
		slices.SortStableFunc(best, func(a, b found) int { return more(a.figures, b.figures) })
		return best[:min(len(best), 8)]
	}
	tried := 0
	for begun := time.Now(); tried < 12 || time.Since(begun) < duration; tried++ {
		p := hostile.RandomProgram(r)
		if pool := slices.Concat(slowest, deepest); len(pool) > 0 && r.IntN(4) > 0 {
			p = pool[r.IntN(len(pool))].program.Changed(r)
		}
		f := measure(t, p, budget)
		f.check(t, p)
		slowest = keep(slowest, found{p, f}, func(a, b figures) int { return int(b.wait - a.wait) })
		deepest = keep(deepest, found{p, f}, func(a, b figures) int { return b.stack - a.stack })
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# The worst of %d programs, from seed %d, in %v: processor time between two visits (of one in twenty), the most\n"+
		"# units between two, and the stack of the calls. First those with the longest time, then those with the largest stack.\n", tried, seed, duration)
	for _, f := range slices.Concat(slowest[:min(5, len(slowest))],
		deepest[:min(5, len(deepest))]) {
		fmt.Fprintf(&out, "%s  %s\n", f.figures, f.program)
	}
	t.Log("\n" + out.String())
	if *write {
		if err := os.WriteFile(worstFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWorst runs what the search has found.
func TestWorst(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures for seconds")
	}
	text, err := os.ReadFile(worstFile)
	if err != nil {
		t.Fatal(err)
	}
	programs := 0
	for line := range strings.Lines(string(text)) {
		_, program, ok := strings.Cut(line, "KiB  ")
		if strings.HasPrefix(line, "#") || !ok {
			continue
		}
		p, err := hostile.ParseProgram(program)
		if err != nil {
			t.Fatal(err)
		}
		f := measure(t, p, 2_000_000)
		f.check(t, p)
		t.Logf("%s  %s", f, p)
		programs++
	}
	if programs == 0 {
		t.Error("there are none")
	}
}
