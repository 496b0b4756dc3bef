package rights

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

func planOf(t testing.TB, text string) *plan.Plan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	text = "apiVersion: informerd.dev/v1alpha1\nkind: Config\n" + text
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	p, mistakes := plan.Compile(cfg, nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes)
	}
	return p
}

const outputs = `outputs:
  out: {stdout: {}}
  note: {kubernetesEvent: {}}
  fix: {patch: {patch: '{"metadata": {"labels": {"a": "b"}}}'}}
  try: {patch: {patch: '{"metadata": {"labels": {"a": "b"}}}', dryRun: true}}
listeners:
`

// Needs lists what a configuration needs, and who needs it.
func TestNeeds(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"what an informer needs": {"  a: {informer: {resource: po}, outputs: [out]}\n", `
list pods: listener "a"
watch pods: listener "a"`},
		"several namespaces": {
			"  a: {informer: {resource: Pod, namespaces: [x, \"1\"]}, outputs: [out]}\n", `
list pods in x: listener "a"
watch pods in x: listener "a"
list pods in 1: listener "a"
watch pods in 1: listener "a"`},
		"an informer that nobody uses": {
			"  a: {informer: {resource: nodes}, outputs: [out]}\n" +
				"informers: {pods: {resource: pods}}\n", `
list nodes: listener "a"
watch nodes: listener "a"`},
		"one object": {
			"  a: {informer: {resource: configmaps, namespaces: [x]," +
				" fieldSelector: 'metadata.name=one,metadata.namespace!=y'}, outputs: [fix]}\n", `
list configmaps "one" in x: listener "a"
watch configmaps "one" in x: listener "a"
get configmaps "one" in x: output "fix" of listener "a"
patch configmaps "one" in x: output "fix" of listener "a"
create events.events.k8s.io in x: output "fix" of listener "a"
patch events.events.k8s.io in x: output "fix" of listener "a"`},
		"all but one object": {
			"  a: {informer: {resource: configmaps, fieldSelector: metadata.name!=one}," +
				" outputs: [out]}\n", `
list configmaps: listener "a"
watch configmaps: listener "a"`},
		"patches and Events in one namespace": {
			"  a: {informer: {resource: configmaps, fieldSelector: metadata.namespace=x}," +
				" outputs: [try, note]}\n", `
list configmaps: listener "a"
watch configmaps: listener "a"
get configmaps in x: output "try" of listener "a"
patch configmaps in x: output "try" of listener "a"
create events.events.k8s.io in x: output "note" of listener "a"
patch events.events.k8s.io in x: output "note" of listener "a"`},
		"Events about what is in no namespace": {
			"  a: {informer: {resource: nodes}, outputs: [note]}\n", `
list nodes: listener "a"
watch nodes: listener "a"
create events.events.k8s.io in default: output "note" of listener "a"
patch events.events.k8s.io in default: output "note" of listener "a"`},
		"Events about what may be in namespaces or not": {
			"  a: {informer: {resource: things.v1.example.com}, outputs: [note]}\n", `
list things.example.com: listener "a"
watch things.example.com: listener "a"
create events.events.k8s.io: output "note" of listener "a"
patch events.events.k8s.io: output "note" of listener "a"
list customresourcedefinitions.apiextensions.k8s.io: resources that come and go (optional)
watch customresourcedefinitions.apiextensions.k8s.io: resources that come and go (optional)`},
		"lookups": {
			`  a: {informer: {resource: pods}, filter: 'cached("n", "", "x") == nil', outputs: [out]}` +
				"\ninformers: {n: {resource: nodes}, m: {resource: services}}\n", `
list pods: listener "a"
watch pods: listener "a"
list nodes: lookups of listener "a"
watch nodes: lookups of listener "a"`},
		"an election": {"  a: {informer: {resource: pods}, outputs: [out]}\n" +
			"leaderElection: {name: hooks}\n", `
list pods: listener "a"
watch pods: listener "a"
create leases.coordination.k8s.io in own: leaderElection
get leases.coordination.k8s.io "hooks" in own: leaderElection
list leases.coordination.k8s.io "hooks" in own: leaderElection
update leases.coordination.k8s.io "hooks" in own: leaderElection
watch leases.coordination.k8s.io "hooks" in own: leaderElection
create configmaps in own: leaderElection
get configmaps "hooks-progress" in own: leaderElection
update configmaps "hooks-progress" in own: leaderElection`},
		"endpoints for others": {"  a: {informer: {resource: pods}, outputs: [out]}\n" +
			"http: {address: ':8443', auth: kubernetes}\n", `
list pods: listener "a"
watch pods: listener "a"
create tokenreviews.authentication.k8s.io: http.auth
create subjectaccessreviews.authorization.k8s.io: http.auth`},
	} {
		p := planOf(t, outputs+c.text)
		needs, err := Needs(t.Context(), p, &Finder{Config: p.Config}, "own")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := ""
		for _, n := range needs {
			got += fmt.Sprintf("\n%s: %s", n.Right, n.For)
		}
		if got != c.want {
			t.Errorf("%s:%s\nwant%s", name, got, c.want)
		}
	}
}

// Of several clusters, the home cluster has the Leases and Secrets, and what informers need if it is
// one of those that they watch.
func TestNeedsOfClusters(t *testing.T) {
	const listeners = outputs + `  a: {informer: {resource: pods, clusterSelector: "!own"}, outputs: [out]}
  b: {informer: {resource: things.example.com, clusters: [here]}, outputs: [note]}
leaderElection: {name: hooks}
sharding: {shards: 2}
clustersFrom: [{folder: x}, {secrets: {namespace: y, labelSelector: a=b}}]
clusters: {eu: {kubeconfig: eu}, here: {kubeconfig: here, labels: {own: ""}}}
`
	const watched = `cluster:
# resources that come and go (optional)
- {apiGroups: [apiextensions.k8s.io], resources: [customresourcedefinitions], verbs: [list, watch]}
# output "note" of listener "b"
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}
# listener "b"
- {apiGroups: [example.com], resources: [things], verbs: [list, watch]}
`
	const home = `release:
# leaderElection
- {apiGroups: [''], resources: [configmaps], verbs: [create, get, update]}
# leaderElection
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [create, delete, get, list, update]}
namespaces:
  'y':
  # clustersFrom
  - {apiGroups: [''], resources: [secrets], verbs: [get, list, watch]}
`
	for text, want := range map[string]string{
		listeners: "cluster: []\n" + home,
		strings.Replace(listeners, "kubeconfig: here", "inCluster: true", 1): watched + home,
	} {
		p := planOf(t, text)
		all, err := Needs(t.Context(), p, &Finder{Config: p.Config}, ReleaseNamespace)
		if err != nil {
			t.Fatal(err)
		}
		if got := helmRules(Home(p.Config, all)); got != want {
			t.Errorf("at home: got\n%s\nwant\n%s", got, want)
		}
		if got := helmRules(all); !strings.Contains(got, `listener "a"`) || !strings.Contains(got, watched[len("cluster:\n"):]) {
			t.Errorf("in all: got\n%s", got)
		}
		var text strings.Builder
		if err := Write(&text, Account{"n", "n"}, all, p.Config, "c.yaml", "yaml"); err != nil ||
			!strings.Contains(text.String(), "\n# What is for listeners and outputs is needed in each cluster that is watched, the rest in the home cluster.\napiVersion") {
			t.Errorf("%v\n%s", err, text.String())
		}
	}
}

// Offline reads names that not every cluster has, and refuses those that it cannot know.
func TestOfflineNames(t *testing.T) {
	for name, want := range map[string]string{
		"certificates.v1.cert-manager.io": "certificates.cert-manager.io",
		"certificates.cert-manager.io":    "certificates.cert-manager.io",
		"things.v2beta10.example.com":     "things.example.com",
		"things.stable.example.com":       "things.stable.example.com",
		"events.v1.events.k8s.io":         "events.events.k8s.io",
		"ev":                              "events",
		"deployments.v1beta1.apps":        "deployments.apps",
		"pods.v1.metrics.k8s.io":          "pods.metrics.k8s.io",
		"Deployment":                      "deployments.apps",
		"widgets":                         "",
		"widgets.v1":                      "",
		"Certificate.v1.cert-manager.io":  "",
		"nodes":                           "nodes",
		"clusterroles":                    "clusterroles.rbac.authorization.k8s.io",
		"customresourcedefinitions":       "customresourcedefinitions.apiextensions.k8s.io",
		"endpointslices.discovery.k8s.io": "endpointslices.discovery.k8s.io",
	} {
		p := planOf(t, outputs+"  a: {informer: {resource: "+name+"}, outputs: [out]}\n")
		f := &Finder{Config: p.Config}
		found, err := f.find(t.Context(), plan.InformersOf(p.Config)[0])
		var mistakes config.Errors
		switch got := found.GVR.GroupResource().String(); {
		case want == "" && (!errors.As(err, &mistakes) || mistakes[0].Line != 9):
			t.Errorf("%s: %q, %v", name, got, err)
		case want != "" && (err != nil || got != want):
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
	p := planOf(t, outputs+"  a: {informer: {resource: nodes, namespaces: [x]}, outputs: [out]}\n")
	_, err := Needs(t.Context(), p, &Finder{Config: p.Config}, "")
	if err == nil || !strings.Contains(err.Error(), "c.yaml:9:28: nodes") {
		t.Errorf("nodes in a namespace: %v", err)
	}
}

// 300 listeners that watch the same resources need few rules, whatever their order.
func TestManyListeners(t *testing.T) {
	var text strings.Builder
	for n := range 300 {
		resource := []string{"pods", "deployments.apps", "nodes", "configmaps"}[n%4]
		fmt.Fprintf(&text, "  l%d: {informer: {resource: %s", n, resource)
		if resource == "configmaps" {
			fmt.Fprintf(&text, ", namespaces: [n%d]", n/4%5)
		}
		text.WriteString("}, outputs: [note]}\n")
	}
	p := planOf(t, outputs+text.String())
	begun := time.Now()
	needs, err := Needs(t.Context(), p, &Finder{Config: p.Config}, "")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(manifests(Account{"informerd", "informerd"}, needs), "---\n")
	t.Logf("%d needs in %v", len(needs), time.Since(begun))
	if rules := strings.Count(got, "\n- {apiGroups"); rules != 3+5 ||
		!strings.Contains(got, `output "note" of listener "l0", `) ||
		!strings.Contains(got, " and 147 more\n- {apiGroups: [events.k8s.io]") {
		t.Errorf("%d rules:\n%s", rules, got)
	}
}
