package plan

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// A listener's block has which events it wants, what is evaluated again without one, what it sends,
// and where; what is the default has no line.
func TestPlanShowsWhatAListenerDoes(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}, file: {file: {path: a.jsonl}}, am: {alertmanager: {url: http://am}}}
informers: {nodes: {resource: nodes, keepManagedFields: true, indexes: {zone: metadata.labels.zone, arch: metadata.labels.arch}}}
listeners:
  some: {informer: nodes, on: [add, resync], resync: 1h, outputs: [file, out]}
  usual: {informer: nodes, on: [delete, update, resync, add], resync: 1m, outputs: [out]}
  moving:
    informer: nodes
    select: age() > "1h"
    rules:
      - {name: a, deny: 'cached("nodes", "", "x") == nil', for: 5m, repeat: 1h}
      - {name: b, deny: "true", repeat: 90s}
    outputs: [out]
  still: {informer: nodes, filter: age() > "1h", outputs: [out]}
  handled: {informer: nodes, handler: {wasm: a.wasm}, rules: [{name: a, deny: "true"}], outputs: [out]}
  both: {informer: nodes, filter: "true", rules: [{name: a, deny: "true", message: object.metadata.name + "!"}], outputs: [out, am, file]}
  pager: {informer: {resource: widgets}, filter: "true", rules: [{name: a, deny: "true"}], outputs: [am]}
`)
	var out strings.Builder
	if err := writePlan(cfg, &out); err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(out.String(), "\n\n")
	got, _, _ = strings.Cut(got, "\n\noutput ")
	const want = `informer of nodes, the whole cluster
  named              nodes
  keeps              metadata.managedFields
  indexes            arch: metadata.labels.arch
                     zone: metadata.labels.zone
  shared by          some, usual, moving, still, handled, both
  looked up by       moving
  listener some
    on                 add, resync
    resync             1h
    before the buffer  add, resync
    behind the buffer  nothing
    sends to           file, out
  listener usual
    on                 add, update, delete, resync
    resync             1m
    before the buffer  add, update, delete, resync
    behind the buffer  nothing
    sends to           out
  listener moving
    before the buffer  add, update, delete
    behind the buffer  select: age() > "1h"
                       rule a (medium): cached("nodes", "", "x") == nil, for 5m, again every 1h
                       rule b (medium): true, again every 1m30s
    evaluated again    every 1m: select, rule a
    sends to           out
  listener still
    before the buffer  add, update, delete
    behind the buffer  filter: age() > "1h"
    sends to           out
  listener handled
    before the buffer  add, update, delete
    behind the buffer  rule a (medium): true
    handler            a.wasm
    grants             none
    sends to           out
  listener both
    before the buffer  add, update, delete
    behind the buffer  rule a (medium): true
                         its message: object.metadata.name + "!"
                       filter: true
    sends to           out, am, file

informer of widgets, the whole cluster
  listener pager
    before the buffer  add, update, delete
    behind the buffer  rule a (medium): true
                       filter: true
    sends to           am`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

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

output chat, Slack, to the URL in $U
  gets messages of   a
  text               message

output core, NATS, server nats://n
  gets messages of   a
  subject            "a"

output file, the file a.jsonl
  gets messages of   a

output fix, patches of type apply
  gets messages of   a
  patch              {"a": op == "resync"}

output hook, a webhook, mode batch, to https://a.example.com/…
  gets messages of   a

output idle, the file b.jsonl
  gets messages of   no listener

output log, Kafka, the topic t, broker k:1
  gets messages of   a

output note, Events on the API server
  gets messages of   a

output out, standard output
  gets messages of   a

output pager, an Alertmanager, to http://a
  gets messages of   a
  label app          "y"
  label team         "x"

output some, standard output
  gets messages of   a, b
  when               severity == "high"
  data               {"text": message}

output try, patches of type json, without effect
  gets messages of   a
  patch              []
`

// A line says what a listener's handler may do.
func TestPlanShowsHandlers(t *testing.T) {
	cfg := parse(t, "informers: {nodes: {resource: nodes}}\n"+head+`
  plain: {informer: {resource: pods}, outputs: [out]}
  bare: {informer: {resource: secrets, allowSecrets: true}, handler: {wasm: b.wasm}, outputs: [out]}
  full:
    informer: {resource: services}
    handler:
      wasm: my.wasm
      grants: {log: {}, kv: {}, clock: {}, random: {}, http: {allow: ["https://a.example.com/s3cret", "https://a.example.com/b"]}, cache: {informers: [nodes]}, emit: {types: [com.example.x]}}
    outputs: [out]
`)
	var out bytes.Buffer
	if err := writePlan(cfg, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    handler            b.wasm\n    grants             none\n",
		"    handler            my.wasm\n    grants             log info; kv; clock; random; http GET, POST to a.example.com; cache of nodes; emit event, data of types com.example.x\n" +
			"    sends to           out\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant\n%s", &out, want)
		}
	}
	if strings.Contains(out.String(), "s3cret") {
		t.Error(out.String())
	}
}

// The plan of some listeners has their informers, what they look objects up in, and their outputs,
// with expressions as they are in the configuration.
func TestPlanOfSomeListeners(t *testing.T) {
	long := strings.Repeat("x", 120)
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs:
  out: {stdout: {}}
  file: {when: name == "`+long+`", file: {path: a.jsonl}}
  other: {file: {path: b.jsonl}}
informers: {nodes: {resource: nodes}, pods: {resource: pods}}
listeners:
  first: {informer: pods, outputs: [other]}
  second:
    informer: pods
    filter: |
      object.metadata.name == "`+long+`" ||
        cached("nodes", "", object.spec.nodeName) == nil
    outputs: [out, file]
  third:
    informer: {resource: services}
    rules: [{name: r, for: 1m, deny: object.metadata.name == "`+long+`"}]
    outputs: [file]
  fourth: {informer: {resource: nodes, drop: [status]}, outputs: [other]}
`)
	var out strings.Builder
	if err := writePlan(cfg, &out, "third", "second"); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), strings.ReplaceAll(planOfSome, "LONG", long); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if err := writePlan(cfg, &full{3}, "first"); !errors.Is(err, errFull) {
		t.Error(err)
	}
}

const planOfSome = `cluster default: 3 informers, 2 listeners, 2 outputs

informer of pods, the whole cluster
  named              pods
  shared by          first, second
  listener second
    before the buffer  add, update, delete
    behind the buffer  filter: object.metadata.name == "LONG" ||
                           cached("nodes", "", object.spec.nodeName) == nil
    sends to           out, file

informer of services, the whole cluster
  listener third
    before the buffer  add, update, delete
                       name in ["LONG"]
                       for updates: object or old
    behind the buffer  rule r (medium): object.metadata.name == "LONG", for 1m
    sends to           file

informer of nodes, the whole cluster
  named              nodes
  looked up by       second

output file, the file a.jsonl
  gets messages of   second, third
  when               name == "LONG"

output out, standard output
  gets messages of   second
`
