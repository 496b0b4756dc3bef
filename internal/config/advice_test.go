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
		{informer, informer + ", labelSelector: {matchLabels: {app: web}}", `labelSelector must be a string, is a mapping; write "app=web"`},
		{informer, informer + ", labelSelector: {app: web, tier: db}", `write "app=web,tier=db"`},
		{informer, informer + ", labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: tier, operator: NotIn, values: [x, y]}, {key: z, operator: Exists}]}", `write "a=b,tier notin (x,y),z"`},
		{informer, informer + ", labelSelector: {matchLabels: {a: 5}}", `write it as a text, as in "app=web,`},
		{informer, informer + ", labelSelector: {matchLabels: {a: b}, app: c}", `write it as a text, as in "app=web,`},
		{informer, informer + ", fieldSelector: {spec.nodeName: a}", `write "spec.nodeName=a"`},
		{listener, "select: {matchLabels: {app: web}}, " + listener, `select must be a string, is a mapping; write 'label("app") == "web"'`},
		{listener, "select: {matchExpressions: [{key: tier, operator: In, values: [x, y]}]}, " + listener, `write 'label("tier") in ["x", "y"]'`},
		{listener, "select: {matchExpressions: [{key: tier, operator: Exists}]}, " + listener, `an expression is a text: put it in quotes, as in select: `},
		{listener, "labelSelector: app=web, " + listener, `it belongs to the informer: write informer: {resource: pods, labelSelector: "app=web"}, or labelSelector in informers at the top`},
		{"outputs:\n", "checkpoint: true\noutputs:\n", "it belongs to a listener: write listeners: {NAME: {…, checkpoint: true}}, and state: {dir: ./state} at the top"},
		{output, output + ", checkpoint: true", "it belongs to a listener: write checkpoint: true there, next to outputs"},
		{"outputs:\n", "b: {informer: {resource: pods}, outputs: [out]}\noutputs:\n", "it looks like one of listeners: write it below listeners, and indent it"},
		{"outputs:\n", "x: &d {informer: {resource: pods}, outputs: [out]}\noutputs:\n", "a file may have no further fields: put the anchor (&d) where its value is first used"},
		{"resource: pods", "resource: “pods”", "must be a resource name, is \"“pods”\"; write pods"},
		{"{resource: pods", "{resource: ", "resource has no value; write a value, as in pods"},
		{"outputs:\n", "b: {resource: pods}\noutputs:\n", "it looks like one of informers"},
		{"outputs:\n", "b: {stdout: {}}\noutputs:\n", "it looks like one of outputs"},
		{listener, "b: {informer: {resource: pods}, outputs: [out]}, " + listener, "it looks like another one of listeners: begin it in the column of a"},
		{output, "out: {webhook: {url: 'https://a.b/${TOKEN}'}", "url has a variable or a template in it; they are not replaced: put the whole URL into one variable, or a file, and write {fromEnv: NAME} or {fromFile: PATH}"},
		{output, "out: {webhook: {url: 'https://a.b/$TOKEN/c'}", "url has a variable or a template in it"},
		{output, "out: {alertmanager: {url: 'http://{{ .Host }}:9093'}", "url has a variable or a template in it"},
		{output, "out: {webhook: {url: https://a.b, headers: {Authorization: 'Bearer ${T}'}}", "the credential must not be in the configuration; write {fromEnv: T}, and put the whole value into that variable"},
		{output, "out: {webhook: {url: https://a.b, sign: {secret: '${T}'}}", "the secret must not be in the configuration; write {fromEnv: T}"},
		{output, "out: {nats: {servers: ['nats://${H}:4222'], subject: '\"a\"'}", "servers[0] has a variable or a template in it; they are not replaced"},
		{"resource: pods", "resource: pods, namespaces: -shop", `must be a list, is the string "-shop"; a space is missing after the dash: write - shop`},
		{"outputs:\n", "state:\n  dir:state\noutputs:\n", "a space is missing after the colon: write dir: state"},
		{output, "out: {file: {path: a, rotate: {maxAge: 7}}", "write age, with its unit, as in age: 7d"},
		{output, "out: {kafka: {brokers: ['${H}:9092'], topic: a}", "brokers[0] has a variable or a template in it"},
		{output, "out: {kafka: {brokers: ['h:9092'], topic: '\"a.\" + resource'}", "a topic is a text and no expression"},
		{output, "out: {kafka: {brokers: ['h:9092'], topic: '${T}'}", "variables are not replaced: write the name itself"},
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
