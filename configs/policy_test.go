package configs

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/daemon"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// load reads policies.yaml as informerd does.
func load(t *testing.T) *config.Config {
	t.Helper()
	cfg, err := config.Load("policies.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func builtin(t *testing.T) plan.Schemas {
	t.Helper()
	schemas, err := plan.BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	return schemas
}

// policy is one of the listeners that policies.yaml defines, ready to judge objects.
type policy struct {
	listener *config.Listener
	informer *config.Informer
	parser   *object.Parser
	selects  *filters.Evaluator // nil: every object
	rules    []*rules.Rule
	caches   caches
}

func compile(t *testing.T, cfg *config.Config, schemas plan.Schemas, name string) *policy {
	t.Helper()
	l := cfg.Listeners[name]
	if l == nil {
		t.Fatalf("policies.yaml makes no listener %s", name)
	}
	p := &policy{listener: l, informer: l.Informer(), parser: parser(t, l.Informer()),
		caches: caches{}}
	informers := map[string][]string{}
	for name, inf := range l.Informers() {
		informers[name] = slices.Collect(maps.Keys(inf.Indexes))
		p.caches[name] = &cache{informer: inf}
	}
	source := func(x config.Expression, kind filters.Kind) filters.Expression {
		return filters.Expression{
			Text: x.Text, File: x.File, Line: x.Line, Column: x.Column, Kind: kind, On: l.Ops(),
			Informers: informers, Schema: schemas(p.informer.Resource),
		}
	}
	if !l.Select.IsZero() {
		f, err := filters.Compile(source(l.Select, filters.KindSelect))
		if err != nil {
			t.Fatal(err)
		}
		p.selects = f.Evaluator()
	}
	for _, r := range l.Rules {
		rule, err := rules.Compile(rules.Definition{
			Name: r.Name, Severity: r.Severity, For: r.For.Duration, Repeat: r.Repeat.Duration,
			Deny: source(r.Deny, filters.KindDeny), Message: source(r.Message, filters.KindMessage),
		})
		if err != nil {
			t.Fatal(err)
		}
		p.rules = append(p.rules, rule)
	}
	for name := range p.caches {
		for _, file := range objectFiles(t, l.Name, "others", name) {
			p.caches[name].add(t, file)
		}
	}
	return p
}

// parser makes the objects that the informer's listeners get of what an API server sends.
func parser(t *testing.T, inf *config.Informer) *object.Parser {
	t.Helper()
	p := &object.Parser{KeepManagedFields: inf.KeepManagedFields}
	for _, text := range inf.Drop {
		path, err := object.CompilePath(text)
		if err == nil {
			err = p.Drop(path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func read(t *testing.T, p *object.Parser, file string) *object.Object {
	t.Helper()
	text, err := config.ReadObject(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := p.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return o
}

// objectFiles returns the objects in folders of testdata; there may be none.
func objectFiles(t *testing.T, folders ...string) []string {
	t.Helper()
	files, err := filepath.Glob(
		filepath.Join(append(append([]string{"policies", "testdata"}, folders...), "*.yaml")...))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func (p *policy) selected(t *testing.T, o *object.Object) bool {
	t.Helper()
	if p.selects == nil {
		return true
	}
	ok, err := p.selects.Match(event.Event{Op: event.Resync, Object: o})
	if err != nil {
		t.Error(err)
	}
	return ok
}

// verdict is a rule that an object violates, and its message.
type verdict struct{ rule, message string }

// judge evaluates an object for as long as the rules need to decide; a rule with for decides at
// exactly that time.
func (p *policy) judge(t *testing.T, o *object.Object) (found []verdict) {
	t.Helper()
	if !p.selected(t, o) {
		return nil
	}
	book := rules.NewBook(p.rules, 1)
	e, begin := book.Evaluator(p.caches), time.Now()
	waits := []time.Duration{0}
	for _, r := range p.rules {
		if r.For() > 0 {
			waits = append(waits, r.For()-time.Second, r.For())
		}
	}
	slices.Sort(waits)
	for _, after := range slices.Compact(waits) {
		outcome := e.Evaluate(event.Event{Op: event.Resync, Object: o}, begin.Add(after))
		for _, err := range outcome.Errors {
			t.Error(err)
		}
		for _, tr := range outcome.Transitions {
			if tr.State != rules.Violated || tr.Rule.For() != after || !tr.Since.Equal(begin) {
				t.Errorf("rule %s, after %v: state %v since %v", tr.Rule.Name(), after, tr.State,
					tr.Since.Sub(begin))
			}
			found = append(found, verdict{tr.Rule.Name(), tr.Message})
			book.Took(o.Key(), tr, 0, begin.Add(after))
		}
	}
	gone := e.Evaluate(event.Event{Op: event.Delete, Object: o}, begin.Add(time.Hour))
	if len(gone.Transitions) != len(found) {
		t.Errorf("the object's deletion resolves %d of %d violations", len(gone.Transitions),
			len(found))
	}
	return found
}

// caches replace the informers in which policies look up objects.
type caches map[string]*cache

type cache struct {
	informer *config.Informer
	objects  []*object.Object
	returned int // by index
}

func (c *cache) add(t *testing.T, file string) {
	t.Helper()
	c.objects = append(c.objects, read(t, parser(t, c.informer), file))
}

func (c caches) Get(name, namespace, object string) *object.Object {
	for _, o := range c[name].objects {
		if o.Namespace() == namespace && o.Name() == object {
			return o
		}
	}
	return nil
}

func (c caches) ByIndex(name, index, value string) (found []*object.Object) {
	path, err := object.CompilePath(c[name].informer.Indexes[index])
	if err != nil {
		panic(err) // the configuration was checked
	}
	values := informer.IndexByPath(path)
	for _, o := range c[name].objects {
		if slices.Contains(values(o), value) {
			found = append(found, o)
		}
	}
	c[name].returned += len(found)
	return found
}

func (c caches) InClusters(name, namespace, object string) (all []filters.InCluster) {
	if o := c.Get(name, namespace, object); o != nil {
		all = append(all, filters.InCluster{Cluster: "default", Object: o})
	}
	return all
}

func (c caches) ByIndexIn(name, index, value, namespace string) []*object.Object {
	given := c[name].returned
	found := slices.DeleteFunc(c.ByIndex(name, index, value), func(o *object.Object) bool {
		return o.Namespace() != namespace
	})
	c[name].returned = given + len(found)
	return found
}

// informerd itself accepts the policies, without warnings.
func TestPoliciesAreValid(t *testing.T) {
	var log bytes.Buffer
	err := daemon.Check(t.Context(), load(t),
		daemon.Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Schemas: builtin(t)})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), "level=WARN") {
		t.Error(log.String())
	}
}

// Every file is loaded under its own name and has a description, and every rule has a severity and
// a message.
func TestPoliciesDescribeThemselves(t *testing.T) {
	cfg := load(t)
	files, err := filepath.Glob("policies/*.yaml")
	if err != nil || len(files) != 12 || len(cfg.Listeners) != len(files) {
		t.Fatalf("%d files make %d listeners: %v", len(files), len(cfg.Listeners), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		l := cfg.Listeners[name]
		if l == nil {
			t.Errorf("%s defines no listener with its name", file)
			continue
		}
		if l.Policy != file || l.Description == "" {
			t.Errorf("%s: the policy is %q, its description %q", file, l.Policy, l.Description)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range l.Rules {
			if r.Message.IsZero() ||
				!bytes.Contains(text, []byte("name: "+r.Name+"\n    severity: "+r.Severity+"\n")) {
				t.Errorf("%s: rule %s has no message, or does not start with its name and its severity", file, r.Name)
			}
		}
	}
}
