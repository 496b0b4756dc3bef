package configs

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/explain"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// at runs a test at the time to which the dates of the objects in testdata refer.
func at(t *testing.T, test func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)))
		test(t)
	})
}

// Every policy has at least two objects that violate it and at least two that do not, and every
// rule is violated by one. The expected messages are in violations.
func TestPolicies(t *testing.T) {
	cfg, schemas := load(t), builtin(t)
	for name, l := range cfg.Listeners {
		t.Run(name, func(t *testing.T) {
			if clean := objectFiles(t, name, "clean"); len(clean) < 2 || len(violations[name]) < 2 {
				t.Errorf("%d objects violate it, %d do not: there must be two of each",
					len(violations[name]), len(clean))
			}
			at(t, func(t *testing.T) {
				p := compile(t, cfg, schemas, name)
				p.clean(t)
				p.violating(t)
			})
			for _, r := range l.Rules {
				if !slices.ContainsFunc(slices.Collect(maps.Values(violations[name])),
					func(vs []verdict) bool {
						return slices.ContainsFunc(vs, func(v verdict) bool {
							return v.rule == r.Name
						})
					}) {
					t.Errorf("nothing violates the rule %s", r.Name)
				}
			}
		})
	}
	for name := range violations {
		if cfg.Listeners[name] == nil {
			t.Errorf("there is no policy %s", name)
		}
	}
}

func (p *policy) clean(t *testing.T) {
	for _, file := range objectFiles(t, p.listener.Name, "clean") {
		for _, v := range p.judge(t, read(t, p.parser, file)) {
			t.Errorf("%s violates %s: %s", file, v.rule, v.message)
		}
	}
}

func (p *policy) violating(t *testing.T) {
	left := maps.Clone(violations[p.listener.Name])
	for _, file := range objectFiles(t, p.listener.Name, "violating") {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		want := left[name]
		delete(left, name)
		o := read(t, p.parser, file)
		got := p.judge(t, o)
		if !slices.Equal(got, want) {
			t.Errorf("%s\n got %s\nwant %s", file, show(got), show(want))
		}
		for _, v := range got {
			if !strings.Contains(v.message, o.Key().String()) {
				t.Errorf("%s: rule %s does not name the object: %s", file, v.rule, v.message)
			}
		}
	}
	for name := range left {
		t.Errorf("there is no object %s", name)
	}
}

func show(verdicts []verdict) string {
	lines := []string{fmt.Sprintf("%d violations", len(verdicts))}
	for _, v := range verdicts {
		lines = append(lines, fmt.Sprintf("{%q, %q},", v.rule, v.message))
	}
	return strings.Join(lines, "\n\t")
}

// If a field is missing or null, no expression fails and no message is lost: a lost one would be
// reported as the rule's name. Only fields that every object and every container must have are
// always there.
func TestPoliciesBearMissingFields(t *testing.T) {
	cfg, schemas := load(t), builtin(t)
	for name := range cfg.Listeners {
		t.Run(name, func(t *testing.T) {
			at(t, func(t *testing.T) {
				p := compile(t, cfg, schemas, name)
				for _, file := range append(objectFiles(t, name, "clean"),
					objectFiles(t, name, "violating")...) {
					text, err := config.ReadObject(file)
					if err != nil {
						t.Fatal(err)
					}
					for path, o := range without(t, text) {
						for _, v := range p.judge(t, parsed(t, p.parser, o)) {
							if v.message == v.rule {
								t.Errorf("%s without %s: rule %s has no message", file, path,
									v.rule)
							}
						}
					}
				}
			})
		})
	}
}

func parsed(t *testing.T, p *object.Parser, object any) *object.Object {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.Parse(text)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return o
}

// without returns the object once without each of its fields, and once with null instead of each.
func without(t *testing.T, text []byte) func(yield func(string, any) bool) {
	t.Helper()
	var object any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, any) bool) {
		strip(object, "", func(path string) bool { return yield(path, object) })
	}
}

// strip removes one member at a time, at any depth, calls look, and puts the member back.
func strip(value any, path string, look func(path string) bool) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below, member := path+"."+name, v[name]
			if !strip(member, below, look) {
				return false
			}
			if name == "name" || below == ".kind" || below == ".apiVersion" ||
				below == ".metadata" || below == ".metadata.namespace" {
				continue
			}
			v[name] = nil
			ok := look(below + " = null")
			delete(v, name)
			ok = ok && look(below)
			v[name] = member
			if !ok {
				return false
			}
		}
	case []any:
		for i := range v {
			if !strip(v[i], fmt.Sprintf("%s[%d]", path, i), look) {
				return false
			}
		}
	}
	return true
}

// The contents of Secrets are not kept, not even as digests.
func TestRiskySecretsAreNotKept(t *testing.T) {
	p := compile(t, load(t), builtin(t), "risky-secret")
	for _, file := range append(objectFiles(t, "risky-secret", "violating"),
		objectFiles(t, "risky-secret", "clean")...) {
		if text := read(t, p.parser, file).JSON(); strings.Contains(text, `"data"`) ||
			strings.Contains(text, "hmac-sha256:") {
			t.Errorf("%s: %s", file, text)
		}
	}
}

// The output of informerd explain in README.md is the actual one.
func TestReadmeExplains(t *testing.T) {
	readme, err := os.ReadFile("policies/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "that begins with\n\n   ```\n")
	shown, _, _ = strings.Cut(shown, "   ```\n")
	shown = strings.ReplaceAll("\n"+shown, "\n   ", "\n")[1:]
	cfg := load(t)
	const file = "policies/testdata/host-network/violating/network.yaml"
	text, err := config.ReadObject(file)
	if err != nil {
		t.Fatal(err)
	}
	x, err := daemon.NewExplainer(t.Context(), cfg, builtin(t), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close(t.Context()) }()
	o, err := explain.Parse(x.Listener("host-network").Config.Informer(),
		config.Object{At: file, JSON: text})
	if err != nil {
		t.Fatal(err)
	}
	a, err := x.Explain(t.Context(), "host-network", explain.NewLookups(),
		event.Event{Op: event.Add, Object: o})
	if err != nil {
		t.Fatal(err)
	}
	var explained strings.Builder
	if err := a.Write(&explained); err != nil {
		t.Fatal(err)
	}
	if shown == "" || !strings.HasPrefix(explained.String(), shown) {
		t.Errorf("README.md shows\n%s\nbut it is\n%s", shown, &explained)
	}
}

// README.md lists every rule with its severity and its time.
func TestReadmeListsPolicies(t *testing.T) {
	readme, err := os.ReadFile("policies/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for name, l := range load(t).Listeners {
		for _, r := range l.Rules {
			after := "at once"
			if r.For.Duration > 0 {
				after = "after " + strings.TrimSuffix(r.For.Duration.String(), "0s")
			}
			rows++
			if row := fmt.Sprintf("\n| [%s](%[1]s.yaml) | %s | %s | %s | ", name, r.Name,
				r.Severity, after); !strings.Contains(string(readme), row) {
				t.Errorf("README.md has no row %q", row)
			}
		}
	}
	if n := strings.Count(string(readme), ".yaml) | "); n != rows {
		t.Errorf("README.md has %d rows, want %d", n, rows)
	}
}
