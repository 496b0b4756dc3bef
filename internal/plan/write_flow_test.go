package plan

import (
	"errors"
	"fmt"
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
	const want = `informer of nodes, every object
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
    sends to           file, out: events add, resync
  listener usual
    resync             1m
    before the buffer  add, update, delete, resync
    behind the buffer  nothing
    sends to           out: events
  listener moving
    before the buffer  add, update, delete
    behind the buffer  select: age() > "1h"
                       rule a (medium): cached("nodes", "", "x") == nil, for 5m, again every 1h
                       rule b (medium): true, again every 1m30s
    evaluated again    every 1m: select, rule a
    sends to           out: what its rules report
  listener still
    before the buffer  add, update, delete
    behind the buffer  filter: age() > "1h"
    sends to           out: events
  listener handled
    before the buffer  add, update, delete
    behind the buffer  rule a (medium): true
    handler            a.wasm
    grants             none
    sends to           out: what the handler passes on or emits; what its rules report
  listener both
    before the buffer  add, update, delete
    behind the buffer  rule a (medium): true
                         its message: object.metadata.name + "!"
                       filter: true
    sends to           out, file: events; what its rules report
                       am: what its rules report

informer of widgets, all namespaces, every object
  not known here     whether the API server has it: informerd validate --cluster asks
  listener pager
    before the buffer  add, update, delete
    behind the buffer  rule a (medium): true
                       filter: true
    sends to           am: what its rules report`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A plan of all listeners has the beginning of many conditions before the buffer, the plan of one
// has them all.
func TestPlanOfManyConditions(t *testing.T) {
	var filter []string
	for i := range 12 {
		filter = append(filter, fmt.Sprintf(`label("a%d") == "a text that takes room"`, i))
	}
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
outputs: {out: {stdout: {}}}
listeners: {many: {informer: {resource: pods}, outputs: [out], filter: '`+
		strings.Join(filter, " && ")+`'}}
`)
	p, mistakes := Compile(cfg, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	var all, one strings.Builder
	if err := errors.Join(p.Write(&all), p.WriteListeners(&one, "many")); err != nil {
		t.Fatal(err)
	}
	const first, more = `    before the buffer  add, update, delete
                       label("a0") == "a text that takes room" &&
`, `                       … 7 more lines, which --listener many shows
`
	if !strings.Contains(all.String(), first) || !strings.Contains(all.String(), more) ||
		strings.Contains(all.String(), `                       label("a5")`) {
		t.Errorf("of all:\n%s", &all)
	}
	if !strings.Contains(one.String(), first) || strings.Contains(one.String(), "…") ||
		!strings.Contains(one.String(), `                       label("a11")`) {
		t.Errorf("of one:\n%s", &one)
	}
}
