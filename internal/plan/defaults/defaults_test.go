package defaults

import (
	"strings"
	"testing"

	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

const (
	deployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web","namespace":"shop"},` +
		`"spec":{"template":{"spec":{"containers":[{"name":"a","ports":[{"containerPort":80}],"livenessProbe":{"tcpSocket":{"port":80}}}]}}}}`
	recreate = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"strategy":{"type":"Recreate"}}}`
	pod      = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"containers":[{"name":"a","resources":{"limits":{"cpu":"1"}}}]}}`
	config   = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"},"data":{}}`
	service  = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80}]}}`
	widget   = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"web"},"spec":{}}`
)

// What an expression finds to be nil is named if an API server fills it in, however it is written.
func TestWhatAnAPIServerFillsIn(t *testing.T) {
	for _, c := range []struct{ object, text, want string }{
		{deployment, `object.spec.replicas <= 1`, "object.spec.replicas"},
		{deployment, `object?.spec?.revisionHistoryLimit > 5`, "object?.spec?.revisionHistoryLimit"},
		{deployment, `object["spec"].progressDeadlineSeconds == 3`, `object["spec"].progressDeadlineSeconds`},
		{deployment, `(object.spec.replicas ?? 1) > 1 || object.spec.replicas == 3`, "object.spec.replicas"},
		{deployment, `let s = object.spec; s.replicas == 1`, "s.replicas"},
		{deployment, `object.spec.strategy.rollingUpdate.maxSurge == 1`, "object.spec.strategy.rollingUpdate.maxSurge"},
		{recreate, `object.spec.strategy.rollingUpdate.maxSurge == 1`, ""},
		{recreate, `object.spec.strategy.rollingUpdate == nil`, ""},
		{deployment, `object.spec.paused == true`, ""},
		{deployment, `object.spec.repliccas == 1`, ""},
		{deployment, `any(object.spec.template.spec.containrs, .imagePullPolicy == "Always")`, ""},
		{deployment, `any(object.spec.template.spec.containers, .imagePullPolicy == "Always" || any(.ports, .protocol == "UDP"))`,
			".imagePullPolicy .protocol"},
		{deployment, `first(object.spec.template.spec.containers).terminationMessagePath == "x"`,
			"first(object.spec.template.spec.containers).terminationMessagePath"},
		{deployment, `object.spec.template.spec.containers[0].resources == nil`, "object.spec.template.spec.containers[0].resources"},
		{deployment, `any(object.spec.template.spec.containers, .resources.requests.cpu == nil)`, ""}, // a template has none
		{deployment, `any(object.spec.template.spec.containers, .livenessProbe.periodSeconds == 10)`, ".livenessProbe.periodSeconds"},
		{deployment, `any(object.spec.template.spec.containers, .readinessProbe.periodSeconds == 10)`, ""}, // there is no such probe
		{deployment, `object.spec.template.spec.serviceAccountName == nil`, ""},
		{deployment, `any(object.status.conditions, .type == "Available")`, "object.status.conditions"},
		{deployment, `false && object.spec.replicas == 1`, ""},
		{deployment, `object.metadata.creationTimestamp == nil || label("a") == "b"`, "object.metadata.creationTimestamp"},
		{deployment, `object.metadata.annotations.x == nil`, ""},
		{pod, `any(object.spec.containers, .resources.requests.cpu == nil)`, ".resources.requests.cpu"},
		{pod, `any(object.spec.containers, .resources.requests.memory == nil)`, ""},
		{pod, `object.spec.serviceAccountName == "default" || object.spec.dnsPolicy == "None"`,
			"object.spec.serviceAccountName object.spec.dnsPolicy"},
		{pod, `object.spec.nodeName == nil || object.spec.hostname == nil`, ""},
		{config, `object.data.bog == "x" || object.status.phase == "x"`, "object.status.phase"},
		{service, `object.spec.type == "LoadBalancer" || any(object.spec.ports, .protocol == "UDP" || .nodePort > 1)`,
			"object.spec.type .protocol"},
		{widget, `object.spec.replicas == 1 || object.status.ready == true || age() > "1h"`, "object.status.ready age()"},
	} {
		if got := strings.Join(lacks(t, c.object, c.text), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

// Of a filled object, what depends on the cluster is still named, and nothing else: not what no API
// server fills in since something else is written.
func TestWhatAFilledObjectLacks(t *testing.T) {
	const (
		job         = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"a"},"spec":{"parallelism":2,"template":{"spec":{}}}}`
		stateful    = `{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"a"},"spec":{"updateStrategy":{"type":"RollingUpdate"}}}`
		binding     = `{"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"a"},"subjects":[{"kind":"ServiceAccount"}]}`
		outside     = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"type":"ExternalName"}}`
		nodePort    = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"type":"NodePort","ports":[{"port":80}]}}`
		withImage   = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"image":"a"}]}}`
		limitedPods = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"resources":{"limits":{"cpu":"1"}}}}`
	)
	for _, c := range []struct{ object, text, want string }{
		{deployment, `object.spec.replicas == 1 && object.spec.strategy.rollingUpdate.maxSurge == "25%" && object.spec.template.spec.restartPolicy == "Always" && object.status.replicas == 1`, "object.status.replicas"},
		{deployment, `object.metadata.uid == nil && object.metadata.generation == nil && age() == nil`, "object.metadata.uid object.metadata.generation age()"},
		{deployment, `any(object.spec.template.spec.containers, .imagePullPolicy == "Never")`, ".imagePullPolicy"}, // of no image
		{withImage, `any(object.spec.containers, .imagePullPolicy == "Never")`, ""},
		{withImage, `object.spec.serviceAccountName == "default" && object.spec.priority == nil && object.spec.volumes == nil`, "object.spec.priority object.spec.volumes"},
		{limitedPods, `object.spec.resources.requests.cpu == nil`, ""},
		{limitedPods, `object.spec.resources.requests == nil`, "object.spec.resources.requests"},
		{pod, `any(object.spec.containers, .resources.requests.cpu == "1")`, ""},
		{job, `object.spec.completions == nil && object.spec.selector == nil`, "object.spec.selector"},
		{stateful, `object.spec.updateStrategy.rollingUpdate == nil && object.spec.replicas == 1`, ""},
		{binding, `any(object.subjects, .apiGroup == nil)`, ""},
		{outside, `object.spec.clusterIP == nil && object.spec.internalTrafficPolicy == nil`, ""},
		{service, `object.spec.type == "ClusterIP" && object.spec.clusterIP == nil`, "object.spec.clusterIP"},
		{nodePort, `any(object.spec.ports, .nodePort == 1 && .protocol == "TCP")`, ".nodePort"},
	} {
		filled, _ := Fill([]byte(c.object))
		if got := strings.Join(lacks(t, string(filled), c.text), " "); got != c.want {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}

// lacks returns what an expression finds missing in an object.
func lacks(t *testing.T, text, expression string) []string {
	t.Helper()
	f, err := filters.Compile(filters.Expression{Kind: filters.KindDeny, Text: expression,
		Schema: openapi.AnyObject()})
	if err != nil {
		t.Fatal(err)
	}
	o, err := (&object.Parser{}).Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	w := Of([]byte(text))
	w.Read(f.Explain(event.Event{Op: event.Resync, Object: o}, nil).Root)
	return w.Lacks
}

// An object of an API server has all its fields.
func TestWhatAnAPIServerHasFilledIn(t *testing.T) {
	for _, text := range []string{
		strings.Replace(pod, `"name":"web"`, `"name":"web","uid":"u"`, 1),
		strings.Replace(pod, `"name":"web"`, `"name":"web","resourceVersion":"7"`, 1),
		strings.Replace(pod, `"spec"`, `"status":{},"spec"`, 1),
		"no object",
	} {
		if Of([]byte(text)) != nil {
			t.Error(text)
		}
	}
}

// Each kind and each field that is named here is one of Kubernetes.
func TestFieldsExist(t *testing.T) {
	set, err := openapi.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for kind := range unknown {
		kinds[kind] = true
	}
	for kind := range podsAt {
		kinds[kind] = true
	}
	for kind := range kinds {
		group, name, found := strings.Cut(kind, "/")
		if !found {
			group, name = "", kind
		}
		versions := set.APIVersions(group, name)
		if len(versions) == 0 {
			t.Errorf("there is no %s", kind)
			continue
		}
		known, _ := set.FindKind(versions[0], name)
		resource := known.Resource
		if group != "" {
			resource += "." + group
		}
		schema, ok := set.Lookup(resource)
		if !ok {
			t.Errorf("there is no %s", resource)
			continue
		}
		m := &manifest{version: versions[0], kind: name}
		for _, field := range m.unknown() {
			if !has(t, schema, "object."+field) {
				t.Errorf("%s has no %s", kind, field)
			}
		}
	}
}

// has reports whether a field exists, which may be one of items.
func has(t *testing.T, schema *filters.Schema, field string) bool {
	t.Helper()
	for _, list := range []string{"containers", "initContainers", "ports", "volumes", "sources",
		"env", "webhooks", "rules", "subjects", "volumeClaimTemplates", "ingress", "egress",
		"subsets"} {
		field = strings.Replace(field, "."+list+".", "."+list+"[0].", 1)
	}
	_, err := filters.Compile(filters.Expression{Kind: filters.KindDeny, Text: field + " == nil",
		Schema: schema})
	return err == nil || !strings.Contains(err.Error(), "there is no field")
}
