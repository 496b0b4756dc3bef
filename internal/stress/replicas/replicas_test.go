package replicas

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// limit is how long anything may take before it has failed.
const limit = time.Minute

// TestReplicas takes leaders away under changes, and compares what came with what was written.
func TestReplicas(t *testing.T) {
	if os.Getenv("STRESS") == "" {
		t.Skip("leaders need a machine that has time for their Leases: make fault, or STRESS=short")
	}
	sizes, err := sizesFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sizes {
		t.Run(fmt.Sprint(s.replicas), func(t *testing.T) { takeAway(t, s) })
	}
}

func takeAway(t *testing.T, s size) {
	t.Logf("STRESS_SEED=%d", s.seed)
	w := newWorld(t, s)
	for n, how := range s.order(rand.New(rand.NewPCG(s.seed, 0))) {
		w.awaitAll(t)
		w.end(t, n, how)
	}
	w.awaitAll(t)
	w.stopWriting()
	for _, err := range w.writing.errs {
		t.Errorf("a change has failed: %v", err)
	}
	now := w.writing.truths()
	w.receiver.until(limit, func() bool {
		return len(missing(w.receiver.all(), now)) == 0
	})
	got := w.receiver.all()
	w.report(t, "missing", missing(got, now))
	w.report(t, "out of order", disorder(got))
	again, unexplained := repeated(got, w.losses)
	w.report(t, "again without reason", unexplained)
	w.report(t, "two leaders", together(got, w.losses))
	t.Logf("%d changes of %d objects, %d messages, %d of them again", w.writing.changes.Load(),
		len(now), len(got), again)
	for _, how := range slices.Sorted(maps.Keys(w.took)) {
		all := w.took[how]
		slices.Sort(all)
		t.Logf("%-8s %d times, the successor delivered after %v (median), %v (last)", how, len(all),
			all[len(all)/2].Round(time.Millisecond), all[len(all)-1].Round(time.Millisecond))
	}
}

// world is a control plane with replicas, whoever changes it, and whoever gets that.
type world struct {
	receiver *receiver
	replicas []*replica
	writing  *writing
	client   *http.Client
	stop     func()

	losses []loss
	took   map[ending][]time.Duration
}

func newWorld(t *testing.T, s size) *world {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	c := startCluster(ctx, t)
	w := &world{receiver: newReceiver(t), client: &http.Client{Timeout: 5 * time.Second},
		took: map[ending][]time.Duration{}}
	t.Cleanup(w.client.CloseIdleConnections)
	for n := range s.replicas {
		r := newReplica(t, n, c, w.receiver.url())
		t.Cleanup(r.stop)
		w.replicas = append(w.replicas, r)
		r.start(t)
	}
	w.writing = &writing{maps: c.client.CoreV1().ConfigMaps(metav1.NamespaceDefault),
		receiver: w.receiver, now: map[string]truth{}}
	var changing sync.WaitGroup
	changing.Go(func() { w.writing.run(ctx, s.seed) })
	w.stop = func() {
		cancel()
		changing.Wait()
	}
	t.Cleanup(w.stop)
	return w
}

func (w *world) stopWriting() { w.stop() }

// awaitAll starts what has ended, and waits until all replicas are ready and one delivers.
func (w *world) awaitAll(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for _, r := range w.replicas {
		for !w.ready(r) {
			r.start(t)
			if time.Now().After(deadline) {
				t.Fatalf("replica %d is not ready\n%s", r.number, tail(r))
			}
			<-time.After(50 * time.Millisecond)
		}
	}
	begun := time.Now()
	if !w.receiver.until(limit, func() bool {
		_, at, any := w.receiver.last()
		return any && at.After(begun)
	}) {
		t.Fatalf("nobody delivers\n%s", w.tails())
	}
}

func (w *world) ready(r *replica) bool {
	a, err := w.client.Get("http://" + r.health + "/readyz")
	if err != nil {
		return false
	}
	_ = a.Body.Close()
	return a.StatusCode == http.StatusOK
}

// end takes the leader away.
func (w *world) end(t *testing.T, n int, how ending) {
	t.Helper()
	number, _, _ := w.receiver.last()
	r := w.replicas[number]
	l := loss{how: how, replica: number, at: time.Now()}
	switch how {
	case killed:
		r.signal(syscall.SIGKILL)
	case asked:
		r.signal(syscall.SIGTERM)
	case frozen:
		r.signal(syscall.SIGSTOP)
	case isolated:
		r.link.cut()
	}
	l.until = l.at
	if how == frozen {
		l.until = l.at.Add(leaseDuration + time.Second)
	}
	w.losses = append(w.losses, l)
	var by int
	var at time.Time
	if !w.receiver.until(limit, func() bool {
		by, at, _ = w.receiver.last()
		return by != number
	}) {
		t.Fatalf("%d: %s of replica %d: nobody takes over\n%s", n, how, number, w.tails())
	}
	w.took[how] = append(w.took[how], at.Sub(l.at))
	if how == frozen {
		<-time.After(time.Until(l.until)) // that is what is tested
		r.signal(syscall.SIGCONT)
	}
	select {
	case <-r.ended:
	case <-time.After(limit):
		t.Fatalf("%d: %s of replica %d: it has not ended\n%s", n, how, number, tail(r))
	}
	r.link.mend()
	r.link.drop()
}

// report fails the test with the first few of what is wrong.
func (w *world) report(t *testing.T, what string, wrong []string) {
	t.Helper()
	if len(wrong) == 0 {
		return
	}
	for _, l := range w.losses {
		t.Logf("%s: %s of %d", l.at.Format("04:05.000"), l.how, l.replica)
	}
	t.Errorf("%s: %d\n%s", what, len(wrong), strings.Join(wrong[:min(len(wrong), 10)], "\n"))
	t.Log(w.tails())
}

func (w *world) tails() string {
	var all strings.Builder
	for _, r := range w.replicas {
		all.WriteString(tail(r))
	}
	return all.String()
}

// tail returns the end of a replica's log.
func tail(r *replica) string {
	text, _ := os.ReadFile(r.log())
	lines := strings.SplitAfter(string(text), "\n")
	return fmt.Sprintf("replica %d:\n%s", r.number,
		strings.Join(lines[max(0, len(lines)-30):], ""))
}
