package config

import (
	"strings"
	"testing"
)

func TestClusterMistakes(t *testing.T) {
	const place = "cluster: {name: c}"
	one := func(fields string) string { return "clusters: {eu: {" + fields + "}}" }
	testMistakes(t, []mistake{
		{"none", place, "clusters: {}", "3:11: clusters must have at least one cluster"},
		{"name", place, "clusters: {EU: {inCluster: true}}",
			`3:12: clusters.EU: the name "EU" is not a DNS label of a-z, 0-9 and "-"`},
		{"nothing", place, "clusters: {eu: ~}", "3:16: clusters.eu has no value"},
		{"neither", place, one("labels: {a: b}"), "3:12: clusters.eu must have kubeconfig or inCluster"},
		{"both", place, one("kubeconfig: a, inCluster: true"),
			"3:16: clusters.eu has both kubeconfig and inCluster"},
		{"not inside", place, one("inCluster: false"), "3:28: clusters.eu.inCluster must be true, is false"},
		{"twice", place, "clusters: {a: {inCluster: true}, b: {inCluster: true}}",
			"3:49: clusters.b.inCluster: informerd runs in clusters.a already"},
		{"empty kubeconfig", place, one("kubeconfig: ''"), "3:29: clusters.eu.kubeconfig is empty"},
		{"context of nothing", place, one("inCluster: true, context: a"),
			"3:34: clusters.eu.context has no effect without clusters.eu.kubeconfig"},
		{"misspelt says it once", place, one("kubeconfg: a, context: b"),
			`3:17: unknown field "kubeconfg" in clusters.eu; did you mean "kubeconfig"?`},
		{"labels", place, one("inCluster: true, labels: {a/b/c: x, -a: x, b: 'x y', c: " + strings.Repeat("x", 64) + "}"),
			`3:43: clusters.eu.labels["a/b/c"]: the name "a/b/c" is not the key of a label, as in region or example.com/region` + "\n" +
				`3:53: clusters.eu.labels.-a: the name "-a" is not the key of a label, as in region or example.com/region` + "\n" +
				`3:63: clusters.eu.labels.b must be the value of a label, of at most 63 letters, digits, "-", "_" and ".", is "x y"` + "\n" +
				`3:73: clusters.eu.labels.c must be the value of a label, of at most 63 letters, digits, "-", "_" and ".", is "` + strings.Repeat("x", 64) + `"`},
		{"from nowhere", place, "clustersFrom: []", "3:15: clustersFrom must have at least one entry"},
		{"from neither", place, "clustersFrom: [{}]", "3:16: clustersFrom[0] must have folder or secrets"},
		{"from both", place, "clustersFrom: [{folder: a, secrets: {namespace: a, labelSelector: b}}]",
			"3:16: clustersFrom[0] has both folder and secrets"},
		{"from a folder by variable", place, "clustersFrom: [{folder: $HOME/a}]",
			`3:25: clustersFrom[0].folder must not have a variable in it, which is not expanded, is "$HOME/a"`},
		{"from all Secrets", place, "clustersFrom: [{secrets: {namespace: A, labelSelector: ' '}}, {secrets: {labelSelector: a b}}]",
			`3:38: clustersFrom[0].secrets.namespace must be the name of a namespace, is "A"` + "\n" +
				"3:56: clustersFrom[0].secrets.labelSelector is empty\n" +
				"3:64: clustersFrom[1].secrets has no namespace\n" +
				"3:89: clustersFrom[1].secrets.labelSelector is not a label selector: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
		{"replicas that share nothing", place, "leaderElection: {}\n" + one("inCluster: true"),
			"3:1: leaderElection with clusters needs sharding, by which replicas share the work"},
		{"replicas that share nothing of a folder", place, "leaderElection: {}\nclustersFrom: [{folder: a}]",
			"3:1: leaderElection with clusters needs sharding, by which replicas share the work"},
		{"an informer of one cluster", informerLine, informerWith("clusters: [eu]"),
			"7:5: informers.pods.clusters needs clusters or clustersFrom in the configuration"},
		{"a selector of one cluster", informerLine, informerWith("clusterSelector: a=b"),
			"7:5: informers.pods.clusterSelector needs clusters or clustersFrom in the configuration"},
	})
}

func TestMembershipMistakes(t *testing.T) {
	const clusters = "cluster: {name: c}\nclusters: {prod-eu: {inCluster: true}, prod-us: {kubeconfig: us}}"
	const from = clusters + "\nclustersFrom: [{folder: a}]"
	for name, test := range map[string]struct{ top, informer, want string }{
		"known":         {clusters, "clusters: [prod-us, prod-eu]", ""},
		"selector":      {clusters, "clusterSelector: a=b", ""},
		"from a folder": {from, "clusters: [eu.prod]", ""},
		"unknown": {clusters, "clusters: [prod-eu, prod-uk]",
			`8:25: informers.pods.clusters[1]: unknown cluster "prod-uk"; did you mean "prod-us"?`},
		"unknown, nothing near": {clusters, "clusters: [x]",
			`8:16: informers.pods.clusters[0]: unknown cluster "x"; the clusters are prod-eu, prod-us`},
		"misspelt clusters say it once": {strings.Replace(clusters, "clusters:", "clutsers:", 1), "clusters: [x]",
			`4:1: unknown field "clutsers"; did you mean "clusters"?`},
		"none":  {clusters, "clusters: []", "8:15: informers.pods.clusters must have at least one cluster"},
		"twice": {from, "clusters: [a, a]", `9:19: informers.pods.clusters[1] repeats the cluster "a"`},
		"empty": {from, "clusters: ['']", "9:16: informers.pods.clusters[0] is empty"},
		"both": {clusters, "clusters: [prod-eu]\n    clusterSelector: a=b",
			"9:5: informers.pods.clusterSelector cannot be combined with informers.pods.clusters"},
		"no selector": {clusters, "clusterSelector: a in (b",
			"8:22: informers.pods.clusterSelector is not a label selector: found '', expected: ',' or ')'"},
	} {
		text := strings.Replace(base, "cluster: {name: c}", test.top, 1)
		text = strings.Replace(text, informerLine, informerWith(test.informer), 1)
		got := ""
		if _, err := Parse("x.yaml", []byte(text)); err != nil {
			got = strings.ReplaceAll(err.Error(), "x.yaml:", "")
		}
		if got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
		if err := schemaSays(t, configuration, text); test.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// And so in a policy, inline and by name.
	_, err := parse("x.yaml", []byte(withPolicies+"clusters: {eu: {inCluster: true}}\n"), folder{
		"p/a.yaml": strings.Replace(policyText, "informer: pods",
			"informer: {resource: pods, clusters: [eu, ue]}\ninformers: {n: {resource: nodes, clusters: [us]}}", 1)})
	const want = `p/a.yaml:3:43: informer.clusters[1]: unknown cluster "ue"; did you mean "eu"?
p/a.yaml:4:45: informers.n.clusters[0]: unknown cluster "us"; the clusters are eu`
	if err == nil || err.Error() != want {
		t.Errorf("in a policy: got\n%v\nwant\n%s", err, want)
	}
}

// An informer watches the clusters that it names or selects, and otherwise all.
func TestInformersWatchClusters(t *testing.T) {
	labels := map[string]string{"region": "eu"}
	for _, test := range []struct {
		of   Informer
		want bool
	}{
		{Informer{}, true}, {Informer{Clusters: []string{"b", "a"}}, true}, {Informer{Clusters: []string{"b"}}, false},
		{Informer{ClusterSelector: "region in (us, eu)"}, true}, {Informer{ClusterSelector: "region!=eu"}, false},
	} {
		if got := test.of.In("a", labels); got != test.want {
			t.Errorf("%+v: %t", test.of, got)
		}
	}
}
