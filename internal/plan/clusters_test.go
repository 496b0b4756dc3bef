package plan

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informerd/informerd/internal/config"
)

const clusters = `clusters:
  prod-us: {kubeconfig: us.yaml, context: prod, labels: {tier: prod, region: us}}
  here: {inCluster: true}
  prod-eu: {kubeconfig: eu.yaml, labels: {region: eu}}
`

func TestPlanOfClusters(t *testing.T) {
	cfg := parse(t, clusters+`clustersFrom:
  - {folder: more}
  - {secrets: {namespace: informerd, labelSelector: a=b}}
`+head+`
  a: {informer: {resource: pods}, outputs: [out]}
  b: {informer: {resource: po, clusters: [prod-us, here]}, outputs: [out]}
  c: {informer: {resource: pods, clusters: [here, prod-us]}, outputs: [out]}
  d: {informer: {resource: pods, clusterSelector: region}, outputs: [out]}
`)
	var out strings.Builder
	if err := writePlan(cfg, &out); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "    ") {
			lines = append(lines, line)
		}
	}
	const want = `home cluster default: 3 informers, 4 listeners, 1 output

cluster here, in which informerd runs

cluster prod-eu, kubeconfig eu.yaml
  labels             region=eu

cluster prod-us, kubeconfig us.yaml
  context            prod
  labels             region=us,tier=prod

clusters of the folder more

clusters of Secrets in the namespace informerd
  label selector     a=b

informer of pods, the whole cluster
  listener a

informer of po, the whole cluster
  clusters           here, prod-us
  shared by          b, c
  listener b
  listener c

informer of pods, the whole cluster
  clusters           prod-eu, prod-us
  cluster selector   region
  listener d

output out, standard output
  gets messages of   a, b, c, d
`
	if got := strings.Join(lines, ""); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p, _ := Compile(cfg, nil)
	all, err := p.List("d")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(all)
	for _, want := range []string{
		`"cluster":"default","clusters":[{"name":"here","inCluster":true},{"name":"prod-eu","kubeconfig":"eu.yaml","labels":{"region":"eu"}},`,
		`"clustersFrom":[{"folder":"more"},{"secrets":{"namespace":"informerd","labelSelector":"a=b"}}]`,
		`"clusters":["prod-eu","prod-us"],"clusterSelector":"region"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s\nhas no %s", text, want)
		}
	}
}

func TestClusterWarnings(t *testing.T) {
	const listeners = head + `
  a: {informer: {resource: pods, clusterSelector: region=af}, outputs: [out]}
  b: {informer: {resource: pods, clusterSelector: region=eu}, outputs: [out]}
`
	shown := func(text string) string {
		p, mistakes := Compile(parse(t, text), nil)
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}
		got := ""
		for _, w := range p.Warnings() {
			got += strings.ReplaceAll(w.Error(), filepath.Dir(w.File)+"/", "") + "\n"
			if absent := strings.Contains(w.Message, "no such file"); w.Absent != absent {
				t.Errorf("%v: %t", w, w.Absent)
			}
		}
		return got
	}
	const none = "c.yaml:10:51: listeners.a.informer.clusterSelector matches none of the clusters\n"
	if got := shown(clusters + listeners); got != none {
		t.Errorf("got %s, want %s", got, none)
	}
	got := shown("clustersFrom: [{folder: none}, {folder: /dev/null}, {folder: /}]\n" + listeners)
	const folders = `c.yaml:1:25: clustersFrom[0].folder: "none" cannot be read: no such file or directory
c.yaml:1:41: clustersFrom[1].folder: "/dev/null" cannot be read: not a directory
`
	if got != folders {
		t.Errorf("got %s, want %s", got, folders)
	}
}

func TestKubeconfigMistakes(t *testing.T) {
	cfg := parse(t, "cluster: {kubeconfig: home}\n"+clusters+head+"  a: {informer: {resource: pods}, outputs: [out]}\n")
	shown := func(mistakes config.Errors) string {
		return strings.ReplaceAll(mistakes.Error(), filepath.Dir(cfg.File())+"/", "")
	}
	const home = `c.yaml:1:23: cluster.kubeconfig: "home" cannot be read: no such file or directory`
	const others = `
c.yaml:5:25: clusters.prod-eu.kubeconfig: "eu.yaml" cannot be read: no such file or directory
c.yaml:3:25: clusters.prod-us.kubeconfig: "us.yaml" cannot be read: no such file or directory`
	if got := shown(KubeconfigMistakes(cfg)); got != home+others {
		t.Errorf("got\n%s", got)
	}
	if got := shown(HomeMistakes(cfg)); got != home {
		t.Errorf("of the home cluster: got\n%s", got)
	}
}
