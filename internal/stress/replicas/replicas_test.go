package replicas

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
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
		t.Run(strings.TrimSpace(fmt.Sprint(s.replicas, " ", s.by)), func(t *testing.T) { takeAway(t, s) })
	}
}

func takeAway(t *testing.T, s size) {
	t.Logf("STRESS_SEED=%d", s.seed)
	w := newWorld(t, s)
	for n, how := range s.order(rand.New(rand.NewPCG(s.seed, 0))) {
		w.awaitAll(t)
		if how == scaled {
			w.scale(t, n)
			continue
		}
		w.end(t, n, how)
	}
	w.awaitAll(t)
	w.stopWriting()
	for _, err := range w.writing.errs {
		t.Errorf("a change has failed: %v", err)
	}
	what := func() ([]*message, map[string]truth) {
		got, now := w.receiver.all(), w.writing.truths()
		if s.by == "object" {
			return apart(got, now)
		}
		return got, now
	}
	w.receiver.until(limit, func() bool { return len(missing(what())) == 0 })
	got, now := what()
	w.report(t, "missing", missing(got, now))
	w.report(t, "out of order", disorder(got))
	again, unexplained := repeated(got, w.losses)
	w.report(t, "again without reason", unexplained)
	w.report(t, "two at once", together(got, w.losses, s.unit))
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
	size
	random   *rand.Rand
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
	w := &world{size: s, random: rand.New(rand.NewPCG(s.seed, 1)), receiver: newReceiver(t),
		client: newProbe(t), took: map[ending][]time.Duration{}}
	for n := range s.replicas {
		r := newReplica(t, n, c, w.receiver.url(), s)
		t.Cleanup(r.stop)
		w.replicas = append(w.replicas, r)
		r.start(t)
	}
	for n := range namespaces {
		if _, err := c.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: namespaceOf(n)}}, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	w.writing = &writing{maps: c.client.CoreV1(),
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

// newProbe returns a client that asks replicas how they are.
func newProbe(t *testing.T) *http.Client {
	client := &http.Client{Timeout: 5 * time.Second}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func (w *world) stopWriting() { w.stop() }

// awaitAll starts what has ended, and waits until all replicas are ready and one delivers.
func (w *world) awaitAll(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for i := range w.losses {
		if w.losses[i].back.IsZero() {
			w.losses[i].back = time.Now()
		}
	}
	for _, r := range w.replicas {
		for !w.ready(r) {
			r.start(t)
			if time.Now().After(deadline) {
				t.Fatalf("replica %d is not ready\n%s", r.number, tail(r))
			}
			<-time.After(50 * time.Millisecond)
		}
	}
	working := 1
	if w.by != "" {
		working = len(w.replicas)
	}
	begun := time.Now()
	if !w.receiver.until(limit, func() bool {
		return len(w.receiver.since(begun, func(m *message) string { return strconv.Itoa(m.replica) })) >= working
	}) {
		t.Fatalf("not all that should deliver\n%s", w.tails())
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

// scale asks all replicas but one to stop, and waits until that one has all.
func (w *world) scale(t *testing.T, n int) {
	t.Helper()
	begun, stays := time.Now(), w.random.IntN(len(w.replicas))
	for i, r := range w.replicas {
		if i != stays {
			w.losses = append(w.losses, loss{how: asked, replica: i, at: begun, until: begun})
			r.signal(syscall.SIGTERM)
		}
	}
	for i, r := range w.replicas {
		if i == stays {
			continue
		}
		select {
		case <-r.ended:
		case <-time.After(limit):
			t.Fatalf("%d: replica %d has not ended\n%s", n, i, tail(r))
		}
	}
	ended := time.Now()
	if !w.receiver.until(limit, func() bool {
		return len(w.receiver.since(ended, (*message).namespace)) == namespaces
	}) {
		t.Fatalf("%d: replica %d does not deliver all\n%s", n, stays, w.tails())
	}
	w.took[scaled] = append(w.took[scaled], ended.Sub(begun))
}

// end takes a replica away: the one that delivered last.
func (w *world) end(t *testing.T, n int, how ending) {
	t.Helper()
	number, _, _ := w.receiver.last()
	r := w.replicas[number]
	had := map[string]bool{} // what it was to deliver
	for unit, m := range w.receiver.since(time.Time{}, w.unit) {
		had[unit] = m.replica == number
	}
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
	if !w.receiver.until(limit, func() bool {
		last := w.receiver.since(l.at, w.unit)
		for unit, was := range had {
			if was && (last[unit] == nil || last[unit].replica == number) {
				return false
			}
		}
		return true
	}) {
		t.Fatalf("%d: %s of replica %d: nobody takes over\n%s", n, how, number, w.tails())
	}
	w.took[how] = append(w.took[how], time.Since(l.at))
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
