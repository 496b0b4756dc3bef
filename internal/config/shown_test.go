package config

import (
	"strings"
	"testing"
)

func TestAListenerIsShownAsItIsConfigured(t *testing.T) {
	cfg, err := Parse("c.yaml", []byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}}
listeners:
  hooks:
    informer: {resource: pods}
    filter: |
      # a comment
      op == "add" &&
        object.metadata.name != "x"
    handler:
      wasm: shown_test.go
      config: {token: hunter2, retries: 3, deep: [{password: hunter2}, "hunter2"]}
    outputs: [out]
`))
	if cfg == nil {
		t.Fatal(err)
	}
	shown, err := cfg.Listeners["hooks"].Shown()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"hooks:\n", "    filter: |\n", "op == \"add\"", "resource: pods",
		"on: [add, update, delete]\n",
		"workers: 1\n", "capacity: 1024\n", "retries: 3\n", "token: (hidden)\n",
		"password: (hidden)\n", "- (hidden)\n", "outputs:\n        - out\n"} {
		if !strings.Contains(shown, part) {
			t.Errorf("%q is not in\n%s", part, shown)
		}
	}
	if strings.Contains(shown, "hunter2") {
		t.Errorf("a secret is in\n%s", shown)
	}
	if strings.Index(shown, "informer:") > strings.Index(shown, "outputs:") {
		t.Errorf("the order is another one:\n%s", shown)
	}
}
