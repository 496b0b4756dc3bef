package handlers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
)

const trialConfig = `apiVersion: informerd.dev/v1alpha1
kind: Config
informers:
  pods: {resource: pods, drop: [spec.secret], indexes: {app: 'metadata.labels.app'}}
state: {dir: kept}
listeners:
  hook:
    informer: pods
    handler:
      wasm: hook.wasm
      config: {a: 1}
      limits: {memory: 2Mi, deadline: 3s, fuel: 77}
      grants:
        kv: {persist: true}
        http: {allow: [https://hooks.example.com/], headers: {Authorization: {fromEnv: NOT_SET_ANYWHERE}, X-Team: red}}
    outputs: [out]
  plain: {informer: pods, outputs: [out]}
outputs: {out: {stdout: {}}}
`

func trialFile(t *testing.T) *config.Config {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"c.yaml": trialConfig, "hook.wasm": "the module",
		"other.wasm": "another"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(filepath.Join(dir, "c.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// A trial has what the daemon would load, but that it keeps nothing and sees no secret that it has
// no use for.
func TestTrial(t *testing.T) {
	cfg := trialFile(t)
	s, parser, err := Trial(cfg, "hook", "")
	if err != nil {
		t.Fatal(err)
	}
	if s.Listener != "hook" || string(s.Wasm) != "the module" || string(s.Config) != `{"a":1}` ||
		s.Limits.Memory != 2<<20 ||
		s.Limits.Deadline != 3*time.Second || s.Limits.Fuel != 77 || s.Grants.KV == nil ||
		s.Grants.KV.Persist || s.Grants.Log != nil {
		t.Errorf("got %+v", s)
	}
	if h := s.Grants.HTTP.Headers; h["Authorization"] != "(from the environment variable NOT_SET_ANYWHERE)" || h["X-Team"] != "red" {
		t.Errorf("headers %v", h)
	}
	if cfg.Listeners["hook"].Handler.Grants.HTTP.Headers["Authorization"].FromEnv != "NOT_SET_ANYWHERE" {
		t.Error("the configuration was changed")
	}
	o, err := parser.Parse(
		[]byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","managedFields":[]},"spec":{"secret":1}}`))
	if err != nil || strings.Contains(o.JSON(), "secret") ||
		strings.Contains(o.JSON(), "managedFields") {
		t.Errorf("%v, %v", o.JSON(), err)
	}
	other := cfg.Path("other.wasm")
	if s, _, err = Trial(cfg, "hook", other); err != nil ||
		string(s.Wasm) != "another" || s.Path != other {
		t.Errorf("%v, %v", s, err)
	}
}

func TestTrialMistakes(t *testing.T) {
	cfg := trialFile(t)
	for _, c := range []struct {
		listener, module, want string
	}{
		{"plain", "", `c.yaml:17:10: listener "plain" has no handler`},
		{"hook", "/nowhere.wasm",
			`c.yaml:10:13: listener "hook": cannot read the handler: open /nowhere.wasm: no such file or directory`},
	} {
		_, _, err := Trial(cfg, c.listener, c.module)
		var mistakes config.Errors
		if !errors.As(err, &mistakes) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: got %v\nwant %s", c.listener, err, c.want)
		}
	}
}

func TestTrialGrants(t *testing.T) {
	g := config.Grants{HTTP: &config.HTTPGrant{Allow: []string{"https://a.example.com/"},
		Headers: map[string]config.Value{
			"Authorization": {FromFile: "no/such/file"}}}}
	granted, err := TrialGrants(g)
	if err != nil || granted.HTTP.Headers["Authorization"] != "(from a file)" {
		t.Errorf("got %+v, %v", granted.HTTP, err)
	}
}
