package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/pkg/informer/event"
)

// folder is a file system in memory: paths and contents.
type folder map[string]string

func (f folder) glob(pattern string) ([]string, error) {
	var paths []string
	for path := range f {
		match, err := filepath.Match(pattern, path)
		if err != nil {
			return nil, err
		}
		if match {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

func (f folder) read(path string) ([]byte, error) {
	text, found := f[path]
	if !found {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

// maxErrors is how many mistakes are shown.
const maxErrors = 100

const withPolicies = `apiVersion: informerd.dev/v1alpha1
kind: Config
informers:
  pods: {resource: pods, indexes: {node: spec.nodeName}}
  nodes: {resource: nodes}
listeners:
  own:
    informer: pods
    outputs: [out]
policies:
  - files: p/*.yaml
    outputs: [out]
outputs:
  out: {stdout: {}}
  other: {stdout: {}}
`

const policyText = `apiVersion: informerd.dev/v1alpha1
kind: Policy
informer: pods
rules:
  - name: r
    deny: "true"
`

const slicesPolicy = `# every field once
apiVersion: informerd.dev/v1alpha1
kind: Policy
name: no-endpoints
description: a service that leads nowhere
informer: {resource: services}
informers:
  slices: {resource: endpointslices.discovery.k8s.io, indexes: {service: 'metadata.labels["kubernetes.io/service-name"]'}}
  nodes: {resource: nodes, labelSelector: tier=edge}
select: object.spec.type != "ExternalName"
resync: 30s
rules:
  - name: no-endpoints
    deny: |
      len(byIndex("slices", "service", object.metadata.name)) == 0
    message: '"no endpoints"'
    severity: high
    for: 5m
    repeat: 1h
`

func TestPolicyBecomesAListener(t *testing.T) {
	c, err := parse("dir/x.yaml", []byte(strings.ReplaceAll(withPolicies, "[out]", "[out, other]")),
		folder{"dir/p/s.yaml": slicesPolicy})
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string, line, column int) Expression {
		return Expression{Text: text, File: "dir/p/s.yaml", Line: line, Column: column}
	}
	got := c.Listeners["no-endpoints"]
	want := &Listener{
		Name: "no-endpoints", Policy: "dir/p/s.yaml", Description: "a service that leads nowhere",
		InformerRef: InformerRef{Inline: &Informer{Resource: "services"}},
		On:          []event.Op{event.Add, event.Update, event.Delete, event.Resync},
		Resync:      seconds(30),
		Buffer:      Buffer{Capacity: 1024, Overflow: "latest"}, Workers: 1, OnError: "dead-letter",
		Retry:  Retry{Attempts: 5, MinBackoff: seconds(1), MaxBackoff: seconds(60)},
		Select: at(`object.spec.type != "ExternalName"`, 10, 9),
		Rules: []Rule{{
			Name: "no-endpoints", Severity: "high", OnError: "keep", For: seconds(300), Repeat: seconds(3600),
			Deny: at("len(byIndex(\"slices\", \"service\", object.metadata.name)) == 0\n", 15,
				7),
			Message: at(`"no endpoints"`, 16, 15),
		}},
		Outputs: []string{"out", "other"}, informer: got.InformerRef.Inline,
		informers: got.informers,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("listener is\n%+v, want\n%+v", got, want)
	}
	informers := got.Informers()
	if len(informers) != 3 || informers["pods"] != c.Informers["pods"] ||
		informers["slices"].Resource != "endpointslices.discovery.k8s.io" {
		t.Errorf("informers are %+v", informers)
	}
	if nodes := informers["nodes"]; nodes.LabelSelector != "tier=edge" {
		t.Errorf("the policy's informer does not win: %+v", nodes)
	}
	// Nobody else sees them.
	if own := c.Listeners["own"].Informers(); len(own) != 2 || own["nodes"].LabelSelector != "" ||
		len(c.Informers) != 2 {
		t.Errorf("informers of another listener are %+v", own)
	}
}

func TestPolicyDefaults(t *testing.T) {
	text := strings.Replace(policyText, "informer: pods", "informer: {resource: pods}", 1)
	config := withPolicies[:strings.Index(withPolicies, "informers")] +
		withPolicies[strings.Index(withPolicies, "policies"):]
	c, err := parse("x.yaml", []byte(config), folder{"p/no-latest-tag.yaml": text})
	if err != nil {
		t.Fatal(err)
	}
	l := c.Listeners["no-latest-tag"]
	if len(c.Listeners) != 1 || l == nil || l.Name != "no-latest-tag" || l.Description != "" ||
		!l.Select.IsZero() || l.Informers() != nil {
		t.Fatalf("listeners are %+v", c.Listeners)
	}
	if want := []event.Op{event.Add, event.Update, event.Delete}; !slices.Equal(l.On, want) ||
		l.Resync.Duration != 0 {
		t.Errorf("on is %v, resync %v", l.On, l.Resync)
	}
	want := Rule{Name: "r", Severity: "medium", OnError: "keep",
		Deny: Expression{Text: "true", File: "p/no-latest-tag.yaml", Line: 6, Column: 12}}
	if len(l.Rules) != 1 || l.Rules[0] != want {
		t.Errorf("rules are %+v, want %+v", l.Rules, want)
	}
}

func TestPoliciesComeAfterListenersInOrderOfTheEntries(t *testing.T) {
	config := strings.Replace(withPolicies, "policies:\n",
		"policies:\n  - {files: /z/*, outputs: [other]}\n  - {files: ../q/x.yaml, outputs: [out]}\n", 1)
	c, err := parse("dir/x.yaml", []byte(config), folder{
		"dir/p/b.yaml": policyText, "dir/p/a.yaml": policyText,
		"/z/y.json": strings.ReplaceAll(`{"apiVersion": "informerd.dev/v1alpha1",
			"kind": "Policy", "informer": "nodes", "rules": [{"name": "r", "deny": "x"}]}`, "\t",
			" "),
		"/z/text.of-any-name": policyText + "name: named\n", "q/x.yaml": policyText,
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range c.ListenersInOrder() {
		got = append(got, l.Name+" "+l.Policy+" "+l.Outputs[0])
	}
	want := []string{"own  out", "named /z/text.of-any-name other", "y /z/y.json other",
		"x q/x.yaml out", "a dir/p/a.yaml out", "b dir/p/b.yaml out"}
	if !slices.Equal(got, want) {
		t.Errorf("order is %q, want %q", got, want)
	}
}

func TestErrorAtPlacesInPolicies(t *testing.T) {
	config := withPolicies + "  # the end\n"
	c, err := parse("dir/x.yaml", []byte(config),
		folder{"dir/p/s.yaml": slicesPolicy, "dir/p/no.yaml": policyText})
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		"listeners.no-endpoints":                           "dir/p/s.yaml:2:1: bad",
		"listeners.no-endpoints.informer":                  "dir/p/s.yaml:6:11: bad",
		"listeners.no-endpoints.rules[0].deny":             "dir/p/s.yaml:14:11: bad",
		"listeners.no-endpoints.rules[0].for":              "dir/p/s.yaml:18:10: bad",
		"listeners.no-endpoints.informers.slices.resource": "dir/p/s.yaml:8:22: bad",
		"listeners.no-endpoints.workers":                   "dir/p/s.yaml:2:1: bad",
		"listeners.no-endpoints.outputs[0]":                "dir/x.yaml:12:15: bad",
		"listeners.no.rules[0].message":                    "dir/p/no.yaml:5:5: bad",
		"listeners.own.informer":                           "dir/x.yaml:8:15: bad",
		"listeners.nobody":                                 "dir/x.yaml:7:3: bad",
	} {
		if got := c.ErrorAt(field, "bad", "").Error(); got != want {
			t.Errorf("%s: %s, want %s", field, got, want)
		}
	}
}

func TestDigestCoversPolicies(t *testing.T) {
	digest := func(pattern, path, text string) string {
		t.Helper()
		c, err := parse("x.yaml", []byte(strings.Replace(withPolicies, "p/*.yaml", pattern, 1)),
			folder{path: text})
		if err != nil {
			t.Fatal(err)
		}
		return c.digest()
	}
	before := digest("p/*.yaml", "p/a.yaml", slicesPolicy)
	if digest("q/*", "q/b", "# another comment\n"+slicesPolicy) != before {
		t.Error("the place of the file changes the digest")
	}
	for _, change := range [][2]string{
		{"name: no-endpoints", "name: other"}, {"leads nowhere", "leads astray"}, {
			"resource: services", "resource: pods"},
		{"service-name", "name"}, {"tier=edge", "tier=core"}, {"ExternalName", "NodePort"}, {
			"30s", "31s"}, {"== 0", "== 1"},
		{"no endpoints", "none"}, {"high", "low"}, {"5m", "6m"}, {"1h", "2h"},
	} {
		if digest("p/*.yaml", "p/a.yaml", strings.Replace(slicesPolicy, change[0], change[1],
			1)) == before {
			t.Errorf("%s for %s has the same digest", change[1], change[0])
		}
	}
	if digest("p/*.yaml", "p/s.yaml", policyText) == digest("p/*.yaml", "p/t.yaml", policyText) {
		t.Error("another name has the same digest")
	}
}

// One malformed policy refuses all: each mistake is shown in its file, and the last line names
// those without any.
func TestPoliciesAreLoadedAllOrNone(t *testing.T) {
	files := folder{
		"p/a.yaml": policyText, "p/b.yaml": strings.Replace(policyText, "deny", "denny", 1) +
			"severity: low\n",
		"p/c.yaml": "name: a: b\n", "p/d.yaml": policyText,
	}
	_, err := parse("x.yaml", []byte(withPolicies+"  third: {}\n"), files)
	want := "x.yaml:16:3: outputs.third must have stdout, file, webhook, nats, kafka, kubernetesEvent, patch, slack or alertmanager\n" +
		`p/b.yaml:6:5: unknown field "denny" in rules[0]; did you mean "deny"?` + "\n" +
		`p/b.yaml:7:1: unknown field "severity"; its fields are apiVersion, kind, name, description, informer, informers, select, resync, rules` + "\n" +
		"p/c.yaml: it is no policy: it has no apiVersion: informerd.dev/v1alpha1\n" +
		"x.yaml: not loaded because of that: p/a.yaml, p/d.yaml"
	if err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
	var mistakes Errors
	if !errors.As(err, &mistakes) || len(mistakes) != 5 {
		t.Errorf("errors are %#v", err)
	}

	// A mistake in the configuration is not about its policies.
	delete(files, "p/b.yaml")
	delete(files, "p/c.yaml")
	_, err = parse("x.yaml", []byte(withPolicies+"  third: {}\n"), files)
	if want := "x.yaml:16:3: outputs.third must have stdout, file, webhook, nats, kafka, kubernetesEvent, patch, slack or alertmanager"; err == nil ||
		err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%s", err, want)
	}
}

func TestNotLoadedCompletesWhatOthersFind(t *testing.T) {
	files := folder{}
	for i := range 25 {
		files[fmt.Sprintf("p/p%02d.yaml", i)] = policyText
	}
	c, err := parse("x.yaml", []byte(withPolicies), files)
	if err != nil {
		t.Fatal(err)
	}
	bad := Errors{c.ErrorAt("listeners.p01.rules[0].deny", "bad", ""),
		c.ErrorAt("listeners.own.filter", "worse", "")}
	want := "p/p01.yaml:6:11: bad\nx.yaml:8:5: worse\nx.yaml: not loaded because of that: p/p00.yaml"
	for i := 2; i < 21; i++ {
		want += fmt.Sprintf(", p/p%02d.yaml", i)
	}
	want += " and 4 more"
	if got := c.NotLoaded(bad).Error(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if len(bad) != 2 {
		t.Error("the argument was changed")
	}
	if got := c.NotLoaded(bad[1:]).Error(); got != "x.yaml:8:5: worse" {
		t.Errorf("without mistakes in policies: %s", got)
	}
	if got := c.NotLoaded(nil); got != nil {
		t.Errorf("without mistakes: %v", got)
	}

	var many Errors
	for range 150 {
		many = append(many, c.ErrorAt("listeners.p01.rules[0].deny", "bad", ""))
	}
	got := c.NotLoaded(many)
	if len(got) != maxErrors+2 ||
		got[maxErrors].Error() != "p/p01.yaml: 50 more mistakes are not shown" {
		t.Errorf("of 150 mistakes %d remain, with %s", len(got), got[maxErrors])
	}
}

func TestManyMistakesInPoliciesAreCutShort(t *testing.T) {
	files := folder{"p/a.yaml": policyText + strings.Repeat("x: 1\n", 60),
		"p/b.yaml": policyText + strings.Repeat("x: 1\n", 150), "p/c.yaml": policyText}
	_, err := parse("x.yaml", []byte(withPolicies), files)
	var errs Errors
	if !errors.As(err, &errs) || len(errs) != maxErrors+2 {
		t.Fatalf("got %d errors", len(errs))
	}
	tail := errs[maxErrors-1:].Error()
	want := "p/b.yaml:46:1: x is defined twice, first on line 7\n" +
		"p/b.yaml: 110 more mistakes are not shown\n" +
		"x.yaml: not loaded because of that: p/c.yaml"
	if tail != want {
		t.Errorf("got:\n%s\nwant:\n%s", tail, want)
	}
	files["p/c.yaml"] += "x: 1\n"
	_, err = parse("x.yaml", []byte(withPolicies), files)
	if !strings.HasSuffix(err.Error(), "\n111 more mistakes are not shown") {
		t.Errorf("got %s", err)
	}
}

// A pattern may match anything: what is not there to be read as policies must not cost minutes or
// gigabytes.
func TestPoliciesAreBoundedTogether(t *testing.T) {
	tooMany, tooLarge, tooRich := folder{}, folder{}, folder{}
	rich := policyText + "informers:\n  a: &a {resource: pods, namespaces: [n"
	for i := range 1000 {
		rich += fmt.Sprintf(", n%d", i)
	}
	rich += "]}\n"
	for i := range 180 { // of 1,002 values each
		rich += fmt.Sprintf("  a%d: *a\n", i)
	}
	for i := range maxPolicies + 1 {
		tooMany[fmt.Sprintf("p/p%04d.yaml", i)] = policyText
	}
	for i := range 20 {
		tooLarge[fmt.Sprintf("p/p%02d.yaml", i)] = policyText +
			strings.Repeat("#", document.MaxSize-len(policyText))
		tooRich[fmt.Sprintf("p/p%02d.yaml", i)] = rich
	}
	for name, test := range map[string]struct {
		files folder
		want  string
	}{
		"many":  {tooMany, "x.yaml:11:12: policies[0].files matches 1001 files, which makes 1001 policies; there may be 1000"},
		"large": {tooLarge, "x.yaml:11:12: policies[0].files: the policies up to p/p16.yaml are larger than 16777216 bytes together"},
		"rich":  {tooRich, "x.yaml:11:12: policies[0].files: the policies up to p/p02.yaml have more than 500000 values together"},
	} {
		_, err := parse("x.yaml", []byte(withPolicies), test.files)
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %.300v, want %s", name, err, test.want)
		}
	}
}

func parse(file string, data []byte, disk files) (*Config, error) {
	return Loading{}.parse(file, data, disk)
}
