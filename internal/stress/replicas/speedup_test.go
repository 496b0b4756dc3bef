package replicas

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// quota is how much of a processor each replica has in TestShardsSpeedUp.
const quota = 0.25

// cgroup makes a group of processes with the quota, or skips the test where nobody can.
func cgroup(t *testing.T, name string) (procs string) {
	t.Helper()
	dir := filepath.Join("/sys/fs/cgroup/cpu", name) // version 1
	files := map[string]string{"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": strconv.Itoa(int(quota * 100_000))}
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err == nil {
		dir = filepath.Join("/sys/fs/cgroup", name)
		files = map[string]string{"cpu.max": fmt.Sprintf("%d 100000", int(quota*100_000))}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skipf("a replica needs a quota of its own, and this machine gives none: %v", err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	for file, text := range files {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
			t.Skipf("a replica needs a quota of its own, and this machine gives none: %v", err)
		}
	}
	return filepath.Join(dir, "cgroup.procs")
}

// TestShardsSpeedUp compares how long four replicas with shards take for changes with how long one
// takes, each with a quarter of a processor: changes that a handler needs much time for, and changes
// that go to a webhook which answers after 50 ms.
func TestShardsSpeedUp(t *testing.T) {
	if os.Getenv("STRESS") != "full" {
		t.Skip("it needs the machine alone for minutes: make fault, or STRESS=full")
	}
	busy := filepath.Join(t.TempDir(), "busy.wasm")
	build := exec.Command("go", "build", "-trimpath", "-buildmode=c-shared", "-o", busy, ".")
	build.Dir = filepath.Join("testdata", "busy")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, kind := range []struct {
		name, listener string
		objects, least int // least: hundredths
		delay          time.Duration
	}{
		{"costly handler", "handler: {wasm: " + busy + ", grants: {emit: {}}, limits: {deadline: 1m}}", 3200, 320, 0},
		{"webhook", "filter: 'true'", 12_000, 380, 50 * time.Millisecond},
	} {
		t.Run(kind.name, func(t *testing.T) {
			ctx := t.Context()
			c := startCluster(ctx, t)
			got := newReceiver(t)
			got.delay = kind.delay
			var all []*replica
			for n := range 4 {
				r := newReplica(t, n, c, got.url(), size{by: "object"})
				config := fmt.Sprintf(`apiVersion: informerd.dev/v1alpha1
kind: Config
leaderElection: {namespace: default, name: stress}
sharding: {shards: 32, by: object}
health: {address: %q}
listeners:
  all: {informer: {resource: configmaps, labelSelector: stress=yes}, on: [update], %s, outputs: [all]}
outputs:
  all: {webhook: {url: "%s/all/%d", timeout: 1m}}
`, r.health, kind.listener, got.url(), n)
				if err := os.WriteFile(filepath.Join(r.folder, "c.yaml"), []byte(config), 0o600); err != nil {
					t.Fatal(err)
				}
				r.procs = cgroup(t, fmt.Sprintf("informerd-stress-%d-%d", os.Getpid(), n))
				t.Cleanup(r.stop)
				all = append(all, r)
			}
			for i := range kind.objects {
				m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("m", i),
					Labels: map[string]string{"stress": "yes"}}, Data: map[string]string{"n": "0"}}
				if _, err := c.client.CoreV1().ConfigMaps("default").Create(ctx, m, metav1.CreateOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			w := &world{receiver: got, replicas: all[:1], client: newProbe(t)}
			one := timeOf(t, w, c, kind.objects, "1")
			w.replicas = all
			four := timeOf(t, w, c, kind.objects, "2")
			ratio := int(100 * one / four)
			t.Logf("%s, %d changes: one replica %v, four %v: %d.%02dx", kind.name, kind.objects,
				one.Round(10*time.Millisecond), four.Round(10*time.Millisecond), ratio/100, ratio%100)
			if ratio < kind.least {
				t.Errorf("four replicas are %d hundredths as fast as one, at least %d are required", ratio, kind.least)
			}
		})
	}
}

// timeOf starts the replicas that do not run, waits until they share the shards, changes all objects,
// and returns how long it takes from then on until all of that has come. A webhook answers from then
// on, while a handler begins with the first change.
func timeOf(t *testing.T, w *world, c *cluster, objects int, value string) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for _, r := range w.replicas {
		r.start(t)
	}
	for balanced := false; !balanced; {
		leases, err := c.client.CoordinationV1().Leases("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		held := map[string]int{}
		for _, l := range leases.Items {
			if strings.Contains(l.Name, "-shard-") && l.Spec.HolderIdentity != nil {
				held[*l.Spec.HolderIdentity]++
			}
		}
		balanced = len(held) == len(w.replicas)
		for holder, n := range held {
			balanced = balanced && holder != "" && n == 32/len(w.replicas)
		}
		for _, r := range w.replicas {
			balanced = balanced && w.ready(r)
		}
		<-time.After(200 * time.Millisecond)
	}
	<-time.After(5 * time.Second) // what the lists of taking over have cost is paid
	before, begun := len(w.receiver.all()), time.Now()
	if w.receiver.delay > 0 {
		w.receiver.gate.Lock()
	}
	var writing sync.WaitGroup
	for n := range 4 {
		writing.Go(func() {
			for i := n; i < objects; i += 4 {
				if _, err := c.client.CoreV1().ConfigMaps("default").Patch(ctx, fmt.Sprint("m", i),
					types.MergePatchType, []byte(`{"data":{"n":"`+value+`"}}`), metav1.PatchOptions{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	if w.receiver.delay > 0 {
		begun = time.Now()
		w.receiver.gate.Unlock()
	}
	if !w.receiver.until(5*time.Minute, func() bool { return len(w.receiver.all())-before >= objects }) {
		t.Fatalf("%d of %d have come\n%s", len(w.receiver.all())-before, objects, w.tails())
	}
	return time.Since(begun)
}
