package daemon

import (
	"strings"
	"testing"
)

// The order of outputs and namespaces means nothing, so another one changes nothing.
func TestOrderChangesNothing(t *testing.T) {
	const config = `
outputs: {a: {stdout: {}}, b: {file: {path: b.jsonl}}}
informers: {shared: {resource: configmaps, namespaces: [shop, pay]}}
listeners:
  inline: {informer: {resource: pods, namespaces: [shop, pay]}, outputs: [a, b]}
  named: {informer: shared, outputs: [b, a]}
`
	d := startReloadable(t, config, kubernetesWith(t, teamsAndPods()))
	other := strings.NewReplacer("[a, b]", "[b, a]", "[b, a]", "[a, b]", "[shop, pay]",
		"[pay, shop]").Replace(config)
	if got := d.reload(t, other); !strings.Contains(got, "changes=none") {
		t.Error(got)
	}
	another := strings.Replace(other, "outputs: [b, a]", "outputs: [b]", 1)
	if got := d.reload(t, another); !strings.Contains(got, `changes="listener inline changed (outputs)"`) {
		t.Error(got)
	}
	d.stop(t)
}
