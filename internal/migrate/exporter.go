package migrate

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// exporter converts a configuration of kubernetes-event-exporter. Each receiver becomes an output
// with a listener, whose filter is the way through the routes to it.
type exporter struct {
	converter
	namespaces []string
	ways       map[string][]string // to receivers
	order      []string            // of the receivers in the routes
}

func (e *exporter) convert() {
	e.ways = map[string][]string{}
	if text := e.root.textOf("namespace"); text != "" {
		e.namespaces = []string{text}
	}
	if n := e.root.get("clusterName"); e.root.textOf("clusterName") != "" {
		e.setting(n, "cluster", n.text)
	}
	if n := e.root.get("leaderElection"); n.get("enabled").isTrue() {
		e.setting(n, "leaderElection", "kubernetes-event-exporter")
	}
	e.route(e.root.get("route"), "route", always)
	e.listen()
}

// setting adds a setting with a name, unless another configuration has it.
func (e *exporter) setting(n *node, setting, name string) {
	if !named(setting, e.settings) {
		e.settings = append(e.settings, &part{name: setting,
			value: fields{{"name", e.label(setting, name)}}, from: e.finding(n.Place, setting, "")})
	}
}

// route adds the ways to the receivers below a route. Before is what is true of an event that comes
// here.
func (e *exporter) route(n *node, field string, before string) {
	passes := []string{before}
	for i, rule := range n.list("drop") {
		passes = append(passes, notTrue(e.rule(rule, document.Item(field+".drop", i))))
	}
	further := passes
	for i, rule := range n.list("match") {
		matches := e.rule(rule, document.Item(field+".match", i))
		if name := rule.textOf("receiver"); name != "" {
			if e.ways[name] == nil {
				e.order = append(e.order, name)
			}
			e.ways[name] = append(e.ways[name], allOf(allOf(passes...), matches))
		}
		further = append(further, matches)
	}
	for i, sub := range n.list("routes") {
		e.route(sub, document.Item(field+".routes", i), allOf(further...))
	}
}

// ruleFields are the fields of an Event that a rule looks at, in its order.
var ruleFields = []struct{ name, field string }{
	{"message", "object.message"},
	{"apiVersion", "object.involvedObject.apiVersion"},
	{"kind", "object.involvedObject.kind"},
	{"namespace", "object.metadata.namespace"},
	{"reason", "object.reason"},
	{"type", "object.type"},
	{"component", "object.source.component"},
	{"host", "object.source.host"},
}

// rule returns when an Event matches a rule.
func (e *exporter) rule(n *node, field string) string {
	var parts []string
	for _, f := range ruleFields {
		if v := n.get(f.name); v.isText() && v.text != "" {
			parts = append(parts, e.pattern(v, field+"."+f.name, f.field))
		}
	}
	for _, from := range []string{"labels", "annotations"} {
		if m := n.get(from); m.isMapping() {
			for _, label := range m.members {
				parts = append(parts, e.involved(n, from, label, document.Join(field+"."+from,
					label.name)))
			}
		}
	}
	if count, err := strconv.Atoi(n.textOf("minCount")); err == nil && count > 0 {
		parts = append(parts, fmt.Sprintf("(object.count ?? 0) >= %d", count))
	}
	return allOf(parts...)
}

// The patterns that match one text, or a part of it.
var (
	wholeText = regexp.MustCompile(`^\^([A-Za-z0-9_/:-]+)\$$`)
	partText  = regexp.MustCompile(`^[A-Za-z0-9_/:-]+$`)
)

// pattern returns when a field's text matches a pattern. The pattern means the same in both tools.
func (e *exporter) pattern(n *node, field, of string) string {
	p := n.text
	if strings.Contains(p, "${") {
		e.lost(n, field, "expressions have no environment variables: write the value")
		return never
	}
	re, err := regexp.Compile(p)
	if err != nil {
		return never
	}
	if m := wholeText.FindStringSubmatch(p); m != nil {
		return of + " == " + quoted(m[1])
	}
	if partText.MatchString(p) {
		return of + " contains " + quoted(p)
	}
	if p == ".*" {
		return always
	}
	if re.MatchString("") { // as it is where the field is missing
		of = "(" + of + ` ?? "")`
	}
	return of + " matches " + quoted(p)
}

// lookedUp are the kinds whose labels are looked up, with their resources. A watch of all kinds
// that there are would cost more than the Events.
var lookedUp = []struct{ kind, plural, group string }{
	{"Pod", "pods", ""}, {"Deployment", "deployments", ".apps"},
	{"ReplicaSet", "replicasets", ".apps"}, {"StatefulSet", "statefulsets", ".apps"},
	{"DaemonSet", "daemonsets", ".apps"}, {"Job", "jobs", ".batch"},
	{"CronJob", "cronjobs", ".batch"}, {"Service", "services", ""},
}

// involved returns when a label or an annotation of the involved object matches. An Event does not
// have them.
func (e *exporter) involved(rule *node, from string, label member,
	field string) string {
	if e.root.get("omitLookup").isTrue() {
		return never
	}
	kinds, err := regexp.Compile(cmp.Or(rule.textOf("kind"), "^Pod$"))
	if err != nil {
		return never
	}
	var ways []string
	for _, k := range lookedUp {
		if !kinds.MatchString(k.kind) {
			continue
		}
		value := fmt.Sprintf(
			"cached(%s, object.involvedObject.namespace ?? \"\", object.involvedObject.name).metadata.%s[%s]",
			quoted(e.informer(k.plural, k.plural+k.group, e.namespaces)), from, quoted(label.name))
		ways = append(ways, allOf("object.involvedObject.kind == "+quoted(k.kind),
			value+" != nil", e.pattern(label.value, field, value)))
	}
	if ways == nil {
		e.lost(label.value, field, "objects of this kind are not looked up: add an informer, and use cached")
	}
	return anyOf(ways...)
}

// maxAge returns for how many seconds an Event is passed on.
func (e *exporter) maxAge() int {
	for _, name := range []string{"maxEventAgeSeconds", "throttlePeriod"} {
		if n, err := strconv.Atoi(e.root.textOf(name)); err == nil && n != 0 {
			return n
		}
	}
	return 5
}

// listen adds a listener for each receiver that Events come to.
func (e *exporter) listen() {
	receivers, index := e.root.list("receivers"), map[string]int{}
	for i, r := range receivers {
		index[r.textOf("name")] = i
	}
	for _, name := range e.order {
		way := anyOf(e.ways[name]...)
		i, is := index[name]
		if !is || way == never {
			continue
		}
		r, field := receivers[i], document.Item("receivers", i)
		out := &part{name: e.label("output", name), from: e.finding(r.Place, field, "")}
		out.value = e.receiver(r, field, out.name)
		e.outputs = append(e.outputs, out)
		age := fmt.Sprintf(`age(object.lastTimestamp ?? object.eventTime) <= "%ds"`, e.maxAge())
		e.listeners = append(e.listeners, &part{name: e.label("listener", name), from: out.from,
			value: fields{{"informer", e.informer("events", "events", e.namespaces)},
				{"on", []string{"add"}}, {"filter", allOf(way, age)},
				{"outputs", []string{out.name}}}, outputs: []string{out.name}})
	}
}
