package migrate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// exporter converts a configuration of kubernetes-event-exporter. Each receiver becomes an output
// with a listener, whose filter is the way through the routes to it.
type exporter struct {
	converter
	namespaces []string
	omitLookup bool
	ways       map[string][]condition // to receivers
	order      []string               // of the receivers in the routes
	at         map[string]document.Place
}

// asked are settings of the whole process, with what they are here.
var processSettings = map[string]string{
	"logLevel":          "it is a flag of informerd run: --log-level",
	"logFormat":         "it is a flag of informerd run: --log-format",
	"metricsNamePrefix": "metrics of informerd have their own names; http.address serves them",
	"kubeQPS":           "informerd watches, and sends no request for each event",
	"kubeBurst":         "informerd watches, and sends no request for each event",
	"cacheSize":         "informerd looks labels up in its own cache, which has all objects",
}

func (e *exporter) convert() {
	e.ways, e.at = map[string][]condition{}, map[string]document.Place{}
	for _, m := range e.root.Members {
		switch m.Name {
		case "route", "receivers", "throttlePeriod", "maxEventAgeSeconds", "omitLookup":
		case "namespace":
			if text := m.Value.Text; text != "" {
				e.namespaces = []string{text}
			}
		case "clusterName":
			e.clusterName(m.Value)
		case "leaderElection":
			e.election(m.Value)
		default:
			why, is := processSettings[m.Name]
			if !is {
				why = string(e.peer) + " ignores it"
			}
			e.findAt(Note, m.Place, m.Name, "%s", why)
		}
	}
	e.omitLookup = e.root.Get("omitLookup").IsTrue()
	e.route(e.root.Get("route"), "route", condition{})
	e.listen()
}

func (e *exporter) clusterName(n *document.Node) {
	if n.Text == "" {
		return
	}
	name := e.label("cluster", n.Text)
	if name != n.Text {
		e.find(Differs, n, "clusterName", "cluster names are DNS labels here: it is %s", name)
	}
	if known(e.settings, "cluster") == nil {
		e.settings = append(e.settings, &part{name: "cluster", value: fields{{"name", name}}})
	}
}

func (e *exporter) election(n *document.Node) {
	if !n.Get("enabled").IsTrue() || known(e.settings, "leaderElection") != nil {
		return
	}
	id := n.String("leaderElectionID")
	if id == "" {
		id = "kubernetes-event-exporter"
	}
	e.settings = append(e.settings, &part{name: "leaderElection",
		value: fields{{"name", e.label("election", id)}}})
	e.find(Differs, n, "leaderElection", "replicas of informerd hand over what is not delivered yet; the Lease is another one, so do not run both tools with it")
}

// route adds the ways to the receivers below a route. Before is what is true of an event that comes
// here.
func (e *exporter) route(n *document.Node, field string, before condition) {
	if n == nil || n.IsNull() {
		return
	}
	e.unknown(n, field, "drop", "match", "routes")
	here := []condition{before}
	for i, rule := range n.List("drop") {
		at := document.Item(field+".drop", i)
		if rule.Get("receiver") != nil {
			e.find(Note, rule.Get("receiver"), at+".receiver", "%s ignores it in a drop rule", e.peer)
		}
		here = append(here, notTrue(e.rule(rule, at)))
	}
	passes := allOf(here...)
	further := []condition{passes}
	for i, rule := range n.List("match") {
		at := document.Item(field+".match", i)
		matches := e.rule(rule, at)
		if name := rule.String("receiver"); name != "" {
			if e.ways[name] == nil {
				e.order = append(e.order, name)
				e.at[name] = rule.Get("receiver").Place
			}
			e.ways[name] = append(e.ways[name], allOf(passes, matches))
		}
		further = append(further, matches)
	}
	next := allOf(further...)
	for i, sub := range n.List("routes") {
		e.route(sub, document.Item(field+".routes", i), next)
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
func (e *exporter) rule(n *document.Node, field string) condition {
	known := []string{"labels", "annotations", "minCount", "receiver"}
	var parts []condition
	for _, f := range ruleFields {
		known = append(known, f.name)
		if v := n.Get(f.name); v.IsText() && v.Text != "" {
			parts = append(parts, e.pattern(v, field+"."+f.name, f.field))
		}
	}
	e.unknown(n, field, known...)
	for _, from := range []string{"labels", "annotations"} {
		if m := n.Get(from); m.IsMapping() {
			for _, label := range m.Members {
				parts = append(parts, e.involved(n, from, label, document.Join(field+"."+from,
					label.Name)))
			}
		}
	}
	if v := n.Get("minCount"); v.IsText() {
		count, err := strconv.Atoi(v.Text)
		switch {
		case err != nil:
			e.find(Lost, v, field+".minCount", "it must be a number")
		case count > 0:
			parts = append(parts, isTrue(fmt.Sprintf("(object.count ?? 0) >= %d", count)))
		}
	}
	return allOf(parts...)
}

// literal are patterns that match one text, or one of several, and nothing else.
var (
	wholeText = regexp.MustCompile(`^\^\(?([A-Za-z0-9_/:-]+(?:\|[A-Za-z0-9_/:-]+)*)\)?\$$`)
	partText  = regexp.MustCompile(`^[A-Za-z0-9_/:-]+$`)
)

// pattern returns when a field's text matches a pattern. The pattern means the same in both tools.
func (e *exporter) pattern(n *document.Node, field, of string) condition {
	p := n.Text
	re, err := regexp.Compile(p)
	if strings.Contains(p, "${") {
		e.find(Lost, n, field, "there is an environment variable in it, and informerd has none in expressions: write its value")
		return condition{kind: never}
	}
	if err != nil {
		e.find(Note, n, field, "%s is not a pattern (%s), so nothing ever matches it in %s; the result is the same",
			document.Quote(p), strings.TrimPrefix(err.Error(), "error parsing regexp: "), e.peer)
		return condition{kind: never}
	}
	if p == ".*" {
		return condition{kind: always}
	}
	if m := wholeText.FindStringSubmatch(p); m != nil &&
		strings.Contains(p, "(") == strings.Contains(p, ")") &&
		strings.Contains(p, "(") == strings.Contains(p, "|") {
		if words := strings.Split(m[1], "|"); len(words) > 1 {
			return isTrue(of + " in " + quotedList(words))
		}
		return isTrue(of + " == " + quoted(m[1]))
	}
	if partText.MatchString(p) {
		return isTrue(of + " contains " + quoted(p))
	}
	if re.MatchString("") { // as it is where the field is missing
		of = "(" + of + ` ?? "")`
	}
	return isTrue(of + " matches " + quoted(p))
}

// lookedUp are the kinds whose labels are looked up. A watch of all kinds that there are would cost
// more than the Events.
var lookedUp = []string{"Pod", "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job",
	"CronJob", "Service", "Node", "Ingress", "PersistentVolumeClaim", "HorizontalPodAutoscaler"}

// involved returns when a label or an annotation of the involved object matches. An Event does not
// have them.
func (e *exporter) involved(rule *document.Node, from string, label document.NodeMember,
	field string) condition {
	if e.omitLookup {
		e.findAt(Note, label.Place, field, "with omitLookup %s knows no labels, so nothing matches it; the result is the same", e.peer)
		return condition{kind: never}
	}
	kinds := []string{"Pod"}
	if p := rule.String("kind"); p != "" {
		kinds = nil
		re, err := regexp.Compile(p)
		for _, kind := range lookedUp {
			if err == nil && re.MatchString(kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	if len(kinds) == 0 {
		e.findAt(Lost, label.Place, field, "objects of this kind are not looked up; add an informer of them, and look them up with cached")
		return condition{kind: never}
	}
	e.findAt(Differs, label.Place, field, "informerd watches %s, and looks the labels up there; of other kinds it knows none",
		strings.Join(kinds, ", "))
	var ways []condition
	for _, kind := range kinds {
		k, _ := kindNamed(kind, "")
		inf := fields{{"resource", k.resource()}}
		namespace := `object.involvedObject.namespace ?? ""`
		if k.cluster {
			namespace = `""`
		} else if e.namespaces != nil {
			inf = append(inf, another("namespaces", e.namespaces))
		}
		value := fmt.Sprintf("cached(%s, %s, object.involvedObject.name).metadata.%s[%s]",
			quoted(e.sharedInformer(k.plural, inf)), namespace, from, quoted(label.Name))
		matches := isTrue(value + " != nil")
		if re, err := regexp.Compile(label.Value.Text); err != nil || !re.MatchString("") {
			matches = e.pattern(label.Value, field, value) // it does not match nil
		} else if label.Value.Text != "" {
			matches = allOf(matches, e.pattern(label.Value, field, value))
		}
		ways = append(ways, allOf(isTrue("object.involvedObject.kind == "+quoted(kind)), matches))
	}
	return anyOf(ways...)
}

// maxAge returns for how many seconds an Event is passed on.
func (e *exporter) maxAge() int {
	for _, name := range []string{"maxEventAgeSeconds", "throttlePeriod"} {
		if n, err := strconv.Atoi(e.root.String(name)); err == nil && n != 0 {
			return n
		}
	}
	return 5
}

// A filter should have at most so many bytes and nodes: informerd refuses more than 16 KiB, and
// more than 2,000 nodes.
const (
	maxFilter = 15 << 10
	maxWeight = 1700
)

// parts returns when one of several ways leads to a receiver, in several parts if one would be too
// long. The parts are listeners of their own.
func (e *exporter) parts(ways []condition) (parts []condition) {
	part := condition{kind: never}
	for _, way := range ways {
		more := anyOf(part, way)
		if len(more.String()) < maxFilter && more.weight() < maxWeight || part.kind == never {
			part = more
			continue
		}
		parts = append(parts, part)
		part = way
	}
	return append(parts, part)
}

// listen adds a listener for each receiver that Events come to.
func (e *exporter) listen() {
	receivers := map[string]*document.Node{}
	index := map[string]int{}
	for i, r := range e.root.List("receivers") {
		name := r.String("name")
		if receivers[name] != nil {
			e.find(Note, r, document.Item("receivers", i), "a later receiver of that name replaces it, as in %s", e.peer)
		}
		receivers[name], index[name] = r, i
		if e.ways[name] == nil {
			e.find(Note, r, document.Item("receivers", i), "no route leads to %s", document.Quote(name))
		}
	}
	for _, name := range e.order {
		r := receivers[name]
		if r == nil {
			e.findAt(Note, e.at[name], "", "there is no receiver %s, so Events for it go nowhere, as in %s",
				document.Quote(name), e.peer)
			continue
		}
		way := anyOf(e.ways[name]...)
		if way.kind == never {
			e.findAt(Note, e.at[name], "", "no Event ever comes to the receiver %s, as in %s",
				document.Quote(name), e.peer)
			continue
		}
		if len(e.ways[name]) > 1 {
			e.findAt(Note, e.at[name], "", "several routes lead to %s: an Event that more than one of them matches is sent once here",
				document.Quote(name))
		}
		inf := fields{{"resource", "events"}}
		if e.namespaces != nil {
			inf = append(inf, another("namespaces", e.namespaces))
		}
		age := isTrue(fmt.Sprintf(`age(object.lastTimestamp ?? object.eventTime) <= "%ds"`,
			e.maxAge()))
		at := e.place(r.Place)
		finding := Finding{File: e.file, Line: at.Line, Column: at.Column,
			Field: document.Item("receivers", index[name])}
		out := e.receiver(r, finding.Field)
		out.finding = finding
		e.outputs = append(e.outputs, out)
		for _, way := range e.parts(e.ways[name]) {
			e.listeners = append(e.listeners, &part{name: e.label("listener", name),
				finding: finding,
				value: fields{{"informer", e.sharedInformer("events", inf)},
					{"on", []string{"add"}}, {"filter", allOf(way, age).String()},
					{"outputs", []string{out.name}}}})
		}
	}
	slices.SortStableFunc(e.informers, func(a, b *part) int {
		return strings.Compare(a.name, b.name)
	})
}
