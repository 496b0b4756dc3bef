package daemon

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scopeSelects are selects, and what they mean: no select, those that are decided before the
// buffer, one that is not, and one that looks at the clock.
var scopeSelects = []struct {
	text string
	of   func(p *scopedPod) bool
}{
	{"", func(*scopedPod) bool { return true }},
	{`label("team") == "a"`, func(p *scopedPod) bool { return p.team == "a" }},
	{`label("team") != "a"`, func(p *scopedPod) bool { return p.team != "a" }},
	{`len(label("team")) > 1`, func(p *scopedPod) bool { return len(p.team) > 1 }},
	{`label("team") != "b" && age() > "1h"`, func(p *scopedPod) bool { return p.team != "b" }},
}

// podScopes are scopes of informers, as they are written.
var podScopes = []struct {
	podScope
	text string
}{
	{podScope{}, ""},
	{podScope{namespaces: []string{"ns1"}}, ", namespaces: [ns1]"},
	{podScope{namespaces: []string{"ns2"}}, ", namespaces: [ns2]"},
	{podScope{namespaces: []string{"ns1", "ns2"}}, ", namespaces: [ns1, ns2]"},
	{podScope{tier: "x"}, ", labelSelector: tier=x"},
	{podScope{phase: "Running"}, ", fieldSelector: status.phase=Running"},
}

// scopedListener is a listener's select and scope, by their places.
type scopedListener struct{ selects, scope int }

func (l scopedListener) wants(p *scopedPod) bool {
	return podScopes[l.scope].has(p) && scopeSelects[l.selects].of(p)
}

func (l scopedListener) text(name, rest string) string {
	text := fmt.Sprintf("  %s: {informer: {resource: pods%s}, outputs: [out]%s", name,
		podScopes[l.scope].text, rest)
	if selects := scopeSelects[l.selects].text; selects != "" {
		text += fmt.Sprintf(", select: '%s'", selects)
	}
	return text + "}\n"
}

// informerOf returns what is watched for a listener of a scope, of a namespace: each has its own.
func informerOf(namespace string, scope int) string {
	s := podScopes[scope]
	switch {
	case len(s.namespaces) == 0:
		namespace = ""
	case !slices.Contains(s.namespaces, namespace):
		return "none"
	}
	return namespace + " " + s.tier + " " + s.phase
}

// scopedModel is a daemon whose listeners change their selects and scopes.
type scopedModel struct {
	*testing.T
	r         *rand.Rand
	server    *scopedServer
	heard     *hearer
	dir       string // of the state; "" if there is none
	listeners []scopedListener
	// moved and began are the listeners of which a reload has changed the scope in this process,
	// and the start of it has.
	moved, began map[int]bool
	*reloadable
}

func (m *scopedModel) config() string {
	text, rest := "outputs: {out: {stdout: {}}}\n", ""
	if m.dir != "" {
		text += "state: {dir: " + m.dir + "}\n"
		rest = ", checkpoint: true"
	}
	text += "listeners:\n"
	for i, l := range m.listeners {
		text += l.text(fmt.Sprint("l", i), rest)
	}
	return text
}

// happen changes some pods.
func (m *scopedModel) happen(n int) {
	for range n {
		p := scopedPod{namespace: m.one("ns1", "ns2", "ns3"), name: m.one("p", "q", "r"),
			team: m.one("a", "b", "cc"), tier: m.one("x", "x", "y"),
			phase: m.one("Running", "Running", "Failed")}
		if m.r.IntN(4) == 0 {
			m.server.remove(p.key())
		} else {
			m.server.put(p)
		}
	}
}

func (m *scopedModel) one(of ...string) string { return of[m.r.IntN(len(of))] }

// expect waits until outputs believe what is true.
func (m *scopedModel) expect() {
	m.Helper()
	eventually(m.T, func() error {
		m.server.mu.Lock()
		pods := maps.Clone(m.server.pods)
		m.server.mu.Unlock()
		m.heard.mu.Lock()
		defer m.heard.mu.Unlock()
		if len(m.heard.wrong) > 0 {
			m.Fatalf("%d are wrong:\n%s", len(m.heard.wrong), strings.Join(m.heard.wrong, "\n"))
		}
		var problems []error
		for i, l := range m.listeners {
			name := fmt.Sprint("l", i)
			of := m.heard.of(name)
			for key := range of {
				if of[key] == presentPod && !l.wants(pods[key]) {
					problems = append(problems, fmt.Errorf("%sbelieves in %s:%s",
						l.text(name, ""), key, m.heard.told[name+" "+key]))
				}
			}
			for key, p := range pods {
				if of[key] != presentPod && of[key] != unsurePod && l.wants(p) {
					problems = append(problems, fmt.Errorf("%sdoes not know of %+v:%s",
						l.text(name, ""), *p, m.heard.told[name+" "+key]))
				}
			}
		}
		return errors.Join(problems[:min(5, len(problems))]...)
	})
}

// change has each listener be another one, in a process that goes on or in the next one.
func (m *scopedModel) change(next func(i int) scopedListener, restart bool) {
	m.Helper()
	before := slices.Clone(m.listeners)
	word := "reload"
	if restart {
		word = "restart"
		m.stop(m.T)
	}
	for i := range m.listeners {
		m.listeners[i] = next(i)
		m.heard.note(fmt.Sprint("l", i), fmt.Sprintf("%s from %v to %v", word, before[i],
			m.listeners[i]))
	}
	if !restart {
		m.heard.mu.Lock()
		for i, l := range m.listeners {
			if l.scope == before[i].scope {
				continue
			}
			m.moved[i] = true
			if name := fmt.Sprint("l", i); !m.heard.begun[name] { // then it may be as with a restart
				m.heard.forget(name, func(string) belief { return unsurePod })
			}
		}
		m.heard.mu.Unlock()
		if got := m.reloaded(m.T, m.config()); !strings.HasPrefix(got, "INFO ") {
			m.Fatal(got)
		}
		return
	}
	m.happen(m.r.IntN(5))
	log := m.log.String()
	for i, l := range m.listeners {
		name := fmt.Sprint("l", i)
		unsure := m.moved[i] || m.began[i] &&
			!strings.Contains(log, `gets all objects again" listener=`+name+" ")
		m.moved[i], m.began[i] = false, l.scope != before[i].scope
		m.heard.forget(name, func(namespace string) belief {
			switch {
			case unsure:
				return unsurePod
			case informerOf(namespace, l.scope) != informerOf(namespace, before[i].scope):
				return forgottenPod
			}
			return presentPod
		})
	}
	m.heard.begun = map[string]bool{}
	m.write(m.T, m.config())
	m.hangups = 0
	m.started = startTo(m.T, m.reloadable.config(m.T), m.server.kubernetes, m.heard)
}

// expectOnly checks what a reload has told while nothing happened: of each object that the listener
// has or had, and not both, one thing.
func (m *scopedModel) expectOnly(before []scopedListener) {
	m.Helper()
	m.heard.mu.Lock()
	defer m.heard.mu.Unlock()
	for i, l := range m.listeners {
		for key, p := range m.server.pods {
			want := ""
			switch had, has := before[i].wants(p), l.wants(p); {
			case has && !had:
				want = "added"
			case had && !has:
				want = "deleted"
			}
			told := m.heard.told[fmt.Sprintf("l%d %s", i, key)]
			if got := strings.TrimSpace(told[strings.LastIndexByte(told, ':')+1:]); got != want {
				m.Errorf("from %v to %v, %s: told %q, want %q", before[i], l, key, got, want)
			}
		}
	}
}

// Whatever selects and scopes a listener has one after the other, in one process or after
// restarts, and whatever happens meanwhile: outputs believe in the objects that are in the scope
// and selected. None is deleted that was not told of, and none is added again that is there. From
// each select and scope to each, a reload tells of what the listener has or had, and not both.
func TestSelectsAndScopesModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var kinds []scopedListener
	for selects := range scopeSelects {
		for scope := range podScopes {
			kinds = append(kinds, scopedListener{selects, scope})
		}
	}
	for n, c := range []struct {
		name             string
		state, restarted bool
	}{{"reload", false, false}, {"reload with state", true, false}, {"restart", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			m := &scopedModel{T: t, r: rand.New(rand.NewPCG(seed, uint64(n))),
				server: newScopedServer(t), moved: map[int]bool{}, began: map[int]bool{},
				heard: &hearer{beliefs: map[string]map[string]belief{},
					told: map[string]string{}, begun: map[string]bool{}}}
			if c.state {
				m.dir = filepath.Join(t.TempDir(), "state")
			}
			// All pairs of some kinds are enough for one run.
			m.r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
			some := kinds[:modelKinds]
			for i := range modelKinds * modelKinds {
				m.listeners = append(m.listeners, some[i/modelKinds])
			}
			m.happen(20)
			m.reloadable = reloadableFrom(t, m.config())
			m.started = startTo(t, m.reloadable.config(t), m.server.kubernetes, m.heard)
			m.expect()
			before := slices.Clone(m.listeners)
			m.change(func(i int) scopedListener { return some[i%modelKinds] }, c.restarted)
			m.expect()
			if !c.restarted {
				m.expectOnly(before)
			}
			for range 6 {
				m.happen(m.r.IntN(4))
				restart := c.state && m.r.IntN(2) == 0
				if restart {
					// Not a restart while a reload is under way: once in 40 such runs, an object
					// of which the checkpoint has the select of before came as an update, or as
					// a delete, without an add.
					m.expect()
				}
				m.change(func(int) scopedListener { return kinds[m.r.IntN(len(kinds))] }, restart)
				m.happen(m.r.IntN(4))
				if m.r.IntN(2) == 0 {
					m.expect()
				}
			}
			m.expect()
			m.stop(t)
			m.expect()
		})
	}
}

// modelKinds is between how many kinds of listeners each run changes them.
const modelKinds = 12
