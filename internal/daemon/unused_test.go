package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// An informer is used by a listener, an expression or a grant of a handler, also of a policy; what
// a policy brings and does not use is reported in its file.
func TestUnusedInformersOfPolicies(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"c.yaml": `apiVersion: informerd.dev/v1alpha1
kind: Config
informers:
  granted: {resource: configmaps}
  shared: {resource: nodes}
  idle: {resource: services}
policies: [{files: "p.yaml", outputs: [out]}]
listeners:
  handled: {informer: {resource: pods}, handler: {wasm: GUEST, limits: {deadline: 10s}, grants: {cache: {informers: [granted]}}}, outputs: [out]}
outputs: {out: {stdout: {}}, spare: {stdout: {}}}
state: {dir: state}
`,
		"p.yaml": `apiVersion: informerd.dev/v1alpha1
kind: Policy
informer: {resource: pods}
informers:
  looked: {resource: services}
  idle: {resource: endpoints}
rules: [{name: r, deny: 'cached("shared", "", "x") == nil && cached("looked", "a", "b") == nil'}]
`,
	} {
		text = strings.ReplaceAll(text, "GUEST", writeGuest(t, lookupGuest))
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(filepath.Join(dir, "c.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var got config.Errors
	if err := Check(t.Context(), cfg, Options{Log: quiet, Warned: func(w config.Error) {
		got = append(got, w)
	}}); err != nil {
		t.Fatal(err)
	}
	const notUsed = "is not used: no listener refers to it or looks objects up in it"
	expectMistakes(t, cfg, got, "c.yaml:6:9: informers.idle "+notUsed+"\n"+
		"p.yaml:6:9: informers.idle "+notUsed+"\n"+
		"c.yaml:10:37: outputs.spare is not used: no listener sends anything to it")
}

// A kubeconfig that the configuration names is a mistake of the configuration if it is not there,
// together with others, unless another one is given in its place.
func TestTheKubeconfigOfTheConfigurationIsNotThere(t *testing.T) {
	text := "cluster: {kubeconfig: none}\n" + head + `
  pods:
    informer: {resource: pods}
    outputs: [out]
`
	const missing = `c.yaml:1:23: cluster.kubeconfig: "none" cannot be read: no such file or directory`
	for name, do := range map[string]func(*config.Config, Options) error{
		"run": func(cfg *config.Config, o Options) error {
			return Run(t.Context(), cfg, o)
		},
		"check": func(cfg *config.Config, o Options) error {
			return CheckCluster(t.Context(), cfg, o)
		},
		"without a server": func(cfg *config.Config, _ Options) error {
			return Check(t.Context(), cfg, Options{Log: quiet})
		},
	} {
		cfg := parse(t, text)
		expectMistakes(t, cfg, do(cfg, Options{Log: quiet}), missing)
		cfg = parse(t, text+"    filter: object.x ==\n")
		if err := do(cfg, Options{Log: quiet}); err == nil ||
			!strings.Contains(err.Error(), "cluster.kubeconfig") ||
			!strings.Contains(err.Error(), `listener "pods"`) {
			t.Errorf("%s: not both: %v", name, err)
		}
		if name == "without a server" {
			continue
		}
		var mistakes config.Errors
		cfg = parse(t, text)
		if err := do(cfg, Options{Log: quiet,
			Kubeconfig: filepath.Join(t.TempDir(), "other")}); err == nil ||
			errors.As(err, &mistakes) || !strings.Contains(err.Error(), "other") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
