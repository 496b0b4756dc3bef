package plan

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/plan/lookedup"
	"github.com/informerd/informerd/internal/plan/scope"
)

const withLookups = head + `
  node: {informer: {resource: pods}, filter: 'op == "add" && cached("nodes","",object.spec.nodeName).metadata.name startsWith "no"', outputs: [out]}
  maps: {informer: {resource: pods}, filter: 'len(byIndex("maps", "app", "web")) == 2 && len(byIndex("maps", "app", "web", object.metadata.namespace)) == 1 && len(byIndex("maps", "namespace", "pay")) == 1', outputs: [out]}
  set: {informer: {resource: pods}, select: 'cached("nodes", "", "n1") != nil', filter: "true", outputs: [out]}
  rule: {informer: {resource: pods}, rules: [{name: r, deny: 'cached("nodes", "", "n1") == nil'}, {name: s, deny: "true", message: 'cached("nodes", "", "n1").metadata.name'}], outputs: [out]}
informers: {nodes: {resource: nodes}, maps: {resource: configmaps, namespaces: [shop, pay], labelSelector: tier!=x, indexes: {app: metadata.labels.app}}}
`

// Lookups find the objects of the question. Without those, an answer that depends on them is none.
func TestExplainLooksUp(t *testing.T) {
	cfg := parse(t, withLookups)
	object := func(kind, namespace, name, more string) ObjectFile {
		return ObjectFile{Path: name, JSON: []byte(`{"apiVersion":"v1","kind":"` + kind +
			`","metadata":{"namespace":"` + namespace + `","name":"` + name + `"` + more + `}}`)}
	}
	app := `,"labels":{"app":"web"}`
	nodes := map[string][]ObjectFile{"nodes": {object("Node", "", "n1", ""),
		object("Node", "", "no2", "")}}
	maps := map[string][]ObjectFile{"maps": {
		object("ConfigMap", "shop", "a", app), object("ConfigMap", "pay", "b", app),
		object("ConfigMap", "shop", "c", `,"labels":{"app":"web","tier":"x"}`), // not watched
		object("ConfigMap", "elsewhere", "d", app),
	}}
	none := map[string][]ObjectFile{"nodes": nil, "maps": nil}
	const pod = `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"web"},"spec":{"nodeName":"no2"}}`
	for _, c := range []struct {
		listener, op string
		lookups      map[string][]ObjectFile
		says         string
		undecided    string
	}{
		{"node", "add", nodes, "The event matches: it goes to the output out.\n", ""},
		{"node", "add", none, "The event does not match.\n", ""},
		{"node", "add", maps,
			"\nfilter:\nThis cannot be told: it depends on objects of nodes, which are not known here.\n",
			"nodes"},
		{"node", "delete", nil, "The event does not match.\n", ""}, // whatever the node is
		{"maps", "add", maps, "The event matches: it goes to the output out.\n", ""},
		{"maps", "add", nodes, "it depends on objects of maps", "maps"},
		{"set", "add", nodes, "The event matches", ""},
		{"set", "add", nil, "it depends on objects of nodes, which are not known here.\n", "nodes"},
		{"rule", "add", none, "The object violates the rule, which is reported at once: \"r\"\n", ""},
		{"rule", "add", nodes, "The object does not violate the rule.\n", ""},
		{"rule", "add", nil, "\nrule s, message:\nThis cannot be told: it depends on objects of nodes, which are not known here.\nThe object violates the rule, which is reported at once. Its message cannot be told, and so not where it goes.\n", "nodes"},
	} {
		q := question(t, c.op, pod, "")
		q.Lookups = c.lookups
		var out bytes.Buffer
		err := Explain(cfg, nil, c.listener, q, &out)
		var undecided *lookedup.UndecidedError
		if errors.As(err, &undecided) != (c.undecided != "") ||
			c.undecided != "" && !slices.Equal(undecided.Informers, []string{c.undecided}) ||
			c.undecided == "" && err != nil || !strings.Contains(out.String(), c.says) ||
			c.undecided != "" && strings.Contains(out.String(), "match") {
			t.Errorf("%s, %s: %v\n%s\nwant %s", c.listener, c.op, err, &out, c.says)
		}
	}
	q := question(t, "add", pod, "")
	q.Lookups = map[string][]ObjectFile{"nodes": append(nodes["nodes"], maps["maps"]...)}
	if got := explain(t, cfg, "node", q); !strings.Contains(got,
		"\nNote: the objects for nodes that are of other kinds are left out: 4\n") ||
		!strings.Contains(got, "The event matches") {
		t.Error(got)
	}
	q.Lookups = map[string][]ObjectFile{"nodes": maps["maps"]}
	if err := Explain(cfg, nil, "node", q, &bytes.Buffer{}); err == nil ||
		err.Error() != `d: this is a ConfigMap, and the informer "nodes" watches nodes` {
		t.Error(err)
	}
}

// An object that the informer does not watch causes nothing, and an update may be something else to
// a listener.
func TestExplainOfObjectsThatAreNotWatched(t *testing.T) {
	cfg := parse(t, head+`
  spaces: {informer: {resource: pods, namespaces: [pay, till]}, outputs: [out]}
  labels: {informer: {resource: pods, labelSelector: "app in (web)"}, filter: op == "delete", outputs: [out]}
  fields: {informer: {resource: pods, fieldSelector: "metadata.name!=db,spec.nodeName!=,status.phase=Running"}, outputs: [out]}
  others: {informer: {resource: widgets.example.com, fieldSelector: "spec.size=1"}, outputs: [out]}
`)
	pod := func(name, more string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"` + name +
			`"` + more + `}`
	}
	web, node := pod("web", `,"labels":{"app":"web"}}`), `},"spec":{"nodeName":"n1"}`
	for _, c := range []struct{ listener, object, old, says, reasons string }{
		{"spaces", web, "", "The listener gets no event of this object: the informer watches only the namespaces pay, till.\n",
			`new.json: the listener "spaces" gets no event of this object: the informer watches only the namespaces pay, till`},
		{"labels", pod("web", "}"), "", "The listener gets no event of this object: the informer's labelSelector is app=web.\n",
			`new.json: the listener "labels" gets no event of this object: the informer's labelSelector is app=web`},
		{"labels", pod("web", "}"), pod("web", "}"), "gets no event", "labelSelector"},
		{"labels", pod("web", "}"), web,
			"Note: the update takes the object out of what the informer watches, so this is a delete: the informer's labelSelector is app=web\n\nfilter:\ntrue ", ""},
		{"labels", web, pod("web", "}"),
			"Note: the update brings the object into what the informer watches, so this is an add: the informer's labelSelector is app=web\n\nfilter:\nfalse ", ""},
		{"labels", web, web, "The event does not match", ""},
		{"fields", pod("web", node+`,"status":{"phase":"Running"}`), "", "There is no filter", ""},
		{"fields", pod("db", node+`,"status":{"phase":"Running"}`), "", "fieldSelector", "fieldSelector"},
		{"fields", pod("web", `},"status":{"phase":"Running"}`), "", "fieldSelector", "fieldSelector"},
		{"fields", pod("web", node+`,"status":{"phase":"Failed"}`), "", "fieldSelector", "fieldSelector"},
		{"others", `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":2}}`,
			"", "There is no filter", ""}, // only the API server knows
	} {
		op := "add"
		if c.old != "" {
			op = "update"
		}
		closed := func(text string) string {
			if text == "" {
				return ""
			}
			return text + strings.Repeat("}", strings.Count(text, "{")-strings.Count(text, "}"))
		}
		var out bytes.Buffer
		err := Explain(cfg, nil, c.listener, question(t, op, closed(c.object), closed(c.old)), &out)
		var unwatched *scope.UnwatchedError
		if errors.As(err, &unwatched) != (c.reasons != "") ||
			err != nil && !strings.Contains(err.Error(), c.reasons) ||
			!strings.Contains(out.String(), c.says) {
			t.Errorf("%s of %s: %v\n%s\nwant %s", c.listener, c.object, err, &out, c.says)
		}
	}
}
