package plan

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/pkg/filters"
)

func TestPlan(t *testing.T) {
	cfg := parse(t, `apiVersion: informerd.dev/v1alpha1
kind: Config
informers:
  pods: {resource: pods, namespaces: [shop, pay]}
  nodes: {resource: nodes, drop: [status.images]}
listeners:
  whole:
    informer: pods
    filter: |
      op == "add" &&
      label("tier") in ["x", "y"]
    outputs: [out]
  rules:
    informer: {resource: Pods, namespaces: [pay, shop]}
    select: object.metadata.namespace == "shop"
    filter: object.spec.nodeName == "n"
    rules:
      - {name: pending, severity: high, for: 90s, deny: object.status.phase == "Pending"}
      - {name: late, deny: 'age() > "1h" && cached("nodes", "", object.spec.nodeName) == nil'}
    outputs: [out]
  all: {informer: {resource: configmaps, labelSelector: "a in (b), c"}, outputs: [out]}
  asked-already: {informer: {resource: configmaps, labelSelector: "a==b,c"}, filter: 'label("a") == "b"', outputs: [out]}
  more: {informer: {resource: configmaps, labelSelector: "a=b,c"}, select: 'label("a") == "b" && label("d") != "e"', outputs: [out]}
  never:
    informer: {resource: services}
    on: [add]
    filter: became(object.spec.type == "LoadBalancer")
    outputs: [out]
  nothing: {informer: {resource: secrets, allowSecrets: true}, select: "false", outputs: [out]}
outputs: {out: {stdout: {}}}
`)
	var out bytes.Buffer
	if err := writePlan(cfg, &out); err != nil {
		t.Fatal(err)
	}
	want := `cluster default: 5 informers with 6 watches, 7 listeners, 1 output

informer of pods, namespaces pay, shop: 2 watches
  named              pods
  shared by          whole, rules
  listener whole
    before the buffer  add
                       label("tier") in ["x", "y"]
    behind the buffer  filter: op == "add" &&
                         label("tier") in ["x", "y"]
                       (decided before the buffer)
    sends to           out
  listener rules
    before the buffer  add, update, delete
                       namespace in ["shop"]
                       for updates: object or old
    behind the buffer  select: object.metadata.namespace == "shop"
                       rule pending (high): object.status.phase == "Pending", for 1m30s
                       rule late (medium): age() > "1h" && cached("nodes", "", object.spec.nodeName) == nil
                       filter: object.spec.nodeName == "n"
    evaluated again    every 1m: rule late
    sends to           out

informer of configmaps, the whole cluster
  label selector     a=b,c
  shared by          all, asked-already, more
  listener all
    before the buffer  add, update, delete
    behind the buffer  nothing
    sends to           out
  listener asked-already
    before the buffer  add, update, delete
                       label("a") in ["b"]
    behind the buffer  filter: label("a") == "b"
                       (decided before the buffer)
    sends to           out
  listener more
    before the buffer  add, update, delete
                       label("a") in ["b"]
                       label("d") not in ["e"]
                       for updates: object or old
    behind the buffer  select: label("a") == "b" && label("d") != "e"
                       (decided before the buffer)
    sends to           out

informer of services, the whole cluster
  listener never
    on                 add
    warning            ` + cfg.File() + `:27:13: became is never true: the events are add, and only an update changes an object
    before the buffer  refuses every event: no event can match
    behind the buffer  filter: became(object.spec.type == "LoadBalancer")
    sends to           out

informer of secrets, the whole cluster
  listener nothing
    before the buffer  refuses every event: no event can match
    behind the buffer  select: false
                       (decided before the buffer)
    sends to           out

informer of nodes, the whole cluster
  named              nodes
  drops              status.images
  looked up by       rules

output out, standard output
  gets messages of   whole, rules, all, asked-already, more, never, nothing
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPlanOfAWrongConfiguration(t *testing.T) {
	cfg := parse(t, head+`  a: {informer: {resource: pods}, filter: objekt.a, outputs: [out]}`)
	var out bytes.Buffer
	err := writePlan(cfg, &out)
	var mistakes config.Errors
	if !errors.As(err, &mistakes) || out.Len() > 0 {
		t.Errorf("%v\n%s", err, out.String())
	}
}

var errFull = errors.New("the disk is full")

// full takes so many writes and then no more.
type full struct{ writes int }

func (f *full) Write(p []byte) (int, error) {
	if f.writes--; f.writes < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	cfg := parse(t, head+`  a: {informer: {resource: pods}, filter: 'label("a") == "b"', outputs: [out]}`)
	if err := writePlan(cfg, &full{3}); !errors.Is(err, errFull) {
		t.Error("plan:", err)
	}
}

// A listener whose expressions look into the same informer twice is named once, and so is the
// informer.
func TestLookups(t *testing.T) {
	var all []*filters.Filter
	for _, text := range []string{`cached("b", "", "x") == nil`,
		`cached("a", "", "x") == nil || cached("b", "", "y") == nil`, `true`} {
		f, err := filters.Compile(filters.Expression{Text: text,
			Informers: map[string][]string{"a": nil, "b": nil}})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	if got := lookups(all); !slices.Equal(got, []string{"a", "b"}) {
		t.Error(got)
	}
}

// Whatever names listeners call a resource by, plan has one informer of it, as run has. Versions
// and scopes keep them apart.
func TestPlanKnowsTheNamesOfAResource(t *testing.T) {
	for names, want := range map[string]int{
		"pods pod po Pod pods.v1 POD":                                       1,
		"deployments.apps deploy Deployment deployments.v1.apps deployment": 1,
		"pods pods.v2": 2,
		"gadgets.example.com Gadgets.example.com": 1,
		"nodes pods no": 2,
		"hpa horizontalpodautoscalers.v2.autoscaling horizontalpodautoscalers.v1.autoscaling": 2,
	} {
		text := head
		for i, name := range strings.Fields(names) {
			text += fmt.Sprintf("  l%d: {informer: {resource: %s}, outputs: [out]}\n", i, name)
		}
		var out bytes.Buffer
		if err := writePlan(parse(t, text), &out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(out.String(), "informer of "); got != want {
			t.Errorf("%s: %d informers, want %d\n%s", names, got, want, out.String())
		}
	}
}
