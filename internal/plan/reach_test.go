package plan

import (
	"strings"
	"testing"
)

// What an output can never get is shown at the output and at the listener, and a listener that can
// send nothing to any output is warned of. What is not certain is taken for possible.
func TestPlanShowsWhatAnOutputNeverGets(t *testing.T) {
	const reader = "informer: {resource: pods}"
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: {file: {path: a.jsonl}, when: severity != "low"}
  reports: {file: {path: c.jsonl}, when: rule != nil}
  adds: {file: {path: b.jsonl}, when: op == "add" && name != "x"}
  named: {file: {path: d.jsonl}, when: listener == "some" || name startsWith "y"}
  begins: {file: {path: e.jsonl}, when: type endsWith ".violated"}
  ended: {file: {path: f.jsonl}, when: op == "delete" && violated == false}
  removed: {file: {path: g.jsonl}, when: rule != nil && op == "delete"}
  secrets: {file: {path: h.jsonl}, when: resource == "secrets"}
  undeleted: {file: {path: i.jsonl}, when: op != "delete"}
listeners:
  some: {`+reader+`, rules: [{name: a, severity: low, deny: label("a") == "b"}, {name: b, severity: high, deny: label("a") == "c"}], outputs: [out, named, begins, ended, removed, secrets, undeleted]}
  low: {`+reader+`, rules: [{name: a, severity: low, deny: label("a") == "b"}], outputs: [out, reports]}
  lost: {`+reader+`, rules: [{name: a, severity: low, deny: label("a") == "b"}], outputs: [out]}
  updates: {`+reader+`, on: [update], outputs: [adds]}
  kept: {informer: {resource: secret, allowSecrets: true}, filter: 'true', outputs: [secrets]}
  limited: {`+reader+`, filter: op == "update", outputs: [adds, named]}
  mixed: {`+reader+`, filter: "true", rules: [{name: a, deny: label("a") == "b"}], outputs: [reports, adds]}
  handled: {`+reader+`, on: [update], handler: {wasm: a.wasm}, outputs: [adds]}
  passes: {`+reader+`, on: [add, update], handler: {wasm: a.wasm}, outputs: [adds]}
  never: {`+reader+`, on: [add], filter: op == "update", outputs: [named]}
`)
	p, mistakes := Compile(cfg, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	var out strings.Builder
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  gets messages of   some\n  never gets         some: rule a (low)\n" +
			"                     low: anything\n                     lost: anything\n",
		"  gets messages of   mixed, passes\n  never gets         updates: anything\n" +
			"                     limited: anything\n                     mixed: events update, delete; violations of rule a at update, time; ends of violations of rule a at update, delete, time\n" +
			"                     handled: anything\n  when               op == \"add\"",
		"  gets messages of   low, mixed\n  never gets         mixed: events\n",
		"  gets messages of   some, limited\n  never gets         never: anything\n",
		"sends to           reports: what its rules report\n                       out: nothing,",
		"output begins, the file e.jsonl\n  gets messages of   some\n" +
			"  never gets         some: the ends of violations of rules a, b\n",
		// without the violation there is no end
		"output ended, the file f.jsonl\n  gets messages of   no listener\n" +
			"  never gets         some: anything\n",
		"output undeleted, the file i.jsonl\n  gets messages of   some\n" +
			"  never gets         some: ends of violations of rule a at delete; ends of violations of rule b at delete\n",
		"undeleted: a part of what its rules report\n",
		"output removed, the file g.jsonl\n  gets messages of   no listener\n",
		"output secrets, the file h.jsonl\n  gets messages of   kept\n" +
			"  never gets         some: anything\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("there is no\n%s\nin\n%s", want, &out)
		}
	}
	var warned []string
	for _, w := range p.Unused() {
		if name, _, ok := strings.Cut(w.Message, " sends nothing"); ok {
			warned = append(warned, name)
		}
	}
	if got := strings.Join(warned, " "); got != "listeners.lost listeners.updates listeners.handled" {
		t.Errorf("warned of %q", got)
	}
}
