//go:build !wasip1

package main

import (
	"encoding/json"
	"fmt"
	"testing"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
)

// pod makes a pod with containers c0, c1, … that have restarted so often.
func pod(uid string, restarts ...int) string {
	var statuses []map[string]any
	for n, r := range restarts {
		statuses = append(statuses,
			map[string]any{"name": fmt.Sprintf("c%d", n), "restartCount": r})
	}
	b, _ := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"namespace": "shop", "name": "web", "uid": uid},
		"status":   map[string]any{"containerStatuses": statuses},
	})
	return string(b)
}

// expect checks a result; 0 restarts mean no event.
func expect(t *testing.T, r informerdtest.Result, restarts int64, container string) {
	t.Helper()
	if restarts == 0 {
		if r.Verdict != informerd.Drop {
			t.Errorf("got %+v, want drop", r)
		}
		return
	}
	if r.Verdict != informerd.Done || len(r.Emitted) != 1 || r.Emitted[0].Type != eventType {
		t.Fatalf("got %+v, want one event", r)
	}
	var f finding
	if err := json.Unmarshal(r.Emitted[0].Data, &f); err != nil {
		t.Fatal(err)
	}
	if f.Restarts != restarts || f.Container != container || f.Namespace != "shop" ||
		f.Name != "web" {
		t.Errorf("got %+v, want %d restarts, most of %s", f, restarts, container)
	}
}

func TestCrashloop(t *testing.T) {
	g := informerdtest.Start(t, `{"threshold":2}`)
	expect(t, g.Add(pod("a")), 0, "")
	expect(t, g.Update(pod("a"), pod("a", 2)), 0, "")
	expect(t, g.Update(pod("a", 2), pod("a", 2, 1)), 3, "c0")
	expect(t, g.Update(pod("a", 2, 1), pod("a", 2, 1)), 0, "")
	expect(t, g.Resync(pod("a", 2, 1)), 0, "")
	expect(t, g.Update(pod("a", 2, 1), pod("a", 2, 5)), 7, "c1")
	expect(t, g.Delete(pod("a", 2, 5)), 0, "")
	expect(t, g.Add(pod("a", 2, 5)), 7, "c1") // it was removed from memory
	expect(t, g.Add(pod("b", 3)), 3, "c0")    // another pod with the same name
}

func TestPodsAreBounded(t *testing.T) {
	g := informerdtest.Start(t, `{"threshold":0,"maxPods":10}`)
	for n := range 1001 {
		uid := fmt.Sprint(n)
		expect(t, g.Add(pod(uid, 1)), 1, "c0")
		if n%3 == 0 {
			expect(t, g.Delete(pod(uid, 1)), 0, "")
		}
	}
	if len(pods.byUID) != 10 || pods.order.Len() != 10 {
		t.Errorf("%d pods are remembered, the order has %d", len(pods.byUID), pods.order.Len())
	}
	expect(t, g.Resync(pod("998", 1)), 0, "") // among the last ten
	expect(t, g.Resync(pod("1", 1)), 1, "c0") // forgotten long ago
}

// A deleted pod leaves nothing behind.
func TestForget(t *testing.T) {
	g := informerdtest.Start(t, `{"threshold":0}`)
	for range 1000 {
		expect(t, g.Add(pod("a", 1)), 1, "c0")
		expect(t, g.Delete(pod("a", 1)), 0, "")
	}
	if len(pods.byUID) != 0 || pods.order.Len() != 0 {
		t.Errorf("%d pods are remembered, the order has %d", len(pods.byUID), pods.order.Len())
	}
}

func TestConfigure(t *testing.T) {
	for config, want := range map[string]string{
		`{"threshold":-1}`:  "threshold is -1, it must not be negative",
		`{"maxPods":0}`:     "maxPods is 0, it must be at least 1",
		`{"threshhold":1}`:  `config: json: unknown field "threshhold"`,
		`{"threshold":"a"}`: "config: json: cannot unmarshal string into Go struct field config.threshold of type int64",
	} {
		if _, err := informerdtest.Load(config); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
	informerdtest.Start(t, "")
	if settings.Threshold != 5 {
		t.Errorf("the default threshold is %d", settings.Threshold)
	}
}
