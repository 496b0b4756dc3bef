package conformance

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// client-go tells of each fault, in words and by a delay that looks at the clock of another
	// bubble.
	utilruntime.ErrorHandlers = nil
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	os.Stderr = null
	goleak.VerifyTestMain(m)
}

const (
	seedsVariable = "CONFORMANCE_SEEDS" // how many scripts to run
	seedVariable  = "CONFORMANCE_SEED"  // the one script to run
	defaultSeeds  = 60
)

func TestConformance(t *testing.T) {
	if seed, set := number(t, seedVariable); set {
		s := generate(seed)
		t.Logf("seed %d\n%s", seed, s)
		check(t, seed)
		return
	}
	seeds, set := number(t, seedsVariable)
	if !set {
		seeds = defaultSeeds
	}
	var counts [2]tally
	t.Run("seeds", func(t *testing.T) {
		var next atomic.Uint64
		for w := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(w), func(t *testing.T) {
				t.Parallel()
				for seed := next.Add(1); seed <= seeds && !t.Failed(); seed = next.Add(1) {
					results := check(t, seed)
					for i := range counts {
						counts[i].add(results[i].faults)
					}
				}
			})
		}
	})
	if t.Failed() || seeds < defaultSeeds {
		return
	}
	for i := range counts {
		for _, fault := range faults {
			if counts[i].of(fault) == 0 {
				t.Errorf("%s has never met the fault %q: generate does not make it happen",
					sides[i].name, fault)
			}
		}
	}
	t.Logf("faults met, by client-go and by informerd:\n%s", tallyText(&counts[0], &counts[1]))
}

func number(t *testing.T, variable string) (n uint64, set bool) {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s is no number: %q", variable, text)
	}
	return n, true
}

// check runs both sides through the script of a seed.
func check(t *testing.T, seed uint64) [2]result {
	t.Helper()
	s := generate(seed)
	results, problem := runBoth(t, s)
	if problem != "" {
		small, problem := shrink(t, s, problem)
		again, _ := runBoth(t, small)
		t.Errorf("seed %d: %s\n\nreproduce: %s=%d go test ./pkg/informer/conformance -run 'TestConformance$' -v\n\nthe smallest script that shows it:\n%s\nrequests of client-go:\n%s\nrequests of informerd:\n%s",
			seed, problem, seedVariable, seed, small, logText(again[0]), logText(again[1]))
	}
	return results
}

func runBoth(t *testing.T, s script) (results [2]result, problem string) {
	t.Helper()
	for i, sd := range sides {
		results[i] = follow(t, s, sd.make)
	}
	return results, compare(results[0], results[1])
}

// shrink leaves out what a failure does not need.
func shrink(t *testing.T, s script, problem string) (script, string) {
	t.Helper()
	for again := true; again; {
		again = false
		for _, smaller := range reductions(s) {
			if !smaller.fair() {
				continue
			}
			if _, p := runBoth(t, smaller); p != "" {
				s, problem, again = smaller, p, true
				break
			}
		}
	}
	return s, problem
}

// reductions are the scripts that lack one thing.
func reductions(s script) []script {
	var all []script
	for i := len(s.steps) - 1; i > 0; i-- {
		r := script{streams: s.streams}
		r.steps = append(append(r.steps, s.steps[:i]...), s.steps[i+1:]...)
		all = append(all, r)
	}
	with := func(i int, change func(*step)) {
		r := script{streams: s.streams, steps: append([]step{}, s.steps...)}
		before := r.steps[i].String()
		change(&r.steps[i])
		if r.steps[i].String() != before {
			all = append(all, r)
		}
	}
	for i, st := range s.steps {
		with(i, func(st *step) { st.join = false })
		with(i, func(st *step) { st.compact = false })
		with(i, func(st *step) { st.refuse = 0 })
		with(i, func(st *step) { st.streams = keep })
		with(i, func(st *step) { st.running = play{} })
		with(i, func(st *step) {
			st.running.doubled, st.running.stranger, st.running.bookmark = false, false, false
		})
		for j := range st.changes {
			with(i, func(st *step) { st.changes = without(st.changes, j) })
		}
		for _, of := range []func(*step) *[]answer{
			func(st *step) *[]answer { return &st.snapshots },
			func(st *step) *[]answer { return &st.pages },
			func(st *step) *[]answer { return &st.watches },
		} {
			for j := range *of(&st) {
				with(i, func(st *step) { *of(st) = without(*of(st), j) })
				with(i, func(st *step) {
					*of(st) = append([]answer{}, *of(st)...)
					(*of(st))[j].late = nil
				})
			}
		}
	}
	return all
}

func without[T any](all []T, i int) []T { return append(append([]T{}, all[:i]...), all[i+1:]...) }

func tallyText(a, b *tally) string {
	var text strings.Builder
	for _, fault := range a.names() {
		fmt.Fprintf(&text, "  %6d %6d  %s\n", a.of(fault), b.of(fault), fault)
	}
	return text.String()
}
