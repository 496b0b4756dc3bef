package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer"
	"github.com/informerd/informerd/pkg/informer/event"
)

const policies = "../../configs/policies"

// yamlObject reads YAML as informerd explain does.
func yamlObject(t *testing.T, text []byte) *event.Object {
	t.Helper()
	file := filepath.Join(t.TempDir(), "object.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	data, err := config.ReadObject(file)
	if err != nil {
		t.Fatal(err)
	}
	o, err := (&event.Parser{}).Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// shelves are what a policy looks up: by informer. Indexes are those of the configuration.
type shelves struct {
	cfg     *config.Listener
	objects map[string][]*event.Object
}

func (s shelves) Get(name, namespace, object string) *event.Object {
	for _, o := range s.objects[name] {
		if o.Key() == (event.Key{Namespace: namespace, Name: object}) {
			return o
		}
	}
	return nil
}

func (s shelves) ByIndex(name, index, value string) (found []*event.Object) {
	values := informer.IndexByPath(event.MustCompilePath(s.cfg.Informers()[name].Indexes[index]))
	for _, o := range s.objects[name] {
		if slices.Contains(values(o), value) {
			found = append(found, o)
		}
	}
	return found
}

// Each policy that informerd brings has objects that violate it, in each of its rules, and clean ones. Time passes until
// the longest for is over.
func TestThePoliciesInConfigs(t *testing.T) {
	cfg, err := config.Load(policies + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := len(cfg.Listeners); got != 12 {
		t.Errorf("%d policies", got)
	}
	schemas, err := BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range cfg.Listeners {
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(filepath.Join(policies, "testdata", name+".txtar"))
			if err != nil {
				t.Fatalf("a policy has a test: %v", err)
			}
			files := map[string][]byte{}
			looked := shelves{l, map[string][]*event.Object{}}
			in := func(days int) string {
				return time.Now().Add(time.Duration(days) * 24 * time.Hour).UTC().Truncate(time.Hour).Format(time.RFC3339)
			}
			times := strings.NewReplacer("IN_10_DAYS", in(10), "IN_30_DAYS", in(30))
			for _, f := range archive.Files {
				f.Data = []byte(times.Replace(string(f.Data)))
				files[f.Name] = f.Data
				if rest, ok := strings.CutPrefix(f.Name, "lookup/"); ok {
					from, _, _ := strings.Cut(rest, "/")
					looked.objects[from] = append(looked.objects[from], yamlObject(t, f.Data))
				}
			}
			p := &policy{cfg: cfg, listener: l, schemas: schemas, caches: looked, told: map[string]int{}}
			for file, text := range files {
				kind, _, _ := strings.Cut(file, "/")
				if kind == "lookup" || !strings.HasSuffix(file, ".yaml") {
					continue
				}
				want := ""
				if kind != "clean" {
					want = kind + ": " + strings.TrimSpace(string(files[strings.TrimSuffix(file, ".yaml")+".txt"]))
				}
				if got := p.judge(t, yamlObject(t, text)); got != want {
					t.Errorf("%s: got %q, want %q", file, got, want)
				}
				p.told[kind]++
			}
			for _, r := range l.Rules {
				if p.told[r.Name] == 0 {
					t.Errorf("nothing violates rule %s", r.Name)
				}
			}
			if p.told["clean"] < 2 {
				t.Errorf("%d clean objects, want at least 2", p.told["clean"])
			}
		})
	}
}

// policy holds objects against one.
type policy struct {
	cfg      *config.Config
	listener *config.Listener
	schemas  Schemas
	caches   shelves
	told     map[string]int
}

// judge gives what is told of an object that stays as it is.
func (p *policy) judge(t *testing.T, o *event.Object) string {
	t.Helper()
	b := &builder{config: p.cfg, cfg: p.listener, schemas: p.schemas, log: quiet, field: "listeners." + p.listener.Name}
	b.known()
	selects := b.expression(".select", p.listener.Select, filters.KindSelect)
	all := b.ruleList()
	if len(b.mistakes) > 0 {
		t.Fatal(b.mistakes)
	}
	e := event.Event{Op: event.Add, Object: o}
	if selects != nil {
		if ok, err := selects.Evaluator().Match(event.Event{Op: event.Resync, Object: o}); err != nil {
			t.Fatal(err)
		} else if !ok {
			return ""
		}
	}
	judge, now := rules.NewBook(all).Evaluator(p.caches), time.Now()
	var told []string
	for _, after := range []time.Duration{0, time.Hour} {
		outcome := judge.Evaluate(e, now.Add(after))
		for _, err := range outcome.Errors {
			t.Error(err)
		}
		for _, tr := range outcome.Transitions {
			if !tr.Repeated {
				told = append(told, tr.Rule.Name()+": "+tr.Message)
			}
		}
	}
	return strings.Join(told, "; ")
}
