package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/docs"
	"github.com/informerd/informerd/internal/config"
)

// Each event, as a daemon writes it, and its line. Nothing of an object gets to a terminal as it
// is.
func TestShortLines(t *testing.T) {
	const before = `{"time":"2026-01-02T03:04:05.6Z","type":"dev.informerd.object.updated","subject":"pods/shop/web","op":`
	for _, c := range []struct{ name, event, want string }{
		{"add", before + `"add","data":{"object":{}}}`, "03:04:05 add      shop/web"},
		{"initial", before + `"add","initial":true,"data":{"object":{}}}`,
			"03:04:05 add      shop/web  (existed before)"},
		{"delete", before + `"delete","finalstateunknown":true,"data":{"object":{}}}`,
			"03:04:05 delete   shop/web  (the delete itself was not seen)"},
		{"cluster-scoped", `{"time":"2026-01-02T03:04:05Z","subject":"nodes/n%20%1b1","op":"add"}`,
			`03:04:05 add      n \x1b1`},
		{"an update", before + `"update","missed":2,"data":{
"old":{"metadata":{"resourceVersion":"1"},"status":{"startTime":"a","phase":"Pending"}},
"object":{"metadata":{"resourceVersion":"2"},"status":{"startTime":"b","phase":"Running","ip":"1.2"}}}}`,
			"03:04:05 update   shop/web  status.ip: + 1.2, status.phase: Pending → Running, status.startTime: a → b (2 more in between)"},
		{"nothing", before + `"update","data":{"old":{"metadata":{"resourceVersion":"1","generation":1}},"object":{"metadata":{"resourceVersion":"2","generation":2}}}}`,
			"03:04:05 update   shop/web  nothing but metadata.resourceVersion"},
		{"names and types", before + `"update","data":{
"old":{"c":[{"name":"a","n":1},{"name":"b","n":1}],"l":[1,2],"s":[{"type":"Ready","status":"False","reason":"x"}]},
"object":{"c":[{"name":"b","n":1},{"name":"a","n":2}],"l":[1],"s":[{"type":"Ready","status":"True","reason":"y"}]}}}`,
			"03:04:05 update   shop/web  c[a].n: 1 → 2, l[1]: - 2, s[Ready].reason: x → y, s[Ready].status: False → True"},
		{"added lists", before + `"update","data":{"old":{"s":{}},
"object":{"s":{"conditions":[{"type":"Ready","status":"True"},{"type":"Done","status":"False"}],"list":[{"a":"b"}]}}}}`,
			`03:04:05 update   shop/web  s.conditions: + [{"status":"True","type":"Ready"},{"status":"False","type":"…, s.list: + [{"a":"b"}]`},
		{"the same text", before + `"update","data":{"old":{"a":5},"object":{"a":"5"}}}`,
			"03:04:05 update   shop/web  a: 5 → 5"},
		{"odd names", before + `"update","data":{"old":{"m":{}},"object":{"m":{"a.b/c":"x y","\u001b[1m":""}}}}`,
			`03:04:05 update   shop/web  m["\x1b[1m"]: + "", m["a.b/c"]: + "x y"`},
		{"many", before + `"update","data":{"old":{},"object":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}}}`,
			"03:04:05 update   shop/web  a: + 1, b: + 2, c: + 3, d: + 4, and 2 more"},
		{"long", before + `"update","data":{"old":{},"object":{"a":"` + strings.Repeat("ä", 99) +
			`"}}}`, "03:04:05 update   shop/web  a: + " + strings.Repeat("ä", 60) + "…"},
		{"violated", `{"time":"2026-01-02T03:04:05Z","type":"dev.informerd.rule.violated","subject":"pods/shop/web","rule":"slow","severity":"high","data":{"message":"too\nslow\u001b[2J"}}`,
			`03:04:05 violated shop/web  slow (high): too\nslow\x1b[2J`},
		{"resolved", `{"time":"2026-01-02T03:04:05Z","type":"dev.informerd.rule.resolved","subject":"pods/shop/web","rule":"slow","severity":"high","data":{"message":"too slow"}}`,
			"03:04:05 resolved shop/web  slow (high)"},
		{"no event", `what`, "what"},
	} {
		var out bytes.Buffer
		lines := &eventLines{To: &out, Zone: time.UTC}
		text := strings.ReplaceAll(c.event, "\n", " ") + "\n"
		for _, part := range []string{text[:len(text)/2], text[len(text)/2:]} {
			if n, err := lines.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("%s: Write is %d, %v", c.name, n, err)
			}
		}
		if got := strings.TrimSuffix(out.String(), "\n"); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestLinesOfOtherKinds(t *testing.T) {
	const event = `{"time":"2026-01-02T03:04:05Z","subject":"pods/shop/web","op":"delete","data":{"object":{"a":[1]}}}` + "\n"
	for _, c := range []struct {
		lines eventLines
		want  string
	}{
		{eventLines{Color: true}, "03:04:05 \x1b[31mdelete  \x1b[0m shop/web\n"},
		{eventLines{Resources: true}, "03:04:05 delete   pods/shop/web\n"},
		{eventLines{YAML: true}, "---\ntime: \"2026-01-02T03:04:05Z\"\nsubject: pods/shop/web\nop: delete\ndata:\n  object:\n    a:\n      - 1\n"},
	} {
		var out bytes.Buffer
		lines := c.lines
		lines.To, lines.Zone = &out, time.UTC
		if _, err := lines.Write([]byte(event)); err != nil || out.String() != c.want {
			t.Errorf("%v\n got %q\nwant %q", err, out.String(), c.want)
		}
	}
}

var errFull = errors.New("full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteReturnsTheErrorOfWhatItWritesTo(t *testing.T) {
	lines := eventLines{To: full{}}
	if _, err := lines.Write([]byte("{}\n")); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

// What a query becomes is a configuration without mistakes that means the same.
func TestTheTextOfAQueryIsAConfiguration(t *testing.T) {
	q := watchQuery{Resources: []string{"pods", "Deployment.apps", "deployments.extensions", "secrets"},
		Namespaces: []string{"shop", "on"}, Labels: "app in (a, b), c!=d",
		Select: `object.metadata.name != "it's #1"`, Filter: "op == \"add\" ||\n  initial",
		Context: "a: b"}
	text, err := q.config()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("informerd.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(cfg.Listeners) != 4 || cfg.Cluster.Context != q.Context ||
		!strings.HasPrefix(string(text), docs.SchemaComment) {
		t.Errorf("the text is\n%s", text)
	}
	for name, l := range cfg.Listeners {
		inf := l.Informer()
		if l.Select.Text != q.Select || l.Filter.Text != q.Filter ||
			!slices.Equal(inf.Namespaces, q.Namespaces) || inf.LabelSelector == "" ||
			inf.AllowSecrets != (inf.Resource == "secrets") {
			t.Errorf("listener %s is not what was asked for:\n%s", name, text)
		}
	}
	if _, err := (&watchQuery{}).config(); err == nil {
		t.Error("a query without a resource is a configuration")
	}
}

// An object that is named is selected by its name.
func TestOneObject(t *testing.T) {
	q := watchQuery{Resources: []string{"deployments.apps/web", "pods"}}
	text, err := q.config()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Parse("informerd.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for name, want := range map[string]string{"pods": "",
		"deployments": "metadata.name=web"} {
		if got := cfg.Listeners[name].Informer().FieldSelector; got != want {
			t.Errorf("the field selector of %s is %q, want %q", name, got, want)
		}
	}
}

func TestWhatIsNoObject(t *testing.T) {
	for _, name := range []string{"pods/", "/web", "/", "pods/a/b", "pods/a=b", "pods/a b"} {
		_, err := (&watchQuery{Resources: []string{name}}).config()
		if want := fmt.Sprintf("%q is no object: write it as pods/web", name); err == nil ||
			err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

const policy = `apiVersion: informerd.dev/v1alpha1
kind: Policy
informer: {resource: services, namespaces: [a]}
informers: {slices: {resource: endpointslices.discovery.k8s.io, indexes: {s: metadata.name}}}
select: object.spec.x == 1
rules: [{name: bad, deny: 'len(byIndex("slices", "s", "x")) == 0', for: 3s, severity: low}]
`

func TestRulesOfAPolicy(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "policy.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	p, err := readPolicy(write(policy))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		query      watchQuery
		resource   string
		namespaces []string
		selects    string
	}{
		{watchQuery{policy: p}, "services", []string{"a"}, "object.spec.x == 1"},
		{watchQuery{policy: p, Namespaces: []string{"b"}, Select: "true"}, "services", []string{"b"},
			"true"},
		{watchQuery{policy: p, Resources: []string{"pods"}}, "pods", nil, "object.spec.x == 1"},
	} {
		text, err := c.query.config()
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Parse("informerd.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		l := cfg.Listeners[c.resource]
		if l == nil || !slices.Equal(l.Informer().Namespaces, c.namespaces) ||
			l.Select.Text != c.selects || len(l.Rules) != 1 || l.Rules[0].Severity != "low" ||
			l.Rules[0].For.Duration != 3*time.Second || cfg.Informers["slices"] == nil {
			t.Errorf("got\n%s", text)
		}
	}

	const whole = "apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners: {a: {informer: {resource: pods}, outputs: [o]}}\noutputs: {o: {stdout: {}}}\n"
	for text, want := range map[string]string{
		whole: "must be a policy", "kind: Policy": "apiVersion", "x": "",
	} {
		var mistakes config.Errors
		if _, err := readPolicy(write(text)); !errors.As(err, &mistakes) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("the error of %q is %v", text, err)
		}
	}
	p, err = readPolicy(write(strings.Replace(policy, "{resource: services, namespaces: [a]}",
		"slices", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := (&watchQuery{policy: p}).config(); err != nil ||
		!strings.Contains(string(text), "  endpointslices:\n") {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestMistakesAreThoseOfFlags(t *testing.T) {
	for field, want := range map[string]string{
		"listeners.pods.filter":                 "--filter: wrong",
		"listeners.pods.informer.namespaces[0]": "--namespace: wrong",
		"listeners.pods.rules[0].deny":          "--rules: wrong",
		"cluster.kubeconfig":                    "--kubeconfig: wrong",
		"listeners":                             `listener "pods": wrong`,
	} {
		got := ofWatchFlags(config.Errors{{File: "<stdin>", Line: 3, Column: 4, Field: field,
			Message: `listener "pods": wrong`}})[0]
		if got.Error() != want {
			t.Errorf("%s: got %s, want %s", field, got.Error(), want)
		}
	}
}
