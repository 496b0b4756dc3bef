//go:build !wasip1

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	informerd "github.com/informerd/informerd/plugins/sdk/go"
	"github.com/informerd/informerd/plugins/sdk/go/informerdtest"
)

// object makes an object with labels, given as key=value.
func object(uid string, labels ...string) string {
	m := map[string]string{}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		m[key] = value
	}
	b, _ := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"namespace": "shop", "name": "web", "uid": uid, "labels": m},
	})
	return string(b)
}

// expect checks a result: "-" is no event, otherwise the missing labels.
func expect(t *testing.T, r informerdtest.Result, missing string) {
	t.Helper()
	if missing == "-" {
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
	if got := strings.Join(f.Missing, " "); got != missing || f.Kind != "Pod" || f.Name != "web" {
		t.Errorf("got %+v, want missing %q", f, missing)
	}
}

func TestLabelAudit(t *testing.T) {
	g := informerdtest.Start(t, `{"required":["team","example.com/tier"]}`)
	none, team, both := object("a"), object("a", "team=red"), object("a", "team=red",
		"example.com/tier=web")
	expect(t, g.Add(none), "team example.com/tier")
	expect(t, g.Resync(none), "-")
	expect(t, g.Update(none, team), "example.com/tier")
	expect(t, g.Update(team, both), "")
	expect(t, g.Update(both, both), "-")
	expect(t, g.Update(both, object("a", "team=", "example.com/tier=web")), "team")
	expect(t, g.Delete(none), "-")
	expect(t, g.Add(none), "team example.com/tier") // it was removed from memory
	expect(t, g.Add(object("b", "team=red", "example.com/tier=web")), "-")
}

func TestObjectsAreBounded(t *testing.T) {
	g := informerdtest.Start(t, `{"required":["team"],"maxObjects":10}`)
	for n := range 1001 {
		uid := fmt.Sprint(n)
		expect(t, g.Add(object(uid)), "team")
		if n%3 == 0 {
			expect(t, g.Update(object(uid), object(uid, "team=red")), "")
		}
	}
	if len(found.byUID) != 10 || found.order.Len() != 10 {
		t.Errorf("%d objects are remembered, the order has %d", len(found.byUID),
			found.order.Len())
	}
	expect(t, g.Resync(object("998")), "-")  // among the last ten
	expect(t, g.Resync(object("1")), "team") // forgotten long ago
}

// A deleted object leaves nothing behind.
func TestForget(t *testing.T) {
	g := informerdtest.Start(t, `{"required":["team"]}`)
	for range 1000 {
		expect(t, g.Add(object("a")), "team")
		expect(t, g.Delete(object("a")), "-")
	}
	if len(found.byUID) != 0 || found.order.Len() != 0 {
		t.Errorf("%d objects are remembered, the order has %d", len(found.byUID),
			found.order.Len())
	}
}

func TestConfigure(t *testing.T) {
	for config, want := range map[string]string{
		``:                                  "required is empty: name at least one label",
		`{"required":[]}`:                   "required is empty: name at least one label",
		`{"required":[""]}`:                 `required: "" is not a label key`,
		`{"required":["a\"b"]}`:             `required: "a\"b" is not a label key`,
		`{"required":["a"],"maxObjects":0}`: "maxObjects is 0, it must be at least 1",
		`{"need":["a"]}`:                    `config: json: unknown field "need"`,
	} {
		if _, err := informerdtest.Load(config); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}
