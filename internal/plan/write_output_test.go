package plan

import (
	"strings"
	"testing"
)

func TestPlanOfOutputs(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  a: {informer: {resource: pods}, rules: [{name: r, severity: high, deny: "true"}], outputs: [out, some, file, hook, bus, core, log, note, fix, try, chat, pager]}
  b: {informer: {resource: pods}, outputs: [some]}
outputs:
  out: {stdout: {}}
  some: {when: 'severity == "high"', data: '{"text": message}', stdout: {}}
  file: {file: {path: a.jsonl}}
  hook: {webhook: {url: https://a.example.com/secret, mode: batch}}
  bus: {nats: {servers: ["nats://n"], subject: '"a." + cluster', stream: K8S}}
  core: {nats: {servers: ["nats://n"], subject: '"a"'}}
  log: {kafka: {brokers: ["k:1"], topic: t}}
  note: {kubernetesEvent: {}}
  fix: {patch: {patch: '{"a": op == "resync"}'}}
  try: {patch: {type: json, patch: '[]', dryRun: true}}
  chat: {slack: {url: {fromEnv: U}, text: message}}
  pager: {alertmanager: {url: http://a, labels: {team: '"x"', app: '"y"'}}}
  idle: {file: {path: b.jsonl}}
`)
	var out strings.Builder
	if err := writePlan(cfg, &out); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "\n\noutput ")
	got = "output " + got
	if want := planOfOutputs; got != want || strings.Contains(got, "secret") {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const planOfOutputs = `output bus, NATS, the stream K8S, server nats://n
  gets messages of   a
  subject            "a." + cluster
  data               the default: a report's rule, message and object

output chat, Slack, to the URL in $U
  gets messages of   a
  text               message

output core, NATS, server nats://n
  gets messages of   a
  subject            "a"
  data               the default: a report's rule, message and object

output file, the file a.jsonl
  gets messages of   a
  data               the default: a report's rule, message and object

output fix, patches of type apply
  gets messages of   a
  patch              {"a": op == "resync"}

output hook, a webhook, mode batch, to https://a.example.com/…
  gets messages of   a
  batch              up to 100 messages, which wait for up to 50ms
  data               the default: a report's rule, message and object

output idle, the file b.jsonl
  gets messages of   no listener

output log, Kafka, the topic t, broker k:1
  gets messages of   a
  data               the default: a report's rule, message and object

output note, Events on the API server
  gets messages of   a

output out, standard output
  gets messages of   a
  data               the default: a report's rule, message and object

output pager, an Alertmanager, to http://a
  gets messages of   a
  label app          "y"
  label team         "x"

output some, standard output
  gets messages of   a
  never gets         b: anything
  when               severity == "high"
  data               {"text": message}

output try, patches of type json, without effect
  gets messages of   a
  patch              []
`

// Without an expression, an output sends what its listeners have.
func TestPlanOfUsualData(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  events: {informer: {resource: pods}, outputs: [a, b]}
  rules: {informer: {resource: pods}, rules: [{name: r, deny: "true"}], filter: "true", outputs: [b]}
  handled: {informer: {resource: pods}, handler: {wasm: x}, outputs: [c]}
outputs: {a: {file: {path: a}}, b: {file: {path: b}}, c: {file: {path: c}}, d: {file: {path: d}}}
`)
	p, _ := Compile(cfg, nil)
	for output, want := range map[string]string{
		"a": "the object and old",
		"b": "the object and old; a report's rule, message and object",
		"c": "what the handler makes, or the object and old",
		"d": "",
	} {
		if got := p.usualOf(p.Outputs[output]); got != want {
			t.Errorf("%s: got %q, want %q", output, got, want)
		}
	}
}
