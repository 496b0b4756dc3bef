package daemon

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A select that becomes the scope of the informer, as informerd plan suggests, tells nothing of
// objects that neither has, although the new select alone would choose them. Until the new scope is
// listed, the listener goes on as before.
func TestASelectThatBecomesAScope(t *testing.T) {
	server := newScopedServer(t)
	server.hold, server.holds = make(chan struct{}), "ns1"
	config := func(listener string) string {
		return "outputs: {out: {stdout: {}}}\nlisteners:\n  l: {informer: {resource: pods" +
			listener + ", outputs: [out]}\n"
	}
	for _, p := range []scopedPod{{namespace: "ns1", name: "a", team: "a"},
		{namespace: "ns1", name: "b", team: "b"}, {namespace: "ns2", name: "a", team: "a"},
		{namespace: "ns2", name: "b", team: "b"}} {
		server.put(p)
	}
	d := startReloadable(t, config(`}, select: 'label("team") == "a"'`), server.kubernetes)
	expect := func(want ...string) {
		t.Helper()
		eventually(t, func() error {
			got := d.subjectsTold("l")
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				return fmt.Errorf("told %q, want %q", got, want)
			}
			return nil
		})
	}
	told := []string{"added ns1/a", "added ns2/a"}
	expect(told...)
	d.reload(t, config(", namespaces: [ns1]}"))
	// A worker that comes back for the next one has had time for what waits.
	for i := range 3 {
		server.put(scopedPod{namespace: "ns2", name: fmt.Sprint("b", i), team: "b"})
		server.put(scopedPod{namespace: "ns2", name: fmt.Sprint(i), team: "a"})
		told = append(told, fmt.Sprint("added ns2/", i))
		expect(told...)
	}
	close(server.hold)
	expect(append(told, "added ns1/b", "deleted ns2/a", "deleted ns2/0", "deleted ns2/1",
		"deleted ns2/2")...)
	d.stop(t)
}

// subjectsTold are the events of a listener, with the namespaces of their objects.
func (d *reloadable) subjectsTold(listener string) (all []string) {
	for line := range strings.Lines(d.out.String()) {
		var m message
		if json.Unmarshal([]byte(line), &m) == nil && m.of(listener) {
			what, _, _ := strings.Cut(m.told(), " ")
			all = append(all, what+" "+strings.TrimPrefix(m.Subject, "pods/"))
		}
	}
	return all
}

// After a restart with another scope, a violation that has ended meanwhile is resolved, and an
// object that is remembered as selected and is not any more is deleted, although the first list has
// them in a state that the listener's expressions refuse before the buffer.
func TestARestartWithAnotherScopeEndsWhatHasEnded(t *testing.T) {
	for _, c := range []struct{ name, listener, ends string }{
		{"a violation", `rules: [{name: r, deny: 'label("team") == "a"'}]`, "resolved ns1/p"},
		{"a member", `select: 'label("team") == "a" && age() > "1h"'`, "deleted ns1/p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newScopedServer(t)
			dir := t.TempDir()
			config := func(scope string) string {
				return "outputs: {out: {stdout: {}}}\nstate: {dir: " + dir + "/state}\n" +
					"listeners:\n  l: {informer: {resource: pods" + scope + "}, " + c.listener +
					", checkpoint: true, outputs: [out]}\n"
			}
			server.put(scopedPod{namespace: "ns1", name: "p", team: "a"})
			d := startReloadable(t, config(""), server.kubernetes)
			d.out.waitForLines(t, 1, "/listeners/l")
			d.stop(t)
			server.put(scopedPod{namespace: "ns1", name: "p", team: "b"})
			d = startReloadable(t, config(", namespaces: [ns1]"), server.kubernetes)
			d.out.waitForLines(t, 1, "/listeners/l")
			d.stop(t)
			if got := d.subjectsTold("l"); !slices.Equal(got, []string{c.ends}) {
				t.Errorf("told %q, want %q", got, c.ends)
			}
		})
	}
}

// A restart has given a listener another informer, and the next one, with another select, comes
// before it has looked at all objects again: outputs have an object that only that would have ended,
// and that is selected once more, in another state.
func TestTwoRestartsInARow(t *testing.T) {
	m := &scopedModel{T: t, r: rand.New(rand.NewPCG(1, 1)), server: newScopedServer(t),
		dir: filepath.Join(t.TempDir(), "state"), moved: map[int]bool{}, began: map[int]bool{},
		heard: &hearer{beliefs: map[string]map[string]belief{}, told: map[string]string{},
			begun: map[string]bool{}}}
	pod := scopedPod{namespace: "ns2", name: "r", team: "a", tier: "x", phase: "Running"}
	m.server.put(pod)
	m.listeners = []scopedListener{{selects: 4, scope: 4}, {selects: 0, scope: 2}}
	m.reloadable = reloadableFrom(t, m.config())
	life := func() {
		t.Helper()
		m.write(t, m.config())
		m.started = startTo(t, m.reloadable.config(t), m.server.kubernetes, m.heard)
		m.expect()
		m.stop(t)
	}
	life()
	pod.team = "b"
	m.server.put(pod)
	m.server.put(scopedPod{namespace: "ns2", name: "s", team: "a", tier: "x", phase: "Running"})
	m.heard.forget("l0", func(string) belief { return forgottenPod })
	m.listeners[0].scope = 2
	life() // until l0 has s
	m.listeners[0].selects = 0
	life()
}
