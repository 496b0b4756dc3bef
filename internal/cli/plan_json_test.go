package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// With -o json, a plan has what the text has, and shows no secret.
func TestPlanAsJSON(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  hook: {webhook: {url: https://h.example.com/hidden}, when: op == "add"}
  note: {kubernetesEvent: {}}
informers: {nodes: {resource: nodes, drop: [status]}}
listeners:
  pods:
    informer: {resource: pods, labelSelector: "a=b", namespaces: [shop]}
    on: [delete, resync]
    resync: 1h
    select: label("app") == "x" && cached("nodes", "", "n") != nil
    rules: [{name: r, deny: object.spec.nodeName == "n", for: 1m, message: '"m"'}]
    filter: object.spec.nodeName == "m"
    outputs: [hook, note]
  widgets: {informer: {resource: widgets}, outputs: [hook], workers: 3, checkpoint: true, buffer: {capacity: 5, overflow: block}, retry: {attempts: 2}}
state: {dir: s}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	const inner = `"behind":[{"is":"select","expression":"label(\"app\") == \"x\" && cached(\"nodes\", \"\", \"n\") != nil"},` +
		`{"is":"rule","name":"r","severity":"medium","expression":"object.spec.nodeName == \"n\"","for":"1m","message":"\"m\""},` +
		`{"is":"filter","expression":"object.spec.nodeName == \"m\""}]`
	for _, c := range []struct {
		args        []string
		has, hasNot []string
	}{
		{nil, []string{inner, `{"resource":"pods","watches":1,"namespaces":["shop"],"labelSelector":"a=b",`,
			`"on":["delete","resync"],"resync":"1h","before":{"on":["add","update","delete","resync"],"conditions":["label(\"app\") in [\"x\"]"],"objectOrOld":true},`,
			`{"resource":"nodes","watches":1,"names":["nodes"],"drop":["status"],"lookedUpBy":["pods"],"listeners":[]}`,
			`{"resource":"widgets","watches":1,"listeners":[{"name":"widgets","on":["add","update","delete"],"before":{"on":["add","update","delete"],"complete":true},"behind":[],"outputs":["hook"]}]}`,
			`"evaluatedAgain":["select"],"outputs":["hook","note"]}`,
			`{"name":"hook","to":"a webhook, mode structured, to https://h.example.com/…","listeners":["pods","widgets"],"expressions":{"when":"op == \"add\""}}`,
			`{"right":"events.events.k8s.io in the namespace shop: create, patch","for":["output \"note\" of listener \"pods\""]}`},
			[]string{"hidden"}},
		{[]string{"-l", "widgets"}, []string{`"resource":"widgets"`, `"name":"hook"`, `"requests":[]`},
			[]string{`"resource":"pods"`, `"resource":"nodes"`, `"note"`}},
	} {
		var out, err, line bytes.Buffer
		if code := Main(append([]string{"plan", path, "-o", "json"}, c.args...), &out, &err); code != exitOK {
			t.Fatalf("exit code %d, %s", code, &err)
		}
		if err := json.Compact(&line, out.Bytes()); err != nil {
			t.Fatal(err)
		}
		for _, text := range c.has {
			if !strings.Contains(line.String(), text) {
				t.Errorf("%q: there is no %s in\n%s", c.args, text, &line)
			}
		}
		for _, text := range c.hasNot {
			if strings.Contains(line.String(), text) {
				t.Errorf("%q: there is %s in\n%s", c.args, text, &line)
			}
		}
	}
	var out, err bytes.Buffer
	if code := Main([]string{"plan", path, "-o", "yaml"}, &out, &err); code != exitUsage {
		t.Errorf("exit code %d, %s", code, &err)
	}
}
