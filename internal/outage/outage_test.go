package outage

import (
	"flag"
	"math/rand/v2"
	"os"
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
			if n < many {
				t.Parallel()
			}
			took := map[string]*latencies{}
			for i := range n {
				run(t, f, certs, seed+uint64(i), took)
			}
			compare(t, took["both to healthy"], took["other to healthy"], n)
		})
	}
}

// many runs of a fault are enough, one after the other, to compare times with those before and
// after it.
const many = 10

// compare checks that the listener with the faulty output is as fast with its other one as another
// listener, and after many runs that both are as fast as without the fault. Otherwise other tests
// that run at the same time decide how fast they are.
func compare(t *testing.T, both, other *latencies, runs int) {
	t.Helper()
	mine, control := percentile(both.with, 50), percentile(other.with, 50)
	t.Logf("half the events take %v, %v in the other listener", mine, control)
	if mine > control*12/10+100*time.Millisecond {
		t.Errorf("half the events take %v, and %v in the other listener", mine, control)
	}
	if runs < many {
		return
	}
	const floor = 20 * time.Millisecond
	for name, l := range map[string]*latencies{"its other output": both,
		"another listener": other} {
		if half := percentile(l.without, 50); half > floor {
			t.Logf("half the events take %v without a fault: this machine is too busy", half)
			continue
		}
		t.Logf("%s: p99 of all runs is %v without the fault, %v with it", name,
			percentile(l.without, 99), percentile(l.with, 99))
		// Something else that the machine does for a moment is in few runs.
		without, with := percentile(l.p99Without, 50), percentile(l.p99With, 50)
		t.Logf("%s: the median of p99 is %v without the fault, %v with it", name, without, with)
		if with > max(without*12/10, without+floor) {
			t.Errorf("%s: the median of p99 is %v without the fault, %v with it", name, without,
				with)
		}
	}
}

// run has one run of a fault, and adds how long events took to outputs that have no fault.
func run(t *testing.T, f fault, certs certificates, seed uint64, took map[string]*latencies) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, uint64(len(f))))
	w := &world{plan: draw(random, f)}
	w.model.init(random)
	w.open(t, certs)
	w.run(t)
	var wrong []string
	for _, l := range w.listeners {
		for i, o := range l.outputs {
			name := l.name + " to " + o.name
			if problems := append(w.check(o, l.overflow, l.route.Stats().Outputs[i]),
				o.checkAsked()...); len(problems) > 0 {
				wrong = append(wrong, name+":\n\t"+strings.Join(problems, "\n\t"))
			}
			if o.kind == none {
				if took[name] == nil {
					took[name] = &latencies{}
				}
				w.addLatencies(took[name], o)
			}
		}
	}
	if len(wrong) > 0 {
		t.Errorf("OUTAGE_SEED=%d %+v\n%s", seed, w.plan, strings.Join(wrong, "\n"))
	}
	t.Logf("OUTAGE_SEED=%d %+v: %+v", seed, w.plan, w.listeners[0].route.Stats().Outputs[0].Stats)
}
