package check_test

import (
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/filters/internal/filtertest"
	"github.com/informerd/informerd/pkg/filters/internal/lang"
	"github.com/informerd/informerd/pkg/informer/event"
)

// The paths of other tools are answered with the question about the change that they mean, with
// and without a schema.
func TestPathsOfOtherTools(t *testing.T) {
	const (
		images = `op == "update" && map(object.spec.containers, .image) != map(old.spec.containers, .image)`
		ports  = `op == "update" && map(object.spec.containers, map(.ports, .name)) != map(old.spec.containers, map(.ports, .name))`
		ready  = `op == "update" && find(object.status.conditions, .type == "Ready").status != find(old.status.conditions, .type == "Ready").status`
		app    = `changed('metadata.labels["app.kubernetes.io/name"]')`
	)
	for _, c := range []struct {
		text, fixed string
		schema      bool // only with one
	}{
		{`changed("spec.containers[*].image")`, images, false},
		{`changed("$.spec.containers[].image")`, images, false},
		{`changed("spec.containers.image")`, images, true},
		{`changed("containers[*].image")`, images, true},
		{`changed("spec.containers[*].ports[*].name")`, ports, false},
		{`changed("spec.containers.ports.name")`, ports, true},
		{`changed("spec.containers[*]")`, `changed("spec.containers")`, false},
		{`changed("status.conditions[Ready].status")`, ready, false},
		{`changed("status.conditions[?(@.type=='Ready')].status")`, ready, false},
		{`changed("status.conditions.Ready")`, ready, true},
		{`changed("metadata.labels.app.kubernetes.io/name")`, app, true},
		{`changed("metadata.labels['app.kubernetes.io/name']")`, app, false},
		{`changed("metadata.labels[app.kubernetes.io/name]")`, app, false},
		{`changed("metadata.labels.'app.kubernetes.io/name'")`, app, false},
		{`changed("/metadata/labels/app.kubernetes.io~1name")`, app, true},
		{`changed("/spec/replicas")`, `changed("spec.replicas")`, true},
		{`changed(object.metadata.labels["app.kubernetes.io/name"])`, app, false},
		{`changed(label("app.kubernetes.io/name"))`, app, false},
		{`changed(spec.replicas)`, `changed("spec.replicas")`, false},
		{`changed("status.phase == 'Failed'")`, `became(object.status.phase == 'Failed')`, false},
		{`changed("status.phase", "Failed")`, `became(object.status.phase == "Failed")`, true},
		{`became(object.status.phase, "Failed")`, `became(object.status.phase == "Failed")`, false},
		{`became("status.phase", "Running", "Failed")`,
			`became(object.status.phase in ["Running", "Failed"])`, false},
		{`initial || changed("spec.containers[*].image")`, `initial || (` + images + `)`, false},
		{`changed("spec.nothing[*].image", "spec.replicas")`, "", true},
	} {
		for _, schema := range []*lang.Schema{nil, podSchema()} {
			if schema == nil && c.schema {
				continue
			}
			_, err := filters.Compile(lang.Expression{Text: c.text, Schema: schema})
			fixed := ""
			for _, mistake := range lang.Mistakes(err) {
				text, _ := mistake.Fixed()
				fixed += text
			}
			if err == nil || fixed != c.fixed {
				t.Errorf("%s: got %q, %v", c.text, fixed, err)
			}
		}
	}
}

// What is proposed asks the same of an event.
func TestWhatIsProposedForPathsIsTrueOfTheirChange(t *testing.T) {
	before := filtertest.NewObject(t, `{"metadata":{"name":"web-1"},"spec":{"containers":[{"name":"a","image":"a:1"}]},
		"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
	after := filtertest.NewObject(t, `{"metadata":{"name":"web-1"},"spec":{"containers":[{"name":"a","image":"a:2"}]},
		"status":{"conditions":[{"type":"Ready","status":"False"}]}}`)
	for _, text := range []string{`changed("spec.containers[*].image")`,
		`changed("status.conditions[Ready]")`} {
		_, err := filters.Compile(lang.Expression{Text: text})
		fixed, ok := lang.Mistakes(err)[0].Fixed()
		if !ok {
			t.Fatal(err)
		}
		for _, c := range []struct {
			event event.Event
			want  bool
		}{
			{event.Event{Op: event.Update, Object: after, Old: before}, true},
			{event.Event{Op: event.Update, Object: after, Old: after}, false},
			{event.Event{Op: event.Add, Object: after}, false},
			{event.Event{Op: event.Delete, Object: after}, false},
		} {
			got, err := filtertest.Match(t, fixed, c.event)
			if err != nil || got != c.want {
				t.Errorf("%s: %v: got %v, %v", fixed, c.event.Op, got, err)
			}
		}
	}
}
