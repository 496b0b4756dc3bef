package migrate

import (
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

// oldNames are those of kubewatch's sample, which it does not read.
var oldNames = map[string]string{"rc": "replicationcontroller", "rs": "replicaset",
	"ds": "daemonset", "svc": "services", "po": "pod", "sa": "serviceaccount",
	"pv": "persistentvolume", "ns": "namespace", "ing": "ingress"}

// inCluster are the resources without a namespace.
var inCluster = []string{"node", "clusterrole", "clusterrolebinding", "persistentvolume",
	"namespace"}

// handlerNames are the handlers of kubewatch, each with the settings that make it the one.
var handlerNames = map[string][]string{
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
	advanced bool // the events of the handler cloudevent are filtered
}

func (k *kubewatch) convert() {
	resources, namespace := k.root.Get("resource"), k.root.Get("namespace")
	at := "resource"
	if k.values {
		resources, at = k.root.Get("resourcesToWatch"), "resourcesToWatch"
		namespace = k.root.Get("namespaceToWatch")
	} else {
		k.unknown(k.root, "", "handler", "resource", "customresources", "namespace", "message")
	}
	out, handler := k.output()
	var custom []string
	for i, n := range k.root.List("customresources") {
		name := n.String("resource") + "." + n.String("version")
		if group := n.String("group"); group != "" {
			name += "." + group
		}
		custom = append(custom, name)
		k.listen(n, document.Item("customresources", i), n.String("resource"), name, "", out)
	}
	if resources != nil {
		for _, m := range resources.Members {
			resource, is := watched[m.Name]
			field := document.Join(at, m.Name)
			switch {
			case !m.Value.IsTrue():
			case oldNames[m.Name] != "":
				k.findAt(Lost, m.Place, field, "kubewatch does not read it, and watches nothing for it; its name is %s",
					oldNames[m.Name])
			case !is:
				k.findAt(Note, m.Place, field, "kubewatch ignores it")
			default:
				in := ""
				if namespace.IsText() && !slices.Contains(inCluster, m.Name) {
					in = namespace.Text
				}
				filter := k.filter(handler, m.Name)
				k.listenAt(m.Place, field, m.Name, resource, in, filter, out)
			}
		}
	}
	if namespace.IsText() && namespace.Text != "" && len(custom) > 0 {
		k.find(Note, namespace, "namespace", "kubewatch watches custom resources in all namespaces, and so does informerd")
	}
	out.value = k.handle(handler, out)
	k.outputs = append(k.outputs, out)
}

func (k *kubewatch) listen(n *document.Node, field, name, resource, namespace string, out *part) {
	k.listenAt(n.Place, field, name, resource, namespace, k.filter("", name), out)
}

func (k *kubewatch) listenAt(at document.Place, field, name, resource, namespace string,
	filter condition, out *part) {
	inf := fields{{"resource", resource}}
	if namespace != "" {
		inf = append(inf, another("namespaces", []string{namespace}))
	}
	if resource == "secrets" {
		inf = append(inf, another("allowSecrets", true))
		k.findAt(Note, at, field, "values of Secrets are digests, so that an update shows which of them changed")
	}
	place := k.place(at)
	k.listeners = append(k.listeners, &part{name: k.label("listener", name),
		finding: Finding{File: k.file, Line: place.Line, Column: place.Column, Field: field},
		value: fields{{"informer", inf}, {"filter", filter.String()},
			{"outputs", []string{out.name}}}})
}

// Updates that kubewatch's advanced filters let pass.
const (
	podUpdates = `any(object.status.initContainerStatuses, .restartCount > 0) ||
any(object.status.containerStatuses, .restartCount > 0) ||
any(object.status.initContainerStatuses, .state.waiting.reason == "ImagePullBackOff") ||
any(object.status.containerStatuses, .state.waiting.reason == "ImagePullBackOff") ||
object.status.phase == "Failed" && object.status.reason == "Evicted" ||
object.status.message contains "evicted" ||
any(object.status.initContainerStatuses, .state.terminated.reason == "OOMKilled" || .lastState.terminated.reason == "OOMKilled") ||
any(object.status.containerStatuses, .state.terminated.reason == "OOMKilled" || .lastState.terminated.reason == "OOMKilled")`
	jobUpdates = `any(object.status.conditions, .type == "Failed" && .status == "True")`
)

// filter returns which events kubewatch passes on: not those of objects that exist when it starts,
// and with advanced filters for cloudevent, not those that say little.
func (k *kubewatch) filter(handler, name string) condition {
	fresh := isTrue("!initial")
	if !k.advanced || handler != "cloudevent" {
		return fresh
	}
	switch name {
	case "pod":
		return allOf(fresh, anyOf(isTrue(`op != "update"`), isTrue(`changed("spec")`),
			isTrue(podUpdates)))
	case "job":
		return allOf(fresh, anyOf(isTrue(`op != "update"`), isTrue(`changed("spec")`),
			isTrue(jobUpdates)))
	case "event", "coreevent":
		return allOf(fresh, isTrue(`op == "add"`), anyOf(isTrue(`object.reason == "Evicted"`),
			isTrue(`object.type == "Warning"`)))
	}
	return fresh
}

// output finds the handler, as kubewatch does.
func (k *kubewatch) output() (*part, string) {
	root := k.root.Get("handler")
	if k.values {
		root = k.root
	}
	found := ""
	for _, name := range handlerOrder {
		n := root.Get(name)
		enabled := n.Get("enabled")
		// the chart enables slack unless the values say otherwise
		if n == nil || k.values && !enabled.IsTrue() && (enabled != nil || name != "slack") {
			continue
		}
		if !slices.ContainsFunc(handlerNames[name], func(setting string) bool {
			return n.String(setting) != ""
		}) {
			continue
		}
		if found == "" {
			found = name
			continue
		}
		k.find(Note, n, "handler."+name, "kubewatch uses one handler, and %s comes first", found)
	}
	if !k.values && root != nil {
		for _, m := range root.Members {
			if handlerNames[m.Name] == nil {
				k.findAt(Note, m.Place, "handler."+m.Name, "kubewatch ignores it")
			}
		}
	}
	name := found
	if name == "" {
		name = "stdout"
	}
	at := k.at
	if root != nil && root.Get(found) != nil {
		at = k.place(root.Get(found).Place)
	}
	return &part{name: k.label("output", name), finding: Finding{File: k.file, Line: at.Line,
		Column: at.Column, Field: strings.TrimSuffix("handler."+found, ".")}}, found
}
