package changes

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

const small = `
outputs: {out: {stdout: {}}}
informers:
  indexed: {resource: deployments.apps, indexes: {app: metadata.name}}
  dropping: {resource: pods, drop: [status.conditions]}
listeners:
  a: {informer: indexed, outputs: [out]}
  b: {informer: dropping, resync: 10m, outputs: [out]}
  c: {informer: {resource: nodes}, select: label("a") == "b", outputs: [out]}
  d:
    informer: {resource: services}
    outputs: [out]
    rules:
      - name: r
        severity: low
        deny: |
          label("a") == nil ||
          label("b") == nil
`

// Each change is said in the words of what was there before and what is now.
func TestSmallChanges(t *testing.T) {
	for _, c := range []struct{ was, is, want string }{
		{"status.conditions]", "status.phase]", `listener b: changed informer
  what waits in it stays
  the objects are the same, and no events come of that
  - informer           pods, all namespaces, every object, drops status.conditions
  + informer           pods, all namespaces, every object, drops status.phase
informer dropping: changed drop
  the objects are the same, with the fields that it keeps now; no event comes of that
what is watched
  - pods, all namespaces, every object, drops status.conditions
  + pods, all namespaces, every object, drops status.phase
`},
		{"{app: metadata.name}", "{app: metadata.uid}", `listener a: changed informer
  what waits in it stays
  the objects are the same, and no events come of that
informer indexed: changed indexes.app
  lookups find the same objects by its indexes of now; no event comes of that
`},
		{"resync: 10m, ", "", `listener b: changed resync
  what waits in it stays
  - resync             10m
  - before the buffer  add, update, delete, resync
  + before the buffer  add, update, delete
`},
		{`label("a") == "b"`, `label("a") == "c"`, `listener c: changed select
  what waits in it stays
  an object that is selected now comes as an add, one that is not selected any more as a delete, at once
  until informerd restarts, it remembers of each object whether it is selected, about 100 bytes each, and decides all behind its buffer
  - before the buffer  add, update, delete; label("a") == "b"; for updates: object or old
  + before the buffer  every event gets in, until informerd restarts
  - behind the buffer  select: label("a") == "b"
  - behind the buffer  (the conditions before the buffer decide all of it: nothing more is dropped here)
  + behind the buffer  select: label("a") == "c"
`},
		{`label("b") == nil`, `label("c") == nil`, `listener d: changed rules
  what waits in it stays
  each object is judged again at once: a violation that begins is reported, one that ends is resolved, and one that is open stays as it was reported
  - before the buffer  add, update, delete; label("a") == nil || label("b") == nil; for updates: object or old
  + before the buffer  add, update, delete; label("a") == nil || label("c") == nil; for updates: object or old
  - behind the buffer  rule r, deny: label("b") == nil
  + behind the buffer  rule r, deny: label("c") == nil
`},
		{"severity: low", "severity: high", `listener d: changed rules
  what waits in it stays
  each object is judged again at once: a violation that begins is reported, one that ends is resolved, and one that is open stays as it was reported
  /violations, metrics and the page show what is open with the new severity at once
  - behind the buffer  rule r: low
  + behind the buffer  rule r: high
`},
		{"outputs: {out", "deadLetters: {bytes: 1Gi}\nshutdown: {drain: 90s}\noutputs: {out",
			`deadLetters: changed bytes
  - bytes              256Mi
  + bytes              1Gi
shutdown: changed drain
  - drain              25s
  + drain              1m30s
`},
	} {
		if _, text := comparison(t, small, strings.Replace(small, c.was, c.is, 1)); text != c.want {
			t.Errorf("%s, %s: got\n%swant\n%s", c.was, c.is, text, c.want)
		}
	}
}

// Another address gets what is repeated.
func TestAnotherAddressGetsRepeats(t *testing.T) {
	const config = `
outputs: {out: {webhook: {url: "https://a.example.com"}}}
listeners:
  a:
    informer: {resource: pods}
    rules: [{name: r, deny: label("b") == nil, repeat: 1h}, {name: s, deny: label("a") == nil}]
    outputs: [out]
`
	_, got := comparison(t, config, strings.Replace(config, "a.example", "b.example", 1))
	const want = "  violations that are open stay where they were reported; of them, the new one gets the ends, and with their next repeat those of rule r\n"
	if !strings.Contains(got, want) {
		t.Error(got)
	}
	once := strings.Replace(config, ", repeat: 1h", "", 1)
	_, got = comparison(t, once, strings.Replace(once, "a.example", "b.example", 1))
	if !strings.Contains(got, "of them, the new one gets the ends alone\n") {
		t.Error(got)
	}
}

// Until a restart, a listener with another select has nothing of its plan before the buffer but
// what becomes of updates.
func TestAnotherSelectUntilARestart(t *testing.T) {
	const config = `
outputs: {out: {stdout: {}}}
listeners:
  a:
    informer: {resource: deployments.apps}
    select: object.metadata.namespace != "x"
    filter: op == "add"
    rules:
      - {name: r, deny: object.spec.replicas < 2}
      - {name: s, deny: 'any(object.spec.template.spec.containers, .resources.limits.memory == nil)'}
    outputs: [out]
`
	_, text := comparison(t, config, strings.Replace(config, `!= "x"`, `not in ["x", "y"]`, 1))
	const want = `  - before the buffer  add, update, delete
  - before the buffer  object.metadata.namespace != "x" &&
  - before the buffer  (object.spec.replicas < 2 ||
  - before the buffer    any(object.spec.template.spec.containers, .resources.limits.memory == nil) || op == "add")
  - before the buffer  for updates: object or old
  + before the buffer  every event gets in, until informerd restarts
  - behind the buffer  select: object.metadata.namespace != "x"
  + behind the buffer  select: object.metadata.namespace not in ["x", "y"]
`
	if !strings.HasSuffix(text, want) {
		t.Error(text)
	}
}

// Lines about many listeners of which the same is said are one, in the text alone. What is watched
// of a resource is together.
func TestManyOfTheSame(t *testing.T) {
	of := func(severity string, more ...string) string {
		text := "outputs: {out: {stdout: {}, when: severity == \"high\"}}\nlisteners:\n"
		for i := range 5 {
			text += fmt.Sprintf("  team-%d: {informer: {resource: pods, namespaces: [team-%d]}, "+
				"rules: [{name: r, severity: %s, deny: label(\"a\") == nil}], outputs: [out]}\n", i, i,
				severity)
		}
		return text + `  last: {informer: {resource: nodes}, rules: [{name: r, severity: high, deny: label("a") == nil}], outputs: [out]}` +
			"\n" + strings.Join(more, "\n")
	}
	c, text := comparison(t, of("high"), of("low",
		"  x: {informer: {resource: configmaps}, outputs: [out]}"))
	for _, want := range []string{
		"  + never gets         6 listeners (team-0, team-1, team-2 …): anything\n",
		"what is watched\n  + configmaps, all namespaces, every object\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no\n%sin\n%s", want, text)
		}
	}
	asJSON, err := json.Marshal(c)
	if err != nil || !strings.Contains(string(asJSON), `"never gets team-4: anything"`) ||
		strings.Contains(string(asJSON), "   ") {
		t.Errorf("%v %s", err, asJSON)
	}
}

func TestGrouped(t *testing.T) {
	l := grouped([]string{"b, x", "a, every object", "c, same", "b, y"},
		[]string{"c, same", "b, z", "d, new", "c, same"}, resource)
	want := []string{"- a, every object", "- b, x", "- b, y", "+ b, z", "+ c, same", "+ d, new"}
	if !slices.Equal(l.both, want) {
		t.Errorf("got %q", l.both)
	}
}

func TestPlain(t *testing.T) {
	for line, want := range map[string]string{
		item("on", "add"):                     "on add",
		item("before the buffer", "  a b"):    "before the buffer a b",
		item("label a-very-long-name", "a b"): "label a-very-long-name a b",
		"short":                               "short",
		"pods, all namespaces, every object":  "pods, all namespaces, every object",
	} {
		if got := plain(line); got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

// Settings that need a restart are there with both values, and none that may be a secret.
func TestSettingsThatNeedARestart(t *testing.T) {
	const rest = "\noutputs: {out: {stdout: {}}}\nlisteners:\n  a: {informer: {resource: pods}, outputs: [out]}\n"
	was := `
state: {dir: s}
http: {address: ":8080", auth: kubernetes}
cluster: {name: a}
leaderElection: {name: x}
tracing: {url: "https://a.example.com/secret/v1/traces", headers: {X-Key: {fromEnv: hidden}}}` + rest
	is := strings.NewReplacer("dir: s", "dir: s, onDiskError: continue", "kubernetes}",
		"kubernetes, pprof: true}", "name: x", "name: x, leaseDuration: 30s", "name: a", "name: b",
		"hidden", "gone").Replace(was)
	_, text := comparison(t, was, is)
	const want = `
  - cluster            a
  + cluster            b
  + http.pprof         true
  - leaderElection.leaseDuration 15s
  + leaderElection.leaseDuration 30s
  - state.onDiskError  stop
  + state.onDiskError  continue
`
	if !strings.HasSuffix(text, want) || strings.Contains(text, "hidden") ||
		strings.Contains(text, "secret") {
		t.Errorf("got\n%s\nwant at the end%s", text, want)
	}
}
