// Package advice has hints for fields that people write in a place where a configuration has none:
// fields of other places, and words of other tools.
package advice

import "strings"

// each returns one hint for several fields.
func each(into map[string]string, hint, fields string) {
	for _, name := range strings.Fields(fields) {
		into[name] = hint
	}
}

// Top is about fields at the top of a file.
func Top() map[string]string {
	all := map[string]string{}
	each(all, "write http: {address: 127.0.0.1:8080}, which has /metrics", "metrics prometheus")
	each(all, "use the flags --log-level and --log-format", "log logging logFormat")
	each(all, "a configuration is a file, not an object of the cluster: its fields are at the top",
		"metadata spec")
	each(all, "rules belong to a listener: write listeners: {NAME: {…, rules: […]}}", "rules")
	all["logLevel"] = all["log"] + "; a file of kubernetes-event-exporter is converted by informerd migrate FILE"
	each(all, "this looks like a file of shell-operator: informerd migrate FILE converts it",
		"configVersion kubernetes schedule onStartup")
	each(all, "this looks like a file of kubernetes-event-exporter: informerd migrate FILE converts it",
		"route receivers")
	each(all, "this looks like a file of kubewatch: informerd migrate FILE converts it",
		"handler resource customresources")
	return all
}

// Informer is about fields of an informer.
func Informer() map[string]string {
	all := map[string]string{}
	each(all, "name the resource by its plural and its group, as in resource: deployments.apps",
		"apiVersion kind group version plural apiGroup")
	each(all, "name the namespaces, or choose them with fieldSelector: metadata.namespace!=kube-system or with the listener's select",
		"namespaceSelector excludeNamespaces ignoreNamespaces")
	each(all, "write labelSelector", "matchLabels labels selector")
	return all
}

// Listener is about fields of the parts of a listener.
func Listener() map[string]string {
	all := map[string]string{"wasm": "it belongs to handler: write handler: {wasm: PATH}"}
	each(all, "it belongs to informer: write informer: {resource: pods, …}",
		"resource namespaces namespace labelSelector "+
			"fieldSelector drop indexes keepManagedFields allowSecrets namespaceSelector")
	each(all, "it belongs to a rule: write rules: [{name: …, deny: …}]",
		"deny message for severity repeat")
	for _, name := range strings.Fields("webhook slack stdout file kafka nats alertmanager") {
		all[name] = "outputs have names: write outputs: [NAME] here, and NAME: {" + name +
			": {…}} in outputs at the top"
	}
	return all
}

// Rule is about fields of a rule, with words of other tools for its expression.
func Rule() map[string]string {
	all := map[string]string{}
	each(all, "the condition of a rule is deny, an expression that is true for a violation",
		"expr expression condition when if filter assert")
	return all
}

// RuleDurations are words for a rule's for, where the value is a duration.
func RuleDurations() map[string]string {
	all := map[string]string{}
	each(all, "did you mean for?", "when after duration wait grace")
	return all
}

// Output is about fields of an output.
func Output() map[string]string {
	all := map[string]string{}
	each(all, "the kind of an output is a field with its settings: write webhook: {url: …}",
		"type kind url address headers")
	each(all, "write when, an expression about the message", "filter select if match")
	each(all, "it belongs to a listener: write retry there", "retry retries")
	each(all, "write data, an expression that returns what is sent", "body template format")
	return all
}

// Webhook is about fields of a webhook.
func Webhook() map[string]string {
	all := map[string]string{}
	each(all, "requests are always POST; what they send is the output's data",
		"method body template layout")
	each(all, "it belongs to a listener: write retry there", "retry retries maxRetries")
	return all
}

// Slack is about fields of an output to Slack.
func Slack() map[string]string {
	all := map[string]string{}
	each(all, "the webhook's URL decides where the message goes", "channel username icon")
	each(all, "write url: {fromEnv: NAME}, that of an incoming webhook", "token webhook webhookURL")
	each(all, "write text, an expression", "message template")
	return all
}

// Mapped are hints for fields that have a mapping, or a list, in place of a text or a list.
func Mapped() map[string]string {
	return map[string]string{
		"labelSelector": `write it as a text, as in "app=web,tier in (a, b)"`,
		"fieldSelector": `write it as a text, as in "metadata.namespace!=kube-system"`,
		"rules":         "write a list, as in rules: [{name: NAME, deny: …}]",
		"data":          expression, "patch": expression, "text": expression, "message": expression,
		"when": expression, "filter": expression, "select": expression, "deny": expression,
		"subject": expression,
	}
}

const expression = `an expression is a text: put it in quotes, as in '{"metadata": {"labels": {"a": "b"}}}'`
