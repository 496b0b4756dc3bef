package plan

import (
	"errors"
	"strings"
	"testing"
)

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
	p, mistakes := Compile(cfg, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	var out strings.Builder
	if err := p.WriteListeners(&out, "third", "second"); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), strings.ReplaceAll(planOfSome, "LONG", long); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if out.Reset(); p.WriteListeners(&out, "third") != nil ||
		!strings.Contains(out.String(), "  gets messages of   third, 1 other\n") {
		t.Errorf("an output's other listeners are not counted:\n%s", &out)
	}
	if err := p.WriteListeners(&full{3}, "first"); !errors.Is(err, errFull) {
		t.Error(err)
	}
	if out.Reset(); p.Write(&out) != nil || strings.Contains(out.String(), "== \""+long) ||
		strings.Count(out.String(), "…") != 4 {
		t.Errorf("the whole plan has expressions in full:\n%s", &out)
	}
}

const planOfSome = `informer of pods, all namespaces, every object
  named              pods
  shared by          first, second
  listener second
    before the buffer  add, update, delete
    behind the buffer  filter: object.metadata.name == "LONG" ||
                           cached("nodes", "", object.spec.nodeName) == nil
    sends to           out, file: events

informer of services, all namespaces, every object
  listener third
    before the buffer  add, update, delete
                       object.metadata.name == "LONG"
                       for updates: object or old
    behind the buffer  rule r (medium): object.metadata.name == "LONG", for 1m
    sends to           file: what its rules report

informer of nodes, every object
  named              nodes
  watched again      with other settings, for listener fourth; objects of both are requested and kept twice
  looked up by       second

output file, the file a.jsonl
  gets messages of   second, third
  when               name == "LONG"
  data               the default: the object and old; a report's rule, message and object

output out, standard output
  gets messages of   second
  data               the default: the object and old
`
