package reloads

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/informerd/informerd/pkg/plugins/abi"
	"github.com/informerd/informerd/pkg/plugins/guesttest"
)

// asks is an expression about an object, and what it says, written down a second time.
type asks struct {
	text string
	of   func(p *pod) bool
}

var everything = asks{"", func(*pod) bool { return true }}

var selects = []asks{
	everything,
	{`label("team") == "a"`, func(p *pod) bool { return p.team == "a" }},
	{`label("team") != "b"`, func(p *pod) bool { return p.team != "b" }},
	{`object.spec.n % 2 == 0`, func(p *pod) bool { return p.n%2 == 0 }},
	{`object.spec.n > 50`, func(p *pod) bool { return p.n > 50 }},
}

// filters let every delete through, and every object of which n % 6 is 1.
var filters = []asks{
	everything,
	{`op == "delete" || object.spec.n % 3 != 0`, func(p *pod) bool { return p.n%3 != 0 }},
	{`op == "delete" || object.spec.n % 2 == 1`, func(p *pod) bool { return p.n%2 == 1 }},
	{`cached("cms", "ns-a", "gate") != nil`, func(p *pod) bool { return true }},
	{`op == "delete" || cached("cms", "ns-a", "gate") == nil || object.spec.n % 3 == 1`,
		func(p *pod) bool { return p.n%3 == 1 }},
}

var denies = []asks{
	{`object.spec.n % 3 == 0`, func(p *pod) bool { return p.n%3 == 0 }},
	{`object.spec.n > 50`, func(p *pod) bool { return p.n > 50 }},
	{`label("team") == "c"`, func(p *pod) bool { return p.team == "c" }},
}

var scopes = []scope{{}, {}, {namespace: "ns-a"}, {namespace: "ns-b"}, {labels: "team=a"},
	{labels: "team!=c"}, {namespace: "ns-a", labels: "team!=b"}, {fields: "spec.nodeName=n1"}}

// version is a valid configuration, less what does not change.
type version struct {
	v         int
	module    int          // of handled
	path      string       // of its file
	selected  asks         // of scoped
	within    scope        // of scoped
	filter    asks         // of filtered
	on        string       // of filtered
	rules     map[int]asks // of judged, by the numbers of their names
	watched   asks         // of judged
	settings  map[string]string
	more      map[string]bool // listeners that have another output
	mode      string          // of webhooks that change
	guests    map[int]bool
	guestKind string
}

var changing = []string{"scoped", "filtered", "judged", "handled"}

// first has expressions by which something is refused before the buffers.
func first() *version {
	w := &version{selected: selects[1], filter: filters[1], watched: selects[1],
		rules: map[int]asks{0: denies[0]}, settings: map[string]string{}, more: map[string]bool{},
		mode: "batch", guests: map[int]bool{}, module: 1, path: "m-a.wasm"}
	return w
}

// clone returns a copy that has a version of its own.
func (w *version) clone(v int) *version {
	c := *w
	c.v = v
	c.rules, c.settings, c.more, c.guests = map[int]asks{}, map[string]string{}, map[string]bool{},
		map[int]bool{}
	for k, x := range w.rules {
		c.rules[k] = x
	}
	for k, x := range w.settings {
		c.settings[k] = x
	}
	for k, x := range w.more {
		c.more[k] = x
	}
	for k, x := range w.guests {
		c.guests[k] = x
	}
	return &c
}

func one[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// change changes a few things at once. It returns what.
func (w *version) change(r *rand.Rand) (what string) {
	var did []string
	for range 1 + r.IntN(3) {
		kind := one(r, []string{"select", "scope", "filter", "on", "rules", "rules", "watched",
			"settings", "settings", "more", "mode", "guests", "guests"})
		did = append(did, kind)
		switch kind {
		case "select":
			w.selected = one(r, selects)
		case "scope":
			w.within = one(r, scopes)
		case "filter":
			w.filter = one(r, filters)
		case "on":
			w.on = one(r, []string{"", "[add, update, delete]", "[update, delete, add, resync]"})
		case "rules":
			if n := r.IntN(3); w.rules[n].of != nil && r.IntN(3) == 0 && len(w.rules) > 1 {
				delete(w.rules, n)
			} else {
				w.rules[n] = one(r, denies)
			}
		case "watched":
			w.watched = one(r, selects)
		case "settings":
			l := one(r, changing)
			w.settings[l] = one(r,
				[]string{"", "workers: 3", "workers: 2, buffer: {capacity: 4000}",
					"retry: {attempts: 3, minBackoff: 50ms}", "retry: {maxBackoff: 2s}",
					"buffer: {capacity: 3000, overflow: block}", "resync: 1s",
					"resync: 2s, workers: 4"})
			if l == "filtered" && strings.Contains(w.settings[l], "buffer") {
				w.settings[l] = "workers: 2"
			}
		case "more":
			l := one(r, changing)
			w.more[l] = !w.more[l]
		case "mode":
			w.mode = one(r, []string{"batch", "batch", "structured"})
		case "guests":
			n := r.IntN(3)
			w.guests[n] = !w.guests[n]
			w.guestKind = one(r, []string{"pods", "pods", "configmaps"})
		}
	}
	return strings.Join(did, ", ")
}

// module is the handler of a number.
func module(n int) []byte {
	says := []guesttest.Action{
		guesttest.Call(abi.ModuleResult, "emit", int(abi.EmitData), fmt.Sprintf(`{"m":%d}`, n))}
	g := guesttest.Guest{Events: map[int][]guesttest.Action{1: says, 2: says, 3: says, 4: says}}
	return g.Bytes()
}

const data = `data: '{"v": %d, "n": object.spec.n, "m": data?.m ?? 0}'`

// text is the configuration.
func (w *version) text(hooks, state string) string {
	b := &strings.Builder{}
	p := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	p("apiVersion: informerd.dev/v1alpha1\nkind: Config\nhttp: {address: \"127.0.0.1:0\"}\nstate: {dir: %q}", state)
	p("shutdown: {drain: 1m, close: 1m}")
	p("informers:\n  pods: {resource: pods}\n  cms: {resource: configmaps}")
	for n := range 3 {
		if w.guests[n] {
			p("  more-%d: {resource: %s, namespaces: [ns-%c]}", n, w.guestKind, 'a'+n)
		}
	}
	p("outputs:")
	p("  still-file: {%s, file: {path: still-file.jsonl, rotate: {size: 1Gi}}}",
		fmt.Sprintf(data, 0))
	for _, l := range []string{"still-hook", "still-rules"} {
		p("  %s: {%s, webhook: {url: \"%s/%s\", mode: batch, timeout: 1m, batch: {wait: 5ms}}}", l,
			fmt.Sprintf(data, 0), hooks, l)
	}
	outputs := []string{"guests"}
	for _, l := range changing {
		if outputs = append(outputs, l); w.more[l] {
			outputs = append(outputs, l+"-more")
		}
	}
	for _, l := range outputs {
		batch := ""
		if w.mode == "batch" {
			batch = ", batch: {wait: 5ms}"
		}
		p("  %s: {%s, webhook: {url: \"%s/%s/%d\", timeout: 1m, mode: %s%s}}", l,
			fmt.Sprintf(data, w.v), hooks,
			l, w.v, w.mode, batch)
	}
	p("listeners:")
	p("  still-file: {informer: pods, buffer: {capacity: 100000}, outputs: [still-file]}")
	p("  still-hook: {informer: pods, select: 'label(\"team\") != \"b\"', workers: 2, " +
		"buffer: {capacity: 100000}, outputs: [still-hook]}")
	p("  still-rules: {informer: pods, rules: [{name: r, deny: '%s'}], outputs: [still-rules]}",
		denies[0].text)
	listener := func(name, rest string) {
		to := name
		if w.more[name] {
			to += ", " + name + "-more"
		}
		if s := w.settings[name]; s != "" {
			rest += ", " + s
		}
		p("  %s: {%s, outputs: [%s]}", name, rest, to)
	}
	listener("scoped", w.within.yaml()+expression("select", w.selected))
	on := ""
	if w.on != "" {
		on = ", on: " + w.on
		if strings.Contains(w.on, "resync") != strings.Contains(w.settings["filtered"], "resync") {
			on = ""
		}
	}
	// Its buffer never overflows, so that every state has to come.
	listener("filtered", "informer: pods, buffer: {capacity: 100000}"+
		expression("filter", w.filter)+on)
	rules := ""
	for n := range 3 {
		if d := w.rules[n]; d.of != nil {
			rules += fmt.Sprintf("{name: r%d, deny: '%s'}, ", n, d.text)
		}
	}
	listener("judged", "informer: pods, rules: ["+strings.TrimSuffix(rules, ", ")+"]"+
		expression("select", w.watched))
	listener("handled", "informer: pods, handler: {wasm: "+w.path+", limits: {deadline: 10s}}")
	for n := range 3 {
		if w.guests[n] {
			p("  guest-%d: {informer: more-%d, outputs: [guests]}", n, n)
		}
	}
	return b.String()
}

func expression(field string, a asks) string {
	if a.text == "" {
		return ""
	}
	return ", " + field + ": '" + a.text + "'"
}

func (s scope) yaml() string {
	text := "informer: {resource: pods"
	if s.namespace != "" {
		text += ", namespaces: [" + s.namespace + "]"
	}
	if s.labels != "" {
		text += `, labelSelector: "` + s.labels + `"`
	}
	if s.fields != "" {
		text += `, fieldSelector: "` + s.fields + `"`
	}
	return text + "}"
}

// spoil makes a configuration invalid in one way or several.
func spoil(r *rand.Rand, text string) (spoiled, what string) {
	ways := []struct{ what, old, new string }{
		{"not YAML", "listeners:", "listeners: ["},
		{"an unknown field", "informer: pods, handler", "informer: pods, hander: {}, handler"},
		{"an expression", "data?.m ?? 0", "data?.m ??"},
		{"a type", "workers: 2", "workers: many"},
		{"no such module", "wasm: ", "wasm: no-"},
		{"not a module", "wasm: m-a", "wasm: bad"},
		{"an unknown output", "outputs: [scoped", "outputs: [none, scoped"},
		{"an unknown informer", "filtered: {informer: pods", "filtered: {informer: none"},
		{"a secret", "  still-file: {data",
			"  secret: {webhook: {url: {fromEnv: NOT_SET_HERE}}}\n  still-file: {data"},
		{"a rule", "rules: [{", "rules: [{name: r9, deny: 'object.x =='}, {"},
		{"the state", "state: {dir: ", "cluster: {name: other}\nstate: {dir: "},
	}
	for range 1 + r.IntN(3) {
		way := one(r, ways)
		if after := strings.Replace(text, way.old, way.new, 1); after != text {
			text, what = after, what+way.what+" "
		}
	}
	if what == "" {
		return text + "nonsense: true\n", "an unknown section"
	}
	return text, what
}
