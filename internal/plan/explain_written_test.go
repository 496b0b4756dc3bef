package plan

import (
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/plan/answer"
)

// Fields that expressions look for and that an API server would fill in are noted, once, and of an
// object alone that no API server has completed.
func TestExplainNotesWhatAnObjectLacks(t *testing.T) {
	cfg := parse(t, head+`
  defaults: {informer: {resource: pods}, filter: object.spec.dnsPolicy == "ClusterFirst", outputs: [out]}
  status: {informer: {resource: pods}, filter: object.spec.dnsPolicy == "ClusterFirst" && object.status.phase == nil, outputs: [out]}
  skips: {informer: {resource: pods}, filter: op == "delete" && object.status.phase == nil, outputs: [out]}
  items: {informer: {resource: pods}, filter: 'any(object.spec.containers, .imagePullPolicy == "Always")', outputs: [out]}
  named: {informer: {resource: pods}, filter: object.metadata.annotations.x == nil && object.metadata.ownerReferences == nil && label("app") == nil, outputs: [out]}
  aged: {informer: {resource: pods}, filter: age() > "1h", outputs: [out]}
  rules: {informer: {resource: pods}, rules: [{name: a, deny: object.spec.hostname == nil}, {name: b, deny: object.spec.nodeName == nil}], outputs: [out]}
  both: {informer: {resource: pods}, filter: 'object.status.phase == nil && object.metadata.generation == nil && object.status.phase == nil', outputs: [out]}
`)
	const (
		written  = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{"containers":[{"imagePullPolicy":"Never"},{"name":"a","image":"a"}]}}`
		stored   = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","uid":"u"},"spec":{}}`
		versions = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop","resourceVersion":"7"},"spec":{}}`
		status   = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{},"status":{}}`
		set      = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},"spec":{"dnsPolicy":"None"}}`
	)
	schemas, err := BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ listener, object, file, want string }{
		{"defaults", written, "a.yaml", ""},
		{"status", written, "a b.yaml", "object.status.phase is nil: the object is as it was written, without what the cluster fills in; to see it with that: kubectl apply --dry-run=server -o yaml -f 'a b.yaml'"},
		{"status", written, "", " -f FILE"},
		{"status", set, "a.yaml", ""},
		{"status", stored, "a.yaml", ""},
		{"status", versions, "a.yaml", ""},
		{"status", status, "a.yaml", ""},
		{"skips", written, "a.yaml", ""},
		{"items", written, "a.yaml", ""},
		{"named", written, "a.yaml", ""},
		{"aged", written, "a.yaml", "age() is nil: the object is as it was written"},
		{"rules", written, "a.yaml", ""}, // nobody but the scheduler fills these in
		{"both", written, "a.yaml", "object.status.phase, object.metadata.generation are nil: the object is as it was written"},
	} {
		q := question(t, "add", c.object, "")
		q.Source = answer.Source{File: c.file}
		a, err := Answer(cfg, schemas, c.listener, q)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(a.Notes, "\n"); c.want == "" != (got == "") ||
			!strings.Contains(got, c.want) || len(a.Notes) > 1 {
			t.Errorf("%s of %s: %q, want %q", c.listener, c.object, a.Notes, c.want)
		}
	}
}

// What is odd about an object's kind, version and namespace is noted, if that is known of the kind.
func TestExplainNotesOddObjects(t *testing.T) {
	cfg := parse(t, head+`
  pods: {informer: {resource: pods}, outputs: [out]}
  nodes: {informer: {resource: nodes}, outputs: [out]}
  deployments: {informer: {resource: deployments}, outputs: [out]}
  widgets: {informer: {resource: widgets.example.com}, outputs: [out]}
`)
	const none = "the Pod has no metadata.namespace, and is taken as one in no namespace; kubectl creates it in that of its context, or in default"
	for _, c := range []struct{ listener, version, kind, metadata, want string }{
		{"pods", "v1", "Pod", `"namespace":"shop"`, ""},
		{"pods", "v1", "Pod", `"uid":"u"`, none},
		{"pods", "v2", "Pod", `"namespace":"shop"`, "informerd knows no Pod of apiVersion v2, only of v1; a listener gets objects in the version that its informer watches"},
		{"deployments", "extensions/v1beta1", "Deployment", `"namespace":"shop"`, "informerd knows no Deployment of apiVersion extensions/v1beta1, only of apps/v1; a listener gets objects in the version that its informer watches"},
		{"nodes", "v1", "Node", `"uid":"u"`, ""},
		{"widgets", "example.com/v7", "Widget", `"uid":"u"`, ""},
	} {
		a, err := Answer(cfg, nil, c.listener, question(t, "add",
			`{"apiVersion":"`+c.version+`","kind":"`+c.kind+`","metadata":{"name":"web",`+c.metadata+`}}`, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(a.Notes, "\n"); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// So is it for the state before an update, whatever value the other state has.
func TestWhatAnAPIServerFillsInOfTheOldState(t *testing.T) {
	const was = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},"spec":{"paused":true}}`
	is := strings.Replace(was, `"paused":true`, `"replicas":1`, 1)
	live := strings.Replace(is, `}}`, `},"status":{"replicas":1}}`, 1)
	applied := strings.Replace(was, `"namespace"`, `"uid":"1","namespace"`, 1)
	for _, c := range []struct{ filter, old, now, want string }{
		{`changed("spec.replicas")`, was, is, ""},
		{`changed("spec")`, was, is, ""},
		{`changed("spec.paused")`, was, is, ""},
		{`changed("status")`, was, live, "object.status is nil"},
		{`became(object.status.replicas == 1)`, was, live, "object.status.replicas is nil"},
		{`old.status.replicas == 1`, was, live, "old.status.replicas is nil"},
		{`old.spec.replicas == 1`, was, live, ""},
		{`became(object.spec.paused)`, was, is, ""},
		{`became(object.status.replicas == 1)`, applied, live, ""},
		{`became(object.status.replicas == 1)`, applied, applied, ""},
	} {
		cfg := parse(t, head+"  a: {informer: {resource: deployments.apps}, filter: '"+c.filter+
			"', outputs: [out]}\n")
		a, err := Answer(cfg, nil, "a", question(t, "update", c.now, c.old))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(a.Notes, "\n")
		if !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "as it was written") {
			t.Errorf("%s of %s and %s: got %q", c.filter, c.old, c.now, got)
		}
	}
}
