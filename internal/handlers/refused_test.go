package handlers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/pkg/plugins"
)

// A refusal is shown where its cause is, with what to write.
func TestRefused(t *testing.T) {
	const text = `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  a:
    informer: {resource: pods}
    outputs: [out]
    handler:
      wasm: x.wasm%s
outputs: {out: {stdout: {}}}
`
	refusal := func(cause string) error {
		return &plugins.CrashError{Listener: "a", Reason: plugins.ReasonRefused,
			Cause: errors.New(cause)}
	}
	const settings, says = "\n      config:\n        size: 3\n        max-size: 5", `listener "a": handler refuses its configuration: `
	for _, c := range []struct {
		more string
		err  error
		want string
	}{
		{"", errors.New("no such file"), "c.yaml:8:13: no such file"},
		{"", refusal("no team is set"), "c.yaml:8:7: " + says + "no team is set; add config to the handler, with what it needs"},
		{settings, refusal("no team is set"), "c.yaml:10:9: " + says + "no team is set"},
		{settings, refusal("the size is too large"), "c.yaml:10:15: " + says + "the size is too large"},
		{settings, refusal("max-size must be less than size"), "c.yaml:11:19: " + says + "max-size must be less than size"},
		{settings, refusal(`config: json: unknown field "max-size"`), "c.yaml:11:19: " + says + `config: json: unknown field "max-size"`},
		{"\n      config: [a]", errors.New("config: it must be a JSON object"),
			"c.yaml:9:15: config: it must be a mapping; write names and values, as in config: {threshold: 3}"},
		{"", &plugins.MissingGrantsError{Import: "get", Module: "informerd/kv.v1", Grants: []string{"kv", "log"}},
			`c.yaml:8:7: import "get" of module "informerd/kv.v1": this needs the grant "kv", which the configuration does not have; nor does it have "log", which other imports need; write grants: {kv: {}, log: {}}`},
		{"\n      grants: {log: {}}", &plugins.MissingGrantsError{Import: "get", Module: "informerd/kv.v1", Grants: []string{"kv"}},
			`c.yaml:9:15: import "get" of module "informerd/kv.v1": this needs the grant "kv", which the configuration does not have; add kv: {} to grants`},
	} {
		cfg, err := config.Parse("c.yaml", fmt.Appendf(nil, text, c.more))
		if err != nil {
			t.Fatal(err)
		}
		r := &Reader{Section: plan.SectionOf(cfg, cfg.Listeners["a"])}
		r.Refused(c.err)
		if got := r.Mistakes.Error(); got != c.want {
			t.Errorf("%v%s:\n got %s\nwant %s", c.err, c.more, got, c.want)
		}
	}
}
