package migrate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/document"
)

// hook converts a hook of shell-operator. Each binding to objects becomes a listener with an output
// that writes what the hook would get.
type hook struct {
	converter
}

// bindings without an equivalent, and why.
var otherBindings = map[string]string{
	"onStartup":                          "informerd runs nothing when it starts: objects that exist come as add, with initial",
	"kubernetesValidating":               "informerd is not an admission controller: use a ValidatingAdmissionPolicy, or keep shell-operator for it",
	"kubernetesMutating":                 "informerd is not an admission controller: use a MutatingAdmissionPolicy, or keep shell-operator for it",
	"kubernetesCustomResourceConversion": "informerd does not convert objects: keep shell-operator for it",
}

func (h *hook) convert() {
	if v := h.root.String("configVersion"); v != "v1" {
		h.find(Lost, h.root.Get("configVersion"), "configVersion", "it is %s, and only v1 is converted",
			document.Quote(v))
		return
	}
	for _, m := range h.root.Members {
		switch m.Name {
		case "configVersion", "kubernetes":
		case "schedule":
			for i, s := range m.Value.Items {
				h.find(Lost, s, document.Item("schedule", i), "informerd has no schedule %s: a CronJob has; a listener with resync gets all objects at an interval",
					document.Quote(s.String("crontab")))
			}
		case "settings":
			h.findAt(Lost, m.Place, "settings", "there is no rate of executions: events of an object that come while its output is busy wait, and are merged if the buffer is full")
		default:
			why, is := otherBindings[m.Name]
			level := Lost
			if !is {
				level, why = Note, "shell-operator does not know it"
			}
			h.findAt(level, m.Place, m.Name, "%s", why)
		}
	}
	for i, b := range h.root.List("kubernetes") {
		h.binding(b, document.Item("kubernetes", i))
	}
}

// noteOf are settings of a binding that have no effect on which events there are.
var noteOf = map[string]struct {
	level Level
	why   string
}{
	"waitForSynchronization":  {Note, "listeners do not wait for each other"},
	"keepFullObjectsInMemory": {Note, "the cache has all objects, packed"},
	"resynchronizationPeriod": {Note, "a lost watch is made good by itself; resync of a listener passes all objects again"},
	"queue":                   {Differs, "each listener has a buffer of its own, and none waits for another"},
	"group":                   {Lost, "events are not put together; a handler sees other objects with the grant cache"},
	"includeSnapshotsFrom":    {Lost, "messages have no snapshots: a filter looks other objects up with cached and byIndex, a handler with the grant cache"},
	"mode":                    {Note, "shell-operator documents it no more"},
}

// binding converts a binding to objects.
func (h *hook) binding(b *document.Node, field string) {
	for _, m := range b.Members {
		if n, is := noteOf[m.Name]; is {
			h.findAt(n.level, m.Place, field+"."+m.Name, "%s", n.why)
		}
	}
	h.unknown(b, field, append([]string{"name", "watchEvent", "executeHookOnEvent",
		"executeHookOnSynchronization", "apiVersion", "kind", "nameSelector", "labelSelector",
		"fieldSelector", "namespace", "jqFilter", "allowFailure"}, noted()...)...)
	name := b.String("name")
	if name == "" {
		name = "kubernetes"
	}
	on, filter := h.events(b, field)
	if len(on) == 0 {
		h.find(Lost, b, field, "the hook is not run for it, it is a snapshot for others: an informer, and cached or byIndex in an expression, take its place")
		return
	}
	inf, selected, ok := h.selectors(b, field)
	if !ok {
		return
	}
	jq, simple := h.jq(b, field)
	result := ""
	if simple {
		result = jq.result
		var changed []string
		for _, path := range jq.paths {
			if path != "" {
				changed = append(changed, path)
			}
		}
		if len(changed) == len(jq.paths) && slices.Contains(on, "update") {
			filter = h.onlyChanged(on, filter, changed)
		}
	}
	if allow := b.Get("allowFailure"); allow.IsTrue() {
		h.find(Differs, allow, field+".allowFailure", "a message that the output refuses is a dead letter; one that it may take later is tried again without end, or as long as retry.giveUpAfter says")
	}
	label := h.name + "-" + name
	if name == "kubernetes" && len(h.root.List("kubernetes")) == 1 {
		label = h.name
	}
	out := h.label("output", label)
	at := h.place(b.Place)
	finding := Finding{File: h.file, Line: at.Line, Column: at.Column, Field: field}
	h.listeners = append(h.listeners, &part{name: h.label("listener", label), finding: finding,
		value: fields{{"informer", inf}, {"on", on}, {"select", textOrNil(selected)},
			{"filter", textOrNil(filter)}, {"outputs", []string{out}}}})
	folder := strings.Trim(notInLabels.ReplaceAllString(strings.ToLower(h.name), "-"), "-")
	p := h.instead(out, fmt.Sprintf("The hook %s ran here, and the data is what it got. Choose an output, such as a\nwebhook that runs it, or make a handler of it: informerd plugin new --lang go %s",
		h.name, folder),
		"have the hook %s run by what reads it, or make a handler of it with informerd plugin new; it writes to stdout until then", h.name)
	p.finding = finding
	p.value = append(fields{{"data", context(name, result, on, filter)}}, p.value.(fields)...)
	h.outputs = append(h.outputs, p)
	h.find(Note, b, field, "informerd runs no programs: what the hook would get is written to the output %s", out)
}

func noted() (names []string) {
	for name := range noteOf {
		names = append(names, name)
	}
	return names
}

func textOrNil(c condition) any {
	if c.kind == always {
		return nil
	}
	return c.String()
}

// watchEvents are the ops of the events of a watch.
var watchEvents = map[string]string{"Added": "add", "Modified": "update", "Deleted": "delete"}

// events returns which events the hook is run for, and what is true of them.
func (h *hook) events(b *document.Node, field string) (on []string, filter condition) {
	list := b.Get("executeHookOnEvent")
	at := field + ".executeHookOnEvent"
	if list == nil || list.IsNull() {
		list, at = b.Get("watchEvent"), field+".watchEvent"
	}
	wants := map[string]bool{}
	if list == nil || list.IsNull() {
		wants = map[string]bool{"add": true, "update": true, "delete": true}
	} else {
		for i, item := range list.Items {
			op := watchEvents[item.Text]
			if op == "" {
				h.find(Lost, item, document.Item(at, i), "there is no event %s", document.Quote(item.Text))
				continue
			}
			wants[op] = true
		}
	}
	synchronized := true
	if s := b.Get("executeHookOnSynchronization"); s.IsText() && s.Text == "false" {
		synchronized = false
	}
	switch {
	case synchronized && !wants["add"]:
		filter = isTrue(`(op != "add" || initial)`)
		if len(wants) == 0 {
			filter = isTrue("initial")
		}
		wants["add"] = true
	case !synchronized && wants["add"]:
		filter = isTrue("!initial")
	}
	if synchronized {
		h.find(Differs, b, field, "the objects that exist at the start come one by one, each as a Synchronization")
	}
	for _, op := range []string{"add", "update", "delete"} {
		if wants[op] {
			on = append(on, op)
		}
	}
	return on, filter
}

// onlyChanged adds that an update has changed one of the fields.
func (h *hook) onlyChanged(on []string, filter condition, paths []string) condition {
	list := make([]string, len(paths))
	for i, path := range paths {
		list[i] = quoted(path)
	}
	changed := isTrue("changed(" + strings.Join(list, ", ") + ")")
	if len(paths) == 0 { // a constant never changes
		changed = condition{kind: never}
	}
	if len(on) > 1 {
		changed = anyOf(isTrue(`op != "update"`), changed)
	}
	return allOf(filter, changed)
}

// jq returns the filter of the binding. It is simple without one.
func (h *hook) jq(b *document.Node, field string) (f jqFilter, simple bool) {
	n := b.Get("jqFilter")
	if !n.IsText() || n.Text == "" {
		return f, false
	}
	f, simple = parseJQ(n.Text)
	if !simple {
		h.find(Lost, n, field+".jqFilter", "only filters that pick fields are converted: this listener gets every update, and its messages have no filterResult; write a filter with changed and the fields that %s reads",
			document.Quote(n.Text))
	}
	return f, simple
}

// context returns the expression of what the hook gets.
func context(name, result string, on []string, filter condition) string {
	object := []string{`"object": object`}
	if result != "" {
		object = append(object, `"filterResult": `+result)
	}
	kinds := map[string]string{"add": "Added", "update": "Modified", "delete": "Deleted"}
	watch := quoted(kinds[on[len(on)-1]])
	for i := len(on) - 2; i >= 0; i-- {
		watch = fmt.Sprintf("op == %s ? %s : %s", quoted(on[i]), quoted(kinds[on[i]]), watch)
	}
	happened := bracketed("{", append([]string{`"binding": ` + quoted(name), `"type": "Event"`,
		`"watchEvent": ` + watch}, object...), "}")
	if !slices.Contains(on, "add") || strings.Contains(filter.String(), "!initial") {
		return happened
	}
	existed := bracketed("{", []string{`"binding": ` + quoted(name), `"type": "Synchronization"`,
		`"objects": [` + bracketed("{", object, "}") + "]"}, "}")
	if filter.String() == "initial" {
		return existed
	}
	return "initial ? " + existed + " : " + happened
}

var groupName = regexp.MustCompile(`^[a-z0-9.-]*$`)

// resourceOf returns the resource of a binding.
func (h *hook) resourceOf(b *document.Node, field string) (k resourceKind, resource string,
	ok bool) {
	kind, apiVersion := b.String("kind"), b.String("apiVersion")
	if kind == "" {
		h.find(Lost, b, field, "it has no kind")
		return k, "", false
	}
	group, version := groupVersion(apiVersion)
	if k, is := kindNamed(kind, apiVersion); is {
		resource = k.resource()
		switch {
		case apiVersion == "" || version == k.version:
		case strings.Contains(version, "beta") || strings.Contains(version, "alpha"):
			h.find(Differs, b.Get("apiVersion"), field+".apiVersion", "API servers do not serve %s any more: it is %s",
				apiVersion, k.version)
		default:
			resource = k.plural + "." + version + strings.TrimSuffix("."+k.group, ".")
		}
		return k, resource, true
	}
	if k, is := kindNamed(kind, ""); is && strings.Contains(version, "beta") {
		h.find(Differs, b.Get("apiVersion"), field+".apiVersion", "API servers do not serve %s any more: it is %s",
			apiVersion, k.resource())
		return k, k.resource(), true
	}
	plural := strings.ToLower(kind)
	if !groupName.MatchString(group) || !groupName.MatchString(version) ||
		!groupName.MatchString(plural) {
		h.find(Lost, b, field, "there cannot be a resource of this kind and apiVersion")
		return k, "", false
	}
	if !strings.HasSuffix(plural, "s") {
		plural += "s"
	}
	resource = plural
	if group != "" {
		resource += "." + version + "." + group
	}
	h.find(Differs, b.Get("kind"), field+".kind", "informerd wants the plural of the resource: %s is a guess; validate --cluster asks the API server", resource)
	return k, resource, true
}
