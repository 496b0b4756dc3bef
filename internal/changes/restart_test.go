package changes

import (
	"testing"

	"github.com/informerd/informerd/internal/config"
)

// TestLists: after a restart, each informer goes on that watches and keeps the same, and each
// namespace has one of its own.
func TestLists(t *testing.T) {
	read := func(informer string) *config.Config {
		cfg, err := config.Parse("c.yaml", []byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  l: {informer: `+informer+`, checkpoint: true, outputs: [out]}
outputs: {out: {stdout: {}}}
state: {dir: state}
`))
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	for _, c := range []struct {
		before, after string
		lists         bool
	}{
		{"{resource: pods}", "{resource: pods}", false},
		{"{resource: pods}", "{resource: pods, drop: [spec]}", true},
		{"{resource: pods}", "{resource: pods, indexes: {node: spec.nodeName}}", false},
		{"{resource: pods}", "{resource: pods, labelSelector: a}", true},
		{"{resource: pods}", "{resource: deployments}", true},
		{"{resource: pods}", "{resource: pods, namespaces: [shop]}", true},
		{"{resource: pods, namespaces: [shop]}", "{resource: pods}", true},
		{"{resource: pods, namespaces: [shop]}", "{resource: pods, namespaces: [web, shop]}", false},
		{"{resource: pods, namespaces: [web]}", "{resource: pods, namespaces: [web, shop]}", true},
		{"{resource: pods, namespaces: [web, shop]}", "{resource: pods, namespaces: [shop]}", false},
		{"{resource: pods, namespaces: [web, shop]}", "{resource: pods, namespaces: [web]}", true},
	} {
		after := read(c.after)
		if got := Lists(Fixed(read(c.before)), after.Listeners["l"], "shop"); got != c.lists {
			t.Errorf("%s, then %s: %t", c.before, c.after, got)
		}
	}
}
