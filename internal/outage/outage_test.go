package outage

import (
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Runs mostly wait.
	if err := flag.Set("test.parallel", "3"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// runs returns how many runs of each fault there are, and the first one's seed.
func runs(t *testing.T) (n int, seed uint64) {
	n, seed = 2, rand.Uint64()
	if testing.Short() {
		n = 1
	}
	if os.Getenv("OUTAGE") == "full" {
		n = 20
	}
	if text := os.Getenv("OUTAGE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("OUTAGE_SEED=%s: want a number of at least 0", text)
		}
	}
	return n, seed
}

// TestOutages: whatever an output's trouble is, nothing is lost, and nobody else notices it.
func TestOutages(t *testing.T) {
	n, seed := runs(t)
	certs := certify(t)
	for _, f := range faults {
		t.Run(strings.ReplaceAll(string(f), " ", "_"), func(t *testing.T) {
			t.Parallel()
			slower := map[string][]time.Duration{}
			for i := range n {
				for name, by := range run(t, f, certs, seed+uint64(i)) {
					slower[name] = append(slower[name], by)
				}
			}
			for name, by := range slower {
				slices.Sort(by)
				// Of two runs the better one: other tests run at the same time.
				if by[(len(by)-1)/2] > 0 {
					t.Errorf("%s is slower during the fault, by %v more than is allowed", name, by)
				}
			}
		})
	}
}

// run has one run of a fault, and returns by how much more than allowed others are slower during
// the fault.
func run(t *testing.T, f fault, certs certificates, seed uint64) (slower map[string]time.Duration) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, uint64(len(f))))
	w := &world{plan: draw(random, f)}
	w.model.init(random)
	w.open(t, certs)
	w.run(t)
	slower = map[string]time.Duration{}
	var wrong []string
	for _, l := range w.listeners {
		for i, o := range l.outputs {
			name := l.name + " to " + o.name
			if problems := append(w.check(o, l.overflow, l.route.Stats().Outputs[i]),
				o.checkAsked()...); len(problems) > 0 {
				wrong = append(wrong, name+":\n\t"+strings.Join(problems, "\n\t"))
			}
			if o.kind == none {
				without, with := w.latencies(o)
				before, during := p99(without), p99(with)
				slower[name] = during - max(before*12/10, before+floor)
			}
		}
	}
	if len(wrong) > 0 {
		t.Errorf("OUTAGE_SEED=%d %+v\n%s", seed, w.plan, strings.Join(wrong, "\n"))
	}
	t.Logf("OUTAGE_SEED=%d %+v: %+v", seed, w.plan, w.listeners[0].route.Stats().Outputs[0].Stats)
	return slower
}

// floor is a difference of latencies that is not noticed: tests run at the same time, and with the
// race detector. A fault lasts ten times as long.
const floor = 30 * time.Millisecond
