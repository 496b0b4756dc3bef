package plan

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

const ofFleet = `clusters:
  prod-us: {kubeconfig: us.yaml, labels: {tier: prod, region: us}}
  here: {inCluster: true}
  prod-eu: {kubeconfig: eu.yaml, labels: {region: eu}}
` + head + `
  plain: {informer: {resource: pods}, filter: object.spec.nodeName == "n", outputs: [out]}
  named: {informer: {resource: pods}, filter: cluster == "prod-eu" && op == "add", outputs: [out]}
  selected: {informer: {resource: pods, clusters: [prod-us]}, select: cluster.labels.tier == "prod", outputs: [out]}
  ruled:
    informer: {resource: pods, clusterSelector: region=eu}
    rules: [{name: r, deny: '"region" in cluster.labels', message: 'cluster.name + " in " + cluster.labels.region'}]
    outputs: [out]
  told:
    informer: {resource: pods, clusterSelector: "tier!=prod"}
    rules: [{name: r, deny: object.spec.hostPID, message: cluster}]
    outputs: [out]
`

// A listener is compiled for a cluster only if one of its expressions reads that.
func TestListenersOfAClusterAreThePlansUnlessTheyReadIt(t *testing.T) {
	schemas, err := BuiltinSchemas()
	if err != nil {
		t.Fatal(err)
	}
	p, mistakes := Compile(parse(t, ofFleet), schemas)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	own := map[string]*Listener{}
	for _, l := range p.Listeners {
		own[l.Config.Name] = l
		for _, x := range l.Expressions {
			for _, w := range x.Warnings() {
				t.Error(w)
			}
		}
	}
	for name, want := range map[string]string{
		"prod-eu": "plain* named:true ruled:true/prod-eu in eu told:false/prod-eu",
		"prod-us": "plain* named:false selected:true",
		"here":    "plain* named:false told:false/here",
		"new":     "plain* named:false told:false/new",
	} {
		var labels map[string]string
		if m := p.Config.Clusters[name]; m != nil {
			labels = m.Labels
		}
		var all sync.WaitGroup
		for range 2 { // several clusters may join at once
			all.Go(func() {
				var got []string
				for _, l := range p.In(name, labels) {
					got = append(got, shownIn(t, l, own[l.Config.Name]))
				}
				if text := strings.Join(got, " "); text != want {
					t.Errorf("%s: got  %s\nwant %s", name, text, want)
				}
			})
		}
		all.Wait()
	}
}

// shownIn shows a listener of a cluster by its name, with a star if it is the plan's own, else with the
// values of its expressions.
func shownIn(t *testing.T, l, own *Listener) string {
	if l == own {
		return l.Config.Name + "*"
	}
	if l.Field != own.Field || l.Quiet != own.Quiet || len(l.Expressions) != len(own.Expressions) ||
		fmt.Sprint(l.Before) != fmt.Sprint(own.Before) {
		t.Errorf("%s is another listener", l.Field)
	}
	parser := object.Parser{APIVersion: "v1", Kind: "Pod"}
	pod, err := parser.Parse([]byte(`{"metadata":{"name":"a"},"spec":{"nodeName":"n"}}`))
	if err != nil {
		t.Error(err)
	}
	ev := event.Event{Op: event.Add, Object: pod}
	if i := slices.IndexFunc(l.Filters(), func(f *filters.Filter) bool { return f == nil }); i >= 0 {
		t.Errorf("%s has nothing of %s", l.Field, own.Expressions[i].Below)
	}
	matched, err := l.Filters()[0].Evaluator().Match(ev)
	if err != nil {
		t.Error(err)
	}
	shown := fmt.Sprintf("%s:%t", l.Config.Name, matched)
	if len(l.Rules) > 0 {
		text, err := l.Rules[0].Message().Evaluator().Text(ev)
		if err != nil {
			t.Error(err)
		}
		shown += "/" + text
	}
	return shown
}
