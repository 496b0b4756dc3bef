package config

import (
	"strings"
	"testing"
)

// What people bring from other tools, or write in the wrong place, is answered with what to write.
func TestAdvice(t *testing.T) {
	const (
		informer = "informer: {resource: pods"
		listener = "outputs: [out]}"
		output   = "out: {stdout: {}"
		good     = "apiVersion: informerd.dev/v1alpha1\nkind: Config\nlisteners:\n  a: {" + informer +
			"}, " + listener + "\noutputs:\n  " + output + "}\n"
	)
	for _, c := range []struct{ what, with, want string }{
		{informer, informer + ", labelSelector: {matchLabels: {app: web}}", `labelSelector must be a string, is a mapping; write it as a text, as in "app=web,`},
		{informer, informer + ", namespaces: ['team-*']", `is "team-*"; namespaces are names; choose others with select, as in glob("team-*", object.metadata.namespace)`},
		{informer, informer + ", namespaces: ['!kube-system']", `or with fieldSelector: metadata.namespace!=NAME`},
		{informer, informer + ", namespaceSelector: {}", "fieldSelector: metadata.namespace!=kube-system"},
		{"resource: pods", "apiVersion: apps/v1, kind: Deployment", "as in resource: deployments.apps"},
		{good, strings.Replace(good, informer, "informer: {name: p", 1) + "informers: {p: {resource: pods}}\n",
			"in listeners.a.informer; to use the informer of that name, write informer: p"},
		{good, strings.Replace(good, informer, "informer: {name: q", 1) + "informers: {p: {resource: pods}}\n",
			"in listeners.a.informer; choose objects by name with fieldSelector: metadata.name=NAME"},
		{good, good + "informers: {p: {name: p}}\n", "in informers.p; choose objects by name with fieldSelector"},
		{listener, "rules: {r: {deny: x}}, " + listener, "rules must be a list, is a mapping; write [{name: r, deny: x}]"},
		{listener, "rules: [{name: r, deny: x, when: 5m}], " + listener, `unknown field "when" in listeners.a.rules[0]; did you mean for?`},
		{listener, "rules: [{name: r, deny: x, when: y}], " + listener, "; the condition of a rule is deny, an expression that is true for a violation"},
		{output, output + ", data: {text: hello}", "out.data must be a string, is a mapping; an expression is a text: put it in quotes, as in data: '{\"text\": message}'"},
		{output, "out: {patch: {patch: {metadata: {}}}", "out.patch.patch must be a string, is a mapping; an expression is a text"},
		{output, "out: {type: webhook, url: https://a.b", "write webhook: {url: …}"},
		{output, "out: {webhook: {url: https://a.b, method: PUT}", "what they send is the output's data"},
		{output, "out: {webhook: {url: https://a.b, retries: 3}", "it belongs to a listener: write retry there"},
		{output, "out: {slack: {url: {fromEnv: A}, channel: x}", "the webhook's URL decides"},
		{output, output + ", filter: x", `unknown field "filter" in outputs.out; write when, an expression about the message`},
		{output, "out: {slack: {url: $SLACK_URL}", "variables are not replaced: write {fromEnv: SLACK_URL}"},
		{output, "out: {webhook: {url: '${HOOK}'}", "variables are not replaced: write {fromEnv: HOOK}"},
		{"outputs:\n", "metrics: {}\noutputs:\n", "write http: {address: 127.0.0.1:8080}, which has /metrics"},
		{"outputs:\n", "logLevel: debug\noutputs:\n", "use the flags --log-level"},
		{"outputs:\n", "spec: {}\noutputs:\n", "its fields are at the top"},
		{"outputs:\n", "leaderElection: true\noutputs:\n", "leaderElection must be a mapping, is true; write {}"},
		{good, "configVersion: v1\n", "shell-operator: informerd migrate FILE converts it"},
		{good, "route: {}\nreceivers: []\n", "kubernetes-event-exporter: informerd migrate FILE converts it"},
		{good, "handler: {}\nresource: {pod: true}\n", "kubewatch: informerd migrate FILE converts it"},
	} {
		text := strings.Replace(good, c.what, c.with, 1)
		if _, err := Parse("x.yaml", []byte(text)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.with, err, c.want)
		}
	}
	if _, err := Parse("x.yaml", []byte(good)); err != nil {
		t.Error(err)
	}
}
