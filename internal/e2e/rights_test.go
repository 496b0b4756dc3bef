package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// grant is one right: a verb of a resource.
type grant struct{ namespace, group, resource, name, verb string }

func (g grant) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s.%s %s in %s", g.verb, g.resource, g.group, g.name,
		g.namespace))
}

// aRight matches the rights of rightsCases.
var aRight = regexp.MustCompile(`^((?:get |list |watch |create |update |patch )+)([a-z]+)(?:\.([a-z0-9.-]+))?` +
	`(?: "([^"]+)")?(?: in (\S+))?$`)

// grantsOf reads the rights of one listener.
func grantsOf(t *testing.T, texts []string, values *strings.Replacer) map[grant]bool {
	t.Helper()
	all := map[grant]bool{}
	for _, text := range texts {
		if rest, ok := strings.CutPrefix(text, "events in "); ok {
			text = "create patch events.events.k8s.io in " + rest
		}
		m := aRight.FindStringSubmatch(values.Replace(text))
		if m == nil {
			t.Fatalf("not a right: %s", text)
		}
		for verb := range strings.FieldsSeq(m[1]) {
			all[grant{m[5], m[3], m[2], m[4], verb}] = true
		}
	}
	return all
}

// role is an object that informerd rbac prints.
type role struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Metadata   map[string]any   `json:"metadata"`
	Rules      []roleRule       `json:"rules,omitempty"`
	RoleRef    map[string]any   `json:"roleRef,omitempty"`
	Subjects   []map[string]any `json:"subjects,omitempty"`
}

type roleRule struct {
	APIGroups     []string `json:"apiGroups"`
	Resources     []string `json:"resources"`
	ResourceNames []string `json:"resourceNames,omitempty"`
	Verbs         []string `json:"verbs"`
}

func (r role) namespace() string {
	ns, _ := r.Metadata["namespace"].(string)
	return ns
}

// grants returns what the rule grants, as RBAC reads it.
func (r roleRule) grants(namespace string) (all []grant) {
	names := r.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	for _, group := range r.APIGroups {
		for _, resource := range r.Resources {
			for _, name := range names {
				for _, verb := range r.Verbs {
					all = append(all, grant{namespace, group, resource, name, verb})
				}
			}
		}
	}
	return all
}

// granted returns all that roles grant.
func granted(roles []role) map[grant]bool {
	all := map[grant]bool{}
	for _, r := range roles {
		for _, rule := range r.Rules {
			for _, g := range rule.grants(r.namespace()) {
				all[g] = true
			}
		}
	}
	return all
}

// rightsWorld is a control plane on which informerd runs with few rights.
type rightsWorld struct {
	*story
	mu      sync.Mutex
	longest time.Duration // until a listener was ready after a right was granted
}

// TestRights runs each configuration with the rights that informerd rbac prints and no others, and
// then without each single one of them, which informerd rbac check finds. Listeners are ready when it
// is granted. Without STRESS=full, two rights of each
// configuration are taken away.
func TestRights(t *testing.T) {
	needs(t)
	t.Parallel()
	w := &rightsWorld{story: &story{dir: t.TempDir(), namespace: "rights",
		cluster: &cluster{dir: filepath.Join(t.TempDir(), "cluster")}}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := w.cluster.up(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Logf("ready at most %v after a right was granted", w.longest)
		if err := w.cluster.down(); err != nil {
			t.Error(err)
		}
	})
	if err := w.cluster.createNamespace(w.namespace); err != nil {
		t.Fatal(err)
	}
	w.must(t, w.applyText("objects.yaml", rightsObjects))
	files, err := filepath.Glob(filepath.Join(root(), "configs", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no configurations: %v", err)
	}
	others := filepath.Join(w.dir, "everything.yaml")
	w.must(t, os.WriteFile(others, []byte(everything), 0o600))
	for _, file := range append(files, others) {
		name := filepath.Base(file)
		if rightsCases[name] == nil {
			t.Errorf("rightsCases does not have %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w.config(t, file)
		})
	}
}

func (w *rightsWorld) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *rightsWorld) applyText(name, text string) error {
	file := filepath.Join(w.dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	return w.apply(file)
}

// config tries one configuration with all rights, and without each of them.
func (w *rightsWorld) config(t *testing.T, file string) {
	base := strings.TrimSuffix(filepath.Base(file), ".yaml")
	all := w.trial(t, file, base, grant{})
	if t.Failed() {
		return
	}
	full := os.Getenv("STRESS") == "full"
	for i, g := range slices.SortedFunc(maps.Keys(all), func(a, b grant) int {
		return strings.Compare(a.String(), b.String())
	}) {
		if g.resource == "customresourcedefinitions" {
			continue // it is optional
		}
		if !full && i != 0 && i != len(all)-1 {
			continue
		}
		t.Run("without "+g.String(), func(t *testing.T) {
			t.Parallel()
			w.trial(t, file, fmt.Sprintf("%s-%d", base, i), g)
		})
	}
}

// trial runs informerd with an account that lacks one right, or none, until that is granted. It
// returns all rights.
func (w *rightsWorld) trial(t *testing.T, file, account string, lacks grant) map[grant]bool {
	lease := "lease-" + account
	values := strings.NewReplacer("$NS", w.namespace, "$LEASE", lease)
	path := aside(t, file)
	text, err := os.ReadFile(path)
	w.must(t, err)
	config := values.Replace(string(text))
	if !strings.Contains(config, "\nhttp:") {
		config += "\nhttp: {address: \"127.0.0.1:0\"}\n"
	}
	w.must(t, os.WriteFile(path, []byte(config), 0o600))
	needed := map[string]map[grant]bool{} // by listener
	for listener, texts := range rightsCases[filepath.Base(file)] {
		needed[listener] = grantsOf(t, texts, values)
	}

	printed := exec.Command(informerdBin(), "rbac", path, "--name", account, "-n", w.namespace,
		"-o", "json")
	var out, errOut bytes.Buffer
	printed.Stdout, printed.Stderr = &out, &errOut
	if err := printed.Run(); err != nil {
		t.Fatalf("informerd rbac: %v\n%s", err, &errOut)
	}
	var list struct{ Items []role }
	w.must(t, json.Unmarshal(out.Bytes(), &list))
	all := granted(list.Items)
	if lacks == (grant{}) {
		wanted := map[grant]bool{}
		for _, one := range needed {
			maps.Copy(wanted, one)
		}
		if !maps.Equal(all, wanted) {
			t.Fatalf("printed are\n%v\nwanted are\n%v", all, wanted)
		}
	} else {
		lacks.name = strings.ReplaceAll(lacks.name, "lease-everything", lease)
		if !all[lacks] {
			t.Fatalf("%s is not granted", lacks)
		}
	}
	w.must(t, w.grant(account, without(list.Items, lacks)))
	kubeconfig := filepath.Join(w.dir, account+".kubeconfig")
	w.must(t, w.account(kubeconfig, account))

	p, err := w.run(path, kubeconfig)
	w.must(t, err)
	defer p.kill()
	if lacks != (grant{}) {
		w.checked(t, path, kubeconfig, lacks)
		w.must(t, w.grant(account, list.Items))
	}
	begun := time.Now()
	w.ready(t, p)
	if lacks != (grant{}) {
		w.mu.Lock()
		w.longest = max(w.longest, time.Since(begun))
		w.mu.Unlock()
	}
	w.must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	<-p.done
	if code := p.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.written())
	}
	return all
}

// checked waits until informerd rbac check finds that exactly one right is missing.
func (w *rightsWorld) checked(t *testing.T, path, kubeconfig string, lacks grant) {
	err := eventually(func() error {
		cmd := exec.Command(informerdBin(), "rbac", "check", path, "--kubeconfig", kubeconfig,
			"-o", "json")
		out, err := cmd.Output()
		if cmd.ProcessState.ExitCode() != 1 {
			return fmt.Errorf("%v: %s", err, out)
		}
		var report struct {
			Missing []struct {
				Namespace string
				Rule      roleRule
			}
		}
		if err := json.Unmarshal(out, &report); err != nil {
			return err
		}
		var missing []grant
		for _, one := range report.Missing {
			missing = append(missing, one.Rule.grants(one.Namespace)...)
		}
		if !slices.Equal(missing, []grant{lacks}) {
			return fmt.Errorf("missing are %v, want %v", missing, lacks)
		}
		return nil
	})
	w.must(t, err)
}

// ready waits until all listeners are ready.
func (w *rightsWorld) ready(t *testing.T, p *process) {
	t.Helper()
	address, err := p.address()
	w.must(t, err)
	err = eventually(func() error {
		got, err := get("http://" + address + "/readyz")
		if err == nil && got != "ok" {
			err = errors.New(got)
		}
		return err
	})
	if err != nil {
		t.Fatalf("%v\nits log is\n%s", err, p.written())
	}
}

// grant makes the account with the roles, which replace those that it has.
func (w *rightsWorld) grant(account string, roles []role) error {
	var text bytes.Buffer
	for _, r := range roles {
		one, err := json.Marshal(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "---\n%s\n", one)
	}
	return w.applyText(account+".roles.yaml", text.String())
}

// without returns roles that do not grant a right.
func without(roles []role, lacks grant) (all []role) {
	for _, r := range roles {
		rules := r.Rules
		r.Rules = nil
		for _, rule := range rules {
			grants := rule.grants(r.namespace())
			if !slices.Contains(grants, lacks) {
				r.Rules = append(r.Rules, rule)
				continue
			}
			for _, g := range grants {
				if g == lacks {
					continue
				}
				one := roleRule{APIGroups: []string{g.group}, Resources: []string{g.resource},
					Verbs: []string{g.verb}}
				if g.name != "" {
					one.ResourceNames = []string{g.name}
				}
				r.Rules = append(r.Rules, one)
			}
		}
		all = append(all, r)
	}
	return all
}

// run starts informerd.
func (w *rightsWorld) run(config, kubeconfig string) (*process, error) {
	dir := filepath.Dir(config)
	p := &process{cmd: exec.Command(informerdBin(), "run", "--config", config, "--kubeconfig",
		kubeconfig), done: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), secrets[filepath.Base(config)]...)
	p.cmd.Env = append(p.cmd.Env, "XDG_CACHE_HOME="+filepath.Join(dir, ".cache"))
	var err error
	if p.out, err = newStream(filepath.Join(dir, "out")); err != nil {
		return nil, err
	}
	if p.err, err = newStream(filepath.Join(dir, "err")); err != nil {
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	return p, p.start()
}
