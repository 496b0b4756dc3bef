package changes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

func planOf(t *testing.T, text string) *plan.Plan {
	t.Helper()
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "c.yaml"),
		[]byte("apiVersion: informerd.dev/v1alpha1\nkind: Config\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	p, mistakes := plan.Compile(cfg, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	return p
}

func comparison(t *testing.T, before, after string) (c Comparison, text string) {
	t.Helper()
	c, err := Compare(planOf(t, before), planOf(t, after))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := c.Write(&out); err != nil {
		t.Fatal(err)
	}
	return c, out.String()
}

const before = `
state: {dir: state}
deadLetters: {age: 1h}
informers: {nodes: {resource: nodes}}
outputs: {out: {stdout: {}}, gone: {file: {path: a.jsonl}}, hook: {webhook: {url: https://a.example.com/secret}}}
listeners:
  same: {informer: nodes, outputs: [out]}
  filtered: {informer: {resource: pods}, filter: label("a") == "b", outputs: [gone]}
  scoped: {informer: {resource: services}, rules: [{name: r, deny: label("a") == nil}], outputs: [hook]}
  other: {informer: {resource: secrets, allowSecrets: true}, outputs: [out]}
  removed: {informer: nodes, outputs: [out]}
`

const after = `
state: {dir: state}
deadLetters: {age: 2h}
informers: {nodes: {resource: nodes}}
outputs: {out: {stdout: {}}, hook: {webhook: {url: https://b.example.com/secret}}, fix: {patch: {patch: '{"a": 1}'}}}
listeners:
  same: {informer: nodes, outputs: [out]}
  filtered: {informer: {resource: pods}, filter: label("a") == "c", outputs: [fix]}
  scoped: {informer: {resource: services, namespaces: [shop]}, rules: [{name: r, deny: label("a") == nil}, {name: s, deny: label("b") == nil}], outputs: [hook]}
  other: {informer: {resource: configmaps}, outputs: [out]}
  begun: {informer: nodes, outputs: [out]}
`

const wantText = `listener filtered: changed filter, outputs
  what waits in it stays
  the new filter decides from the next event of an object on
  not an output of it any more, so that what waits for it becomes dead letters: gone
  - before the buffer  add, update, delete; label("a") == "b"
  + before the buffer  add, update, delete; label("a") == "c"
  - behind the buffer  filter: label("a") == "b"
  + behind the buffer  filter: label("a") == "c"
  - sends to           gone: events
  + sends to           fix: events
listener scoped: changed informer, rules
  what waits in it stays
  an object that enters its scope is judged, and the violations of one that leaves it end
  each object is judged again at once: a violation that begins is reported, one that ends is resolved, and one that is open stays as it was reported
  new: rule s
  - informer           services, all namespaces, every object
  + informer           services, namespace shop, every object
  - before the buffer  add, update, delete; label("a") == nil; for updates: object or old
  + before the buffer  add, update, delete; label("a") == nil || label("b") == nil; for updates: object or old
  + behind the buffer  rule s: medium
  + behind the buffer  rule s, deny: label("b") == nil
listener other: restarted informer
  the old one finishes what it has; what outputs do not take within shutdown.drain becomes dead letters; then of the new resource: each object that is there comes as an add, with initial
  - informer           secrets, all namespaces, every object
  + informer           configmaps, all namespaces, every object
listener begun: added
  it is as listener removed was, which is removed: to a reload it is another one
  each object that is there comes as an add, with initial
listener removed: removed
  it finishes what it has; what outputs do not take within shutdown.drain becomes dead letters
output fix: added
  + to                 patches of type apply
  + gets messages of   filtered
  + patch              {"a": 1}
output gone: removed
  what waits for it becomes dead letters
output hook: changed webhook.url
  what waits for it is sent to the new one
  violations that are open stay where they were reported; of them, the new one gets the ends alone
  - to                 a webhook, mode structured, to https://a.example.com/…
  + to                 a webhook, mode structured, to https://b.example.com/…
deadLetters: changed age
  - age                1h
  + age                2h
output out: affected by what has changed elsewhere
  - gets messages of   other, removed, same
  + gets messages of   begun, other, same
what is watched
  + configmaps, all namespaces, every object
  - secrets, all namespaces, every object
  - services, all namespaces, every object
  + services, namespace shop, every object
other requests to the API server
  + events.events.k8s.io: create, patch, for output "fix" of listener filtered
  + pods: get, patch, for output "fix" of listener filtered
`

// A comparison says what differs, and what becomes of what there is.
func TestCompare(t *testing.T) {
	c, got := comparison(t, before, after)
	if got != wantText {
		t.Errorf("got\n%s\nwant\n%s", got, wantText)
	}
	line, err := json.Marshal(c)
	if err != nil || strings.Contains(string(line), "secret/") ||
		strings.Contains(got, "com/secret") {
		t.Error(err, string(line))
	}
	if _, got := comparison(t, after, after); got != "a reload would change nothing\n" {
		t.Error(got)
	}
}

// What a reload refuses is said first, and nothing of it is a change.
func TestRestart(t *testing.T) {
	c, got := comparison(t, before, "cluster: {name: a}\n"+strings.Replace(before, "dir: state",
		"dir: other", 1))
	const want = "a reload would refuse it, since this needs a restart: cluster.name, state.dir\n" +
		"  the new folder for state has no checkpoint, no dead letters and no values of handlers, unless the old one is moved there\n" +
		"  reports have the new name of the cluster, "
	if !strings.HasPrefix(got, want) || !strings.Contains(got,
		"  each object that is there is judged: what violates a rule is reported again: scoped\n"+
			"  - cluster            default\n  + cluster            a\n  - state              ") || len(c.Changes) > 0 {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	checkpoint := strings.Replace(before, "same: {", "same: {checkpoint: true, ", 1)
	if c, _ := comparison(t, before, checkpoint); !slices.Equal(c.Restart,
		[]string{"listeners.same.checkpoint"}) {
		t.Error(c.Restart)
	}
}

// What a change does to parts that are not changed themselves is shown, and what it does to
// violations and objects that are there.
func TestWhatAChangeDoes(t *testing.T) {
	const config = `
outputs: {pager: {when: 'severity == "high"', alertmanager: {url: "http://am.monitoring.svc:9093"}}, out: {stdout: {}}}
listeners:
  a:
    informer: {resource: pods, drop: [status]}
    rules: [{name: host, severity: low, deny: object.spec.hostNetwork}, {name: pid, severity: high, deny: object.spec.hostPID}]
    outputs: [pager, out]
  b: {informer: {resource: services}, on: [delete], outputs: [out]}
`
	for _, c := range []struct{ old, new, want string }{
		{"severity: low", "severity: high", "\noutput pager: affected by what has changed elsewhere\n  open violations of rule host of a: nothing of them comes\n  - never gets         a: rule host (low)\n"},
		{"severity: low", "severity: high", "\n  - sends to           pager: what it reports of rule pid\n"},
		{", drop: [status]", "", "\n  the objects are the same, and no events come of that\n"},
		{"resource: services", "resource: services, namespaces: [x]", "\n  an object that leaves its scope comes as a delete\n"},
		{"  a:\n", "  c:\n", "\nlistener a: removed\n  it finishes what it has; what outputs do not take within shutdown.drain becomes dead letters; the outputs get no end of violations that are open then\n"},
		{"  a:\n", "  c:\n", "listener c: added\n  it is as listener a was, which is removed: to a reload it is another one\n  each object that is there is judged: what violates a rule is reported\n"},
		{"  a:\n    informer: {resource: pods, drop: [status]}", "  c:\n    informer: {resource: pods}", "listener c: added\n  it is as listener a was, which is removed, but for what differs below: to a reload it is another one\n  each object that is there is judged: what violates a rule is reported\n  - informer           pods, all namespaces, every object, drops status\n"},
		{"  a:\n", "  c:\n    filter: op == 'delete' || changed('metadata.labels')\n", "\n  each object that is there is judged: what violates a rule is reported; events begin with what happens then\n"},
		{"  a:\n", "  c:\n    filter: label('x') == 'y'\n", "\n  each object that is there is judged: what violates a rule is reported, and it comes as an add, with initial\n"},
		{"on: [delete]", "on: [delete], select: label(\"a\") != nil", "\n  an object that is not selected any more comes as a delete, at once\n"},
		{"  b: {", "  d: {informer: {resource: configmaps}, filter: changed(\"data\"), outputs: [out]}\n  b: {", "nothing of the objects that are there; events begin with what happens then\n"},
		{"  b: {", "  d: {informer: {resource: configmaps}, filter: \"!initial && (op != 'update' || changed('data'))\", outputs: [out]}\n  b: {", "nothing of the objects that are there; events begin with what happens then\n"},
		{"'severity == \"high\"'", "violated", "\n  of open violations it gets nothing that it did not want so far, and no end of those that it does not want any more\n"},
		{"a:\n    informer: {resource: pods, drop: [status]}", "a:\n    informer: {resource: configmaps}", "\n  the old one finishes what it has; what outputs do not take within shutdown.drain becomes dead letters; the outputs get no end of violations that are open then; then of the new resource: each object that is there is judged: what violates a rule is reported\n"},
		{"outputs: [pager, out]", "outputs: [out]", "becomes dead letters, and violations that it has get no end there: pager\n"},
	} {
		if !strings.Contains(config, c.old) {
			t.Fatal(c.old)
		}
		_, got := comparison(t, config, strings.Replace(config, c.old, c.new, 1))
		if !strings.Contains("\n"+got, c.want) {
			t.Errorf("%s: there is no\n%s\nin\n%s", c.new, c.want, got)
		}
	}
}

// Rules that repeat what they report bring it to an output whose when takes it now.
func TestAnotherWhenAndRepeats(t *testing.T) {
	const config = `
outputs: {out: {stdout: {}, when: severity == "high"}}
listeners:
  a: {informer: {resource: pods}, rules: [{name: r, repeat: 1h, deny: label("a") == nil}, {name: s, deny: label("b") == nil}], outputs: [out]}
`
	_, got := comparison(t, config, strings.Replace(config, `severity == "high"`, "violated", 1))
	const want = "  of open violations it gets nothing that it did not want so far, but with their next repeat those of rule r, and no end of those that it does not want any more\n"
	if !strings.Contains(got, want) {
		t.Error(got)
	}
}

// A listener goes on after a restart if both configurations keep where it was, or replicas do.
func TestGoesOn(t *testing.T) {
	const one = "state: {dir: s}\noutputs: {out: {stdout: {}}}\nlisteners:\n  a: {informer: {resource: pods}, outputs: [out]MORE}\n"
	of := func(text string) *config.Config { return planOf(t, text).Config }
	kept := strings.Replace(one, "MORE", ", checkpoint: true", 1)
	not := strings.Replace(one, "MORE", "", 1)
	elected := "leaderElection: {namespace: ops}\n" + not
	for _, c := range []struct {
		before, after string
		goesOn        bool
		refused       int
	}{
		{kept, kept, true, 0}, {kept, not, false, 1}, {not, kept, false, 1}, {not, not, false, 0},
		{kept, "cluster: {name: b}\n" + kept, true, 1}, {elected, elected, true, 0},
		{elected, "cluster: {name: b}\n" + elected, true, 1}, {not, elected, false, 1},
		{elected, not, false, 1},
	} {
		fixed, after := Fixed(of(c.before)), of(c.after)
		if goes := GoesOn(fixed, after, after.Listeners["a"]); goes != c.goesOn {
			t.Errorf("%s\nto %s: goes on: %t", c.before, c.after, goes)
		}
		if refused := Refused(fixed, after); len(refused) != c.refused {
			t.Errorf("%s\nto %s: %v", c.before, c.after, refused)
		}
	}
}

// What a restart goes on with is said of each listener.
func TestAfterARestart(t *testing.T) {
	const config = `
state: {dir: state}
cluster: {name: a}
outputs: {out: {stdout: {}}}
leaderElection: {namespace: ops}
listeners:
  a: {informer: {resource: pods}, outputs: [out]}
  b: {informer: {resource: pods}, checkpoint: true, outputs: [out]}
`
	single := strings.Replace(config, "leaderElection: {namespace: ops}\n", "", 1)
	goes, adds := "  goes on where it was: ", "  each object that is there comes as an add, with initial: "
	lists := "  its informer is another one and begins with a list, so that deletes of the time between are missed; each object that is there comes as an add, with initial: "
	for _, c := range []struct{ config, old, new, want string }{
		{single, "name: a", "name: b", adds + "a\n" + goes + "b\n"},
		{single, "a: {", "a: {checkpoint: true, ", adds + "a\n" + goes + "b\n"},
		{single, "checkpoint: true, outputs: [out]}\n", "checkpoint: true, outputs: [out]}\ntracing: {url: \"https://t.example.com\"}\n", adds + "a\n" + goes + "b\n"},
		{single, "cluster: {name: a}\n", "cluster: {name: b}\ninformers: {}\n", adds + "a\n" + goes + "b\n"},
		{single, "checkpoint: true, ", "", adds + "a, b\n"},
		{single, "dir: state", "dir: other", "is moved there\n" + adds + "a, b\n"},
		{config, "name: a", "name: b", goes + "a, b\n"},
		{config, "namespace: ops", "namespace: more", "  the new lease has no progress of listeners yet\n" + adds + "a, b\n"},
		{strings.Replace(single, "resource: pods}, checkpoint", "resource: pods, labelSelector: x}, checkpoint", 1), "dir: state}\ncluster: {name: a}", "dir: state}\ncluster: {name: b}", adds + "a\n" + goes + "b\n"},
		{single, "{name: a}\noutputs: {out: {stdout: {}}}\nlisteners:\n  a: {informer: {resource: pods}, outputs: [out]}\n  b: {informer: {resource: pods}", "{name: b}\noutputs: {out: {stdout: {}}}\nlisteners:\n  a: {informer: {resource: pods}, outputs: [out]}\n  b: {informer: {resource: pods, labelSelector: x}", lists + "b\n"},
	} {
		_, got := comparison(t, c.config, strings.Replace(c.config, c.old, c.new, 1))
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: there is no\n%s\nin\n%s", c.new, c.want, got)
		}
	}
	// What is selected otherwise is said of the listener that goes on.
	after := strings.NewReplacer("name: a", "name: b", "resource: pods}",
		"resource: pods}, select: initial").Replace(single)
	after = strings.Replace(after, "select: initial", `select: label("a") == "x"`, 2)
	_, got := comparison(t, single, after)
	const otherwise = "an object that is selected now comes as an add, one that is not selected any more as a delete, at the start\n"
	if strings.Count(got, otherwise) != 1 ||
		!strings.Contains(got, "listener b: changed select\n  "+otherwise) {
		t.Error(got)
	}
}

// Fields of a handler are named, and an output of another kind is one field.
func TestFieldsThatDiffer(t *testing.T) {
	const config = `
outputs: {out: {stdout: {}}}
listeners:
  a: {informer: {resource: pods}, handler: {wasm: a.wasm, config: {threshold: 3}}, outputs: [out]}
`
	for old, test := range map[string]struct{ new, want string }{
		"threshold: 3":  {"threshold: 9", "listener a: changed handler.config.threshold\n"},
		"wasm: a.wasm,": {"wasm: a.wasm, limits: {memory: 64Mi}, ", "listener a: changed handler.limits.memory\n"},
		"stdout: {}":    {"file: {path: a}", "output out: changed file, stdout\n"},
	} {
		_, got := comparison(t, config, strings.Replace(config, old, test.new, 1))
		if !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got\n%s", test.new, got)
		}
	}
}

// A module with another content is another handler, and one that cannot be read is said to be.
func TestModulesAreCompared(t *testing.T) {
	const config = `
outputs: {out: {stdout: {}}}
listeners:
  a: {informer: {resource: pods}, handler: {wasm: MODULE}, outputs: [out]}
`
	dir := t.TempDir()
	for name, content := range map[string]string{"a.wasm": "a", "b.wasm": "b"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	was := planOf(t, strings.Replace(config, "MODULE", filepath.Join(dir, "a.wasm"), 1))
	before, unread := withModules(nil, was, was)
	if len(before)+len(unread) > 0 {
		t.Error(before, unread)
	}
	_, got := comparison(t, strings.Replace(config, "MODULE", filepath.Join(dir, "a.wasm"), 1),
		strings.Replace(config, "MODULE", filepath.Join(dir, "b.wasm"), 1))
	if !strings.HasPrefix(got, "listener a: changed handler.wasm\n") {
		t.Error(got)
	}
	text := strings.Replace(config, "MODULE", "m.wasm", 1)
	a, b := planOf(t, text), planOf(t, text) // in folders of their own
	for p, content := range map[*plan.Plan]string{a: "a", b: "b"} {
		module := p.Config.Path("m.wasm")
		if err := os.WriteFile(module, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Compare(a, b)
	if err != nil || len(c.Changes) != 1 || c.Changes[0].Fields[0] != "handler.wasm" {
		t.Errorf("%v %+v", err, c.Changes)
	}
	_, got = comparison(t, text, text)
	if want := "a reload would change nothing\nmodules that cannot be read here are not compared: of listener a\n"; got != want {
		t.Errorf("got\n%s", got)
	}
}

// The summary has a line for each change, and how many there are.
func TestSummary(t *testing.T) {
	for _, c := range []struct{ after, want string }{
		{before, "a reload would change nothing\n"},
		{after, `listener filtered: changed filter, outputs
listener scoped: changed informer, rules
listener other: restarted informer
listener begun: added, like removed which is removed
listener removed: removed
output fix: added
output gone: removed
output hook: changed webhook.url
deadLetters: changed age
output out: affected by what has changed elsewhere
in all: 2 added, 1 affected, 4 changed, 2 removed, 1 restarted
`},
	} {
		compared, _ := comparison(t, before, c.after)
		var out strings.Builder
		if err := compared.WriteSummary(&out); err != nil || out.String() != c.want {
			t.Errorf("%v\n%s", err, &out)
		}
	}
}
