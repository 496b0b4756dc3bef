package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const explained = `apiVersion: informerd.dev/v1alpha1
kind: Config
cluster: {name: dev}
informers: {nodes: {resource: nodes}}
outputs:
  out: {stdout: {}}
  chat: {slack: {url: {fromEnv: NO_SUCH_VARIABLE}, text: 'rule + " of " + name'}}
listeners:
  pods:
    informer: {resource: pods}
    select: label("app") != nil
    filter: became(object.status.phase == "Running")
    outputs: [out]
  judged:
    informer: {resource: pods}
    rules:
      - {name: pending, for: 10m, deny: object.status.phase == "Pending"}
      - {name: failed, deny: object.status.phase == "Failed", message: '"no " + object.metadata.name'}
    outputs: [out, chat]
  shop: {informer: {resource: pods, namespaces: [shop]}, outputs: [out]}
  looks:
    informer: {resource: pods}
    filter: cached("nodes", "", object.spec.nodeName).spec.unschedulable == true
    outputs: [out]
`

func podIn(namespace, phase string) string {
	return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: " + namespace +
		", labels: {app: web}}\nspec: {nodeName: n1}\nstatus: {phase: " + phase + "}\n"
}

func explainWith(t *testing.T, objects string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"c.yaml": explained, "pending.yaml": podIn("shop",
		"Pending"), "other.yaml": podIn("pay", "Pending")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "@", dir+"/")
	}
	var out, errs bytes.Buffer
	code = execute(append([]string{"explain", filepath.Join(dir, "c.yaml")}, args...),
		strings.NewReader(objects), &out, &errs)
	return code, out.String(), errs.String()
}

func TestExplain(t *testing.T) {
	const node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1}\nspec: {unschedulable: true}\n"
	for _, c := range []struct {
		objects, args string
		code          int
		want          string // in stdout or stderr
	}{
		{podIn("shop", "Running"), "pods -f - --old @pending.yaml", exitOK, "-> out: update\n"},
		{podIn("shop", "Running"), "pods -f - --old @pending.yaml", exitOK,
			"select, of old:\ntrue   label(\"app\") != nil\n"},
		{podIn("shop", "Running"), "pods -f -", exitOK, "The event does not match.\n"},
		{podIn("shop", "Running"), "judged -f - --old @pending.yaml", exitOK,
			"-> chat: resolved pending\n   POST https://secret.invalid: {\"text\":\"pending of web\"}\n"},
		{podIn("shop", "Pending"), "judged -f - --exit-code", exitRun,
			"Rule pending is violated once that has lasted for 10m.\nThe listener looks again within 10m.\n"},
		{podIn("shop", "Running"), "judged -f - --exit-code", exitOK, "No rule is violated.\n"},
		{podIn("shop", "Failed"), "judged -f -", exitOK, "-> out: violated failed: \"no web\"\n"},
		{podIn("shop", "Failed"), "judged -f - --op delete", exitOK, "-> out: resolved failed\n"},
		{podIn("pay", "Failed"), "shop -f -", exitRun,
			"The listener gets no such event: the informer watches only the namespaces shop\n"},
		{podIn("shop", "Failed"), "shop -f - --op resync", exitRun, "the listener has no resync period"},
		{podIn("shop", "Failed") + podIn("pay", "Running"), "all -f - --exit-code", exitRun,
			"looks objects up in nodes: add them to -, or pass --kubeconfig or --context"},
		{podIn("shop", "Failed") + node, "looks -f -", exitOK, "-> out: add\n"},
		{podIn("shop", "Failed") + podIn("pay", "Running"), "judged -f -", exitOK,
			"judged, add of Pod \"shop/web\": violated failed: \"no web\" -> chat; violated failed: \"no web\" -> out\n" +
				"judged, add of Pod \"pay/web\": judged\n"},
		{node + podIn("pay", "Running"), "judged -f -", exitOK,
			"informerd: <stdin>: document 1 is not an object of pods\n"},
		{node, "judged -f -", exitRun, "nothing in - is an object of pods\n"},
		{node, "judged -f - --exit-code", exitOK, ""},
		{"kind: List\nitems: []", "all -f - --exit-code", exitOK, ""},
		{"", "judged -f -", exitConfig, "there is no object in it"},
		{podIn("shop", "Failed"), "judged -f - --old @other.yaml", exitConfig,
			`is Pod "pay/web", and the object is Pod "shop/web"`},
		{"", "judged", exitUsage, "which object?"},
		{"", "", exitUsage, "which listener? Name one, or all"},
		{"", "judge -f -", exitUsage, `did you mean "judged"?`},
		{"", "judged pod", exitUsage, "pod is not an object: write KIND/NAMESPACE/NAME, or -f FILE"},
		{"", "judged pod/shop/web -f -", exitUsage, "which object?"},
		{"", "judged -f - --op update", exitUsage, "--op update needs --old FILE"},
		{"", "judged -f - --op add --old x", exitUsage, "--old is the object before an update"},
		{"", "judged -f - --op created", exitUsage, `--op "created": it is one of`},
	} {
		code, stdout, stderr := explainWith(t, c.objects, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit %d\n%s%s\nwant %d: %s", c.args, code, stdout, stderr, c.code, c.want)
		}
	}
}

// Of several clusters, one can be explained: its name, its labels, and the listeners that watch it.
func TestExplainInACluster(t *testing.T) {
	config := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(config, []byte(`apiVersion: informerd.dev/v1alpha1
kind: Config
clusters:
  prod-eu: {kubeconfig: none.yaml, context: eu, labels: {region: eu}}
  prod-us: {inCluster: true}
informers: {all: {resource: pods}}
outputs:
  out: {slack: {url: {fromEnv: NO_SUCH_VARIABLE}, text: 'cluster + " in " + (cluster.labels.region ?? "nowhere")'}}
listeners:
  pods: {informer: {resource: pods}, outputs: [out], filter: 'clusters("all", "shop", "web")[0].cluster == cluster'}
  eu: {informer: {resource: pods, clusterSelector: region=eu}, outputs: [out], filter: cluster.labels.region == "eu"}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, c := range map[string]struct {
		code int
		want string
	}{
		"all -f - --cluster prod-eu":                              {exitOK, `"prod-eu in eu"`},
		"eu -f - --cluster prod-eu":                               {exitOK, "true   cluster.labels.region == \"eu\""},
		"all -f - --cluster prod-us":                              {exitOK, `"prod-us in nowhere"`},
		"pods -f -":                                               {exitOK, `"default in nowhere"`},
		"eu -f - --cluster prod-us":                               {exitUsage, `no listener that is asked watches the cluster "prod-us"`},
		"eu -f - --cluster prd-us":                                {exitUsage, `there is no cluster "prd-us"; did you mean "prod-us"?; there are prod-eu, prod-us`},
		"eu pod/shop/web --cluster prod-eu":                       {exitConfig, `c.yaml:4:25: clusters.prod-eu.kubeconfig: "`},
		"pods pod/shop/web --cluster prod-us":                     {exitRun, "runs in"},
		"eu pod/shop/web --cluster prod-eu --kubeconfig /no/such": {exitRun, "kubeconfig /no/such: no such file"},
	} {
		var out, errs strings.Builder
		code := execute(append([]string{"explain", config}, strings.Fields(args)...),
			strings.NewReader(podIn("shop", "Running")), &out, &errs)
		if all := out.String() + errs.String(); code != c.code || !strings.Contains(all, c.want) {
			t.Errorf("%s: exit %d\n%s\nwant %d: %s", args, code, all, c.code, c.want)
		}
	}
}

// As JSON, each answer is one line with the values of each part.
func TestExplainAsJSON(t *testing.T) {
	code, stdout, stderr := explainWith(t, podIn("shop", "Failed"), "judged", "-f", "-", "-o", "json")
	var a struct {
		Verdict string
		Steps   []struct {
			Stage, Rule string
			Expression  struct {
				Matched bool
				Parts   []struct{ Values []string }
			}
		}
		Rules []struct{ Rule, State string }
		Sent  []struct{ Output, Body string }
	}
	if err := json.Unmarshal([]byte(stdout), &a); err != nil || code != exitOK {
		t.Fatalf("%v, exit %d: %s%s", err, code, stdout, stderr)
	}
	if a.Verdict != "judged" || len(a.Steps) != 4 || a.Steps[1].Rule != "failed" ||
		!a.Steps[1].Expression.Matched || a.Steps[1].Expression.Parts[0].Values[0] != `"Failed"` ||
		len(a.Rules) != 1 || a.Rules[0].State != "violated" || len(a.Sent) != 2 ||
		!strings.Contains(a.Sent[1].Body, `"rule":"failed"`) {
		t.Errorf("%s", stdout)
	}
}
