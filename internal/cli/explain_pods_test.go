package cli

import (
	"strings"
	"testing"
)

const ofPods = `apiVersion: informerd.dev/v1alpha1
kind: Config
listeners:
  pods:
    informer: {resource: pods}
    rules: [{name: host-network, deny: object.spec.hostNetwork == true}, {name: named, deny: label("app") == nil}]
    outputs: [out]
  deployments: {informer: {resource: deployments}, rules: [{name: single, deny: object.spec.replicas == 1}], outputs: [out]}
outputs: {out: {stdout: {}}}
`

func deployment(spec string) string {
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\nspec: {replicas: 2, template: {metadata: {labels: {app: web}}, spec: " +
		spec + "}}\n"
}

// The pods of manifests are judged by what watches pods, and the exit code says what CI asks.
func TestExplainOfPodsOfTemplates(t *testing.T) {
	const network, job = "{hostNetwork: true}", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j, namespace: shop}\nspec: {template: {spec: {}}}\n"
	for _, c := range []struct {
		object, args string
		code         int
		says, errs   string
	}{
		{deployment(network), "--pods --exit-code --summary", exitRun,
			"deployments: Deployment \"shop/web\": no rule is violated\n" +
				"pods: Pod \"shop/web-x-x\": rule host-network: violated, which is reported at once -> out\n", ""},
		{deployment(network), "--pods --summary", exitOK, "-> out\n", ""},
		{deployment(network), "--exit-code --summary", exitRun, "Pod \"shop/web-x-x\": rule host-network: violated, which is reported at once -> out\n", ""},
		{deployment(network), "--exit-code --pods=false --summary", exitOK, "Deployment \"shop/web\": no rule is violated\n", "--pods does that as well"},
		{deployment(network), "--exit-code -l deployments --summary", exitOK, "Deployment \"shop/web\": no rule is violated\n", ""},
		{deployment("{}"), "--pods --exit-code --summary", exitOK, "pods: Pod \"shop/web-x-x\": no rule is violated\n", ""},
		{deployment("{}"), "--pods -l pods", exitOK, "\nNote: this is the pod that the template of the Deployment stands for: its name, its owner and the hashes of its labels are made up, and it has no status.\n", ""},
		{job, "--pods --exit-code --summary", exitRun, "pods: Pod \"shop/j-x\": rule named: violated", ""},
		{job + "---\n" + deployment(network), "--pods --exit-code -o json", exitRun, `"file":"<stdin>: document 2: its pods"`, ""},
		{deployment("{hostNetwrok: true}"), "--exit-code -l pods --summary", exitRun, "no rule is violated", "no API server takes the object as it is"},
		{deployment("{containers: [{name: c, image: x, ports: [{containerPort: '80'}]}]}"), "--exit-code -l pods --summary", exitRun, "no rule is violated", "no API server takes the object as it is"},
		{"{kind: List, apiVersion: v1, items: []}", "--exit-code", exitOK, "", "the list is empty, so nothing is judged"},
		{"{kind: List, apiVersion: v1, items: []}", "--summary", exitRun, "", "the list is empty"},
		{aGadget, "--pods", exitRun, "", "no listener is for Gadget g"},
		{aGadget, "--exit-code", exitOK, "", "no listener is for Gadget g"},
		{strings.Replace(aPod, "Pod", "Podd", 1), "--exit-code", exitRun, "", "did you mean kind: Pod?"},
		{deployment("{}"), "--pods --op delete", exitUsage, "", "--pods is about new pods"},
		{deployment("{}"), "--pods --object deploy/shop/web", exitUsage, "", "--pods is about objects of files, and deploy/shop/web is one of the cluster"},
	} {
		code, stdout, stderr := explainWith(t, ofPods, c.object, strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout, c.says) ||
			!strings.Contains(stderr, c.errs) || c.errs == "" && stderr != "" {
			t.Errorf("%s: exit %d\n%s%s\nwant %d, %s%s", c.args, code, stdout, stderr, c.code, c.says,
				c.errs)
		}
	}
}

// A rule that fails, or depends on what is not known, is not kept.
func TestExplainExitsWithWhatIsViolated(t *testing.T) {
	rules := func(deny string) string {
		return strings.Replace(ofPods, `label("app") == nil`, deny, 1)
	}
	const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\nspec: {priority: 1, hostname: text}\n"
	for deny, c := range map[string]struct {
		args string
		code int
	}{
		"object.spec.priority > 1":             {"", exitOK},
		"object.spec.priority == 1":            {"", exitRun},
		"object.spec.priority > 0":             {"--rule host-network", exitOK},
		"object.spec.priority > -1":            {"--rule named", exitRun},
		`object.spec.hostname > 1`:             {"", exitRun}, // it fails
		`object.metadata.namespace == "shop"`:  {"--op delete", exitOK},
		`object.metadata.namespace != "other"`: {"--only-coming", exitRun},
		`object.metadata.labels.a == "b"`:      {"typo", exitRun},
	} {
		pod, says := pod, ""
		if strings.Contains(c.args, "typo") {
			says = "informerd: no rule is violated, but no API server takes the object as it is, as the notes say: exit code 1\n"
			pod, c.args = strings.Replace(pod, "hostname: text", "hostNetwrok: true", 1), ""
		}
		args := append([]string{"--schema", "off", "--exit-code", "-l", "pods"}, strings.Fields(c.args)...)
		code, stdout, stderr := explainWith(t, rules(deny), pod, args...)
		if code != c.code || stderr != says {
			t.Errorf("%s: exit %d\n%s%s", deny, code, stdout, stderr)
		}
	}
}
