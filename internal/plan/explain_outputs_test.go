package plan

import (
	"strings"
	"testing"
)

// Each output's when is evaluated, and what its data yields is shown.
func TestExplainOfOutputs(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: {stdout: {}}
  high: {stdout: {}, when: severity == "high", data: '{rule: rule, name: name, op: op}'}
  adds: {stdout: {}, when: op == "add" && type == "dev.informerd.object.added" && resource == "deployments.apps"}
  text: {stdout: {}, data: '{text: listener + " " + subject}'}
  fails: {stdout: {}, when: object.spec.n > 1}
  alerts: {alertmanager: {url: http://127.0.0.1:9093}}
listeners:
  plain: {informer: {resource: deploy}, outputs: [out, high, adds, text]}
  filtered: {informer: {resource: deploy}, filter: "true", outputs: [high]}
  handled: {informer: {resource: deploy}, handler: {wasm: my.wasm}, outputs: [high]}
  fails: {informer: {resource: deploy}, filter: "true", rules: [{name: never, deny: "false"}], outputs: [fails, out, alerts]}
  rules: {informer: {resource: deploy}, rules: [{name: r, severity: high, deny: "true"}, {name: s, severity: low, for: 1m, deny: "true"}], outputs: [out, high]}
`)
	const object = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":"web"},"spec":{"n":"a"}}`
	const refuses = "\noutput high, when:\nfalse  severity == \"high\"\n└─ severity = nil\n"
	for listener, want := range map[string][]string{
		"plain": {"\nThere is no filter: the event goes to the outputs out, adds, text; high does not take it.\n" +
			refuses + "\noutput adds, when:\ntrue ",
			"\noutput text, data:\n{\"text\":\"plain deployments.apps/shop/web\"}\n"},
		"filtered": {"The event matches: it goes to no output; high does not take it.\n" + refuses},
		"handled":  {"the event goes to the handler my.wasm.\n"},
		"fails": {"goes to the outputs out; the when of fails fails, which makes a dead letter; alerts takes only reports of rules.\n" +
			"\noutput fails, when:\nerror "},
		"rules": {"reported at once: \"r\"\nThe report goes to the outputs out, high.\n\noutput high, when:\ntrue ",
			"\noutput high, data:\n{\"name\":\"web\",\"op\":\"add\",\"rule\":\"r\"}\n",
			"The report goes to the outputs out; high does not take it.\n"},
	} {
		got := explain(t, cfg, listener, question(t, "add", object, ""))
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s:\n%s\nwant %s", listener, got, part)
			}
		}
		if strings.Contains(got, "data:\n{\"name") != (listener == "rules") {
			t.Errorf("%s:\n%s", listener, got)
		}
	}
}
