package migrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// watched are the resources of kubewatch by the names under which it reads them, which are those of
// its fields in small letters.
var watched = map[string]string{
	"deployment": "deployments.apps", "replicationcontroller": "replicationcontrollers",
	"replicaset": "replicasets.apps", "daemonset": "daemonsets.apps",
	"statefulset": "statefulsets.apps", "services": "services", "pod": "pods", "job": "jobs.batch",
	"node": "nodes", "clusterrole": "clusterroles.rbac.authorization.k8s.io",
	"clusterrolebinding": "clusterrolebindings.rbac.authorization.k8s.io",
	"serviceaccount":     "serviceaccounts", "persistentvolume": "persistentvolumes",
	"namespace": "namespaces", "secret": "secrets", "configmap": "configmaps",
	"ingress": "ingresses.networking.k8s.io",
	"hpa":     "horizontalpodautoscalers.v1.autoscaling", "event": "events.events.k8s.io",
	"coreevent": "events",
}

// inCluster are the resources without a namespace.
var inCluster = []string{"node", "clusterrole", "clusterrolebinding", "persistentvolume",
	"namespace"}

// handlers are those of kubewatch, each with the settings that make it the one.
var handlers = map[string][]string{
	"slack": {"channel", "token"}, "slackwebhook": {"channel", "username", "slackwebhookurl"},
	"hipchat": {"room", "token"}, "mattermost": {"channel", "url"}, "flock": {"url"},
	"webhook": {"url"}, "cloudevent": {"url"}, "msteams": {"webhookurl"},
	"smtp": {"smarthost", "to"}, "lark": {"webhookurl"},
}

// handlerOrder is the order in which kubewatch looks for the handler.
var handlerOrder = []string{"slack", "slackwebhook", "hipchat", "mattermost", "flock", "webhook",
	"cloudevent", "msteams", "smtp", "lark"}

// kubewatch converts a configuration of kubewatch. Each resource becomes a listener, and the
// handler an output.
type kubewatch struct {
	converter
	custom []string // the custom resources, with their groups
}

func (k *kubewatch) convert() {
	resources, at, namespace := k.root.get("resource"), "resource", k.root.textOf("namespace")
	if k.values {
		resources, at = k.root.get("resourcesToWatch"), "resourcesToWatch"
		namespace = k.root.textOf("namespaceToWatch")
	}
	handler, n := k.handler()
	out := &part{name: k.label("output", cmp.Or(handler, "stdout")),
		from: k.finding(k.root.Place, "handler", "")}
	for i, n := range k.root.list("customresources") {
		resource, version, group := n.textOf("resource"), n.textOf("version"), n.textOf("group")
		k.custom = append(k.custom, quoted(strings.TrimSuffix(resource+"."+group, ".")))
		k.listen(n.Place, document.Item("customresources", i), resource,
			strings.TrimSuffix(resource+"."+version+"."+group, "."), "", out)
	}
	if resources.isMapping() {
		for _, m := range resources.members {
			resource, is := watched[m.name]
			field, in := document.Join(at, m.name), namespace
			if slices.Contains(inCluster, m.name) {
				in = ""
			}
			switch {
			case !m.value.isTrue():
			case is:
				k.listen(m.value.Place, field, m.name, resource, in, out)
			default:
				k.lost(m.value, field, "kubewatch knows no such resource, and does not watch it")
			}
		}
	}
	out.value = k.output(handler, n, out.name)
	k.outputs = append(k.outputs, out)
}

func (k *kubewatch) listen(at document.Place, field, name, resource, namespace string, out *part) {
	inf := fields{{"resource", resource}}
	if namespace != "" {
		inf = inf.with("namespaces", []string{namespace})
	}
	if resource == "secrets" {
		inf = inf.with("allowSecrets", true)
	}
	k.listeners = append(k.listeners, &part{name: k.label("listener", name),
		from: k.finding(at, field, ""), outputs: []string{out.name},
		value: fields{{"informer", inf}, {"filter", "!initial"}, {"outputs", []string{out.name}}}})
}

// handler finds the handler, as kubewatch does; nil if there is none.
func (k *kubewatch) handler() (name string, n *node) {
	root := k.root.get("handler")
	if k.values {
		root = k.root
	}
	for _, name := range handlerOrder {
		n := root.get(name)
		enabled := n.get("enabled")
		// the chart enables slack unless the values say otherwise
		if n == nil || k.values && !enabled.isTrue() && (enabled != nil || name != "slack") {
			continue
		}
		if slices.ContainsFunc(handlers[name], func(s string) bool { return n.textOf(s) != "" }) {
			return name, n
		}
	}
	return "", nil
}

// What kubewatch says of an event, as expressions.
const (
	kwReason = `op == "add" ? "Created" : op == "update" ? "Updated" : "Deleted"`
	kwVerb   = `op == "add" ? "create" : op == "update" ? "update" : "delete"`
)

// kind returns the expression of the kind in messages: for custom resources it is their plural.
func (k *kubewatch) kind() string {
	if k.custom == nil {
		return "object.kind"
	}
	return fmt.Sprintf("(resource in [%s] ? resource : object.kind)", strings.Join(k.custom, ", "))
}

// message is the text that kubewatch makes of an event.
func (k *kubewatch) message() string {
	return "\"A `\" + " + k.kind() + " + \"` in namespace `\" + namespace + \"` has been `\" + (" +
		kwReason + ") + \"`:\\n`\" + name + \"`\""
}

func colors(normal, warning, danger string) string {
	return fmt.Sprintf(`"color": op == "add" ? %s : op == "update" ? %s : %s`, quoted(normal),
		quoted(warning), quoted(danger))
}

// output converts the handler.
func (k *kubewatch) output(handler string, n *node, name string) fields {
	text := k.message()
	field := "handler." + handler
	if k.values {
		field = handler
	}
	switch handler {
	case "":
		return dataTo(mapOf(`"text": `+text), "stdout", struct{}{})
	case "hipchat", "smtp":
		k.lost(n, field, "informerd has no such output")
		return k.placeholder(name, mapOf(`"text": `+text))
	case "slack":
		shown := mapOf(`"title": `+quoted(cmp.Or(n.textOf("title"), "kubewatch")), `"value": `+text)
		attachment := mapOf(colors("good", "warning", "danger"), `"mrkdwn_in": ["fields"]`,
			`"fields": [`+shown+"]")
		return postTo(slackAPI, mapOf(`"channel": `+quoted(n.textOf("channel")),
			`"as_user": true`, `"attachments": [`+attachment+"]"),
			k.authorization(name, slackToken), nil)
	}
	url := cmp.Or(n.get("webhookurl"), n.get("slackwebhookurl"), n.get("url"))
	to, hasUser := k.url(url, field+".url", name)
	var headers fields
	if hasUser {
		headers = k.authorization(name, basic)
	}
	if handler == "cloudevent" {
		hook := fields{{"url", to}}.withSome("headers", headers)
		return dataTo(mapOf(`"operation": `+kwVerb, `"kind": `+k.kind(), `"clusterUid": cluster`,
			`"description": `+text, `"apiVersion": object.apiVersion`, `"obj": object`,
			`"oldObj": old`), "webhook", hook)
	}
	var tls fields
	if cert := n.textOf("cert"); cert != "" {
		tls = fields{{"caFile", cert}}
	}
	if skip := n.get("tlsskip"); skip.isTrue() {
		k.lost(skip, field+".tlsskip", "informerd always checks certificates: set tls.caFile")
		tls = nil
	}
	return postTo(to, k.body(handler, n), headers, tls)
}

// body is what a handler posts.
func (k *kubewatch) body(handler string, n *node) string {
	text := k.message()
	colored := mapOf(`"title": `+text, colors("#00FF00", "#FFFF00", "#FF0000"))
	switch handler {
	case "slackwebhook":
		parts := []string{`"text": ` + text}
		for _, m := range [][2]string{{"channel", "channel"}, {"username", "username"},
			{"emoji", "icon_emoji"}} {
			if n.textOf(m[0]) != "" {
				parts = append(parts, quoted(m[1])+": "+quoted(n.textOf(m[0])))
			}
		}
		return mapOf(parts...)
	case "mattermost":
		return mapOf(`"channel": `+quoted(n.textOf("channel")),
			`"username": `+quoted(n.textOf("username")), `"attachments": [`+colored+"]")
	case "flock":
		return mapOf(`"notification": "Kubewatch Alert"`, `"text": "Kubewatch Alert"`,
			`"attachments": [`+colored+"]")
	case "msteams":
		theme := strings.Replace(colors("2DC72D", "DEFF22", "8C1A1A"), `"color"`, `"themeColor"`, 1)
		return mapOf(`"@type": "MessageCard"`, `"@context": "http://schema.org/extensions"`, theme,
			`"summary": "kubewatch notification received"`, `"title": "kubewatch"`,
			`"sections": [`+mapOf(`"activityTitle": `+text, `"markdown": true`)+"]")
	case "lark":
		return mapOf(`"msg_type": "text"`, `"content": {"text": `+text+"}")
	}
	return mapOf(`"eventmeta": `+mapOf(`"kind": `+k.kind(), `"name": name`,
		`"namespace": namespace`, `"reason": `+kwReason), `"text": `+text)
}
