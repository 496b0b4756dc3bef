package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config/advice"
	"github.com/informerd/informerd/internal/config/document"
)

// check fills in defaults and reports what is wrong in values of the right types, by the tags of
// their fields and by what no tag can say. It does not repeat what the decoder has reported. It
// returns the informers, of which several may share a cache.
func check(c *Config, r *document.Report) []placedInformer {
	r.Check(c, "")
	if r.Good("listeners") && len(c.Listeners) == 0 && !r.Has("policies") &&
		!r.Broken("listeners") {
		r.BadField("listeners", "", "listeners must have at least one listener or policy")
	}
	for i, entry := range c.Policies {
		if path := document.Item("policies", i); r.Good(path) {
			checkOutputNames(c, entry.Outputs, path, r)
			checkUses(c, nil, entry.Outputs, path, r)
			checkCheckpoint(c, entry.Checkpoint, path, r)
		}
	}
	var informers []placedInformer
	for name, informer := range document.Sorted(c.Informers) {
		path := document.Join("informers", name)
		if informer != nil && r.Good(path) {
			checkInformer(informer, path, r)
			informers = append(informers, placedInformer{path, r, informer})
		}
	}
	for name, output := range document.Sorted(c.Outputs) {
		if output != nil && r.Good(document.Join("outputs", name)) {
			output.Name = name
			checkOutput(output, document.Join("outputs", name), r)
		}
	}
	warnVariable(c.Cluster.Context, "cluster.context", r)
	if r.Good("http") {
		checkHTTP(&c.HTTP, "http", r)
	}
	if c.LeaderElection != nil && r.Good("leaderElection") {
		checkElection(c.LeaderElection, "leaderElection", r)
	}
	if c.Tracing != nil && r.Good("tracing") {
		checkTracing(c.Tracing, "tracing", r)
	}
	checkPorts(c, r)
	checkFiles(c, r)
	warnDeadLetters(c, r)
	for name, listener := range document.Sorted(c.Listeners) {
		path := document.Join("listeners", name)
		if listener != nil && r.Good(path) {
			listener.Name = name
			checkListener(c, listener, path, r)
			if inline := listener.InformerRef.Inline; inline != nil {
				informers = append(informers,
					placedInformer{document.Join(path, "informer"), r, inline})
			}
		}
	}
	return informers
}

// warnVariable warns of a text that another program would replace by another one.
func warnVariable(text, path string, r *document.Report) {
	if hint := advice.NotReplaced(text); hint != "" && r.Good(path) {
		r.Warn(r.Value(path), path, hint, "%s is taken as it is", path)
	}
}

// maxNames is how many names a hint shows, or one is compared with.
const maxNames = 10

// nameHint returns the hint for an unknown name. It is left out when so many mistakes were found
// that most are not shown: comparing every wrong name with every right one would take long.
func nameHint[V any](r *document.Report, name, what string, all map[string]V) string {
	if r.Full() {
		return ""
	}
	if hint := advice.NotReplaced(name); hint != "" {
		return hint
	}
	names := slices.Sorted(maps.Keys(all))
	if hint := document.DidYouMean(name, names); hint != "" {
		return hint
	}
	switch {
	case len(names) == 0:
		return "there are no " + what
	case len(names) > maxNames:
		return ""
	}
	return "the " + what + " are " + strings.Join(names, ", ")
}

// misnamed reports whether a name is defined with capital letters, which is reported there.
func misnamed[V any](name string, all map[string]V) bool {
	if len(all) > maxNames {
		return false
	}
	for other := range all {
		if other != name && strings.ToLower(other) == name {
			return true
		}
	}
	return false
}

// checkOutputNames checks that the outputs which a mapping names exist.
func checkOutputNames(c *Config, outputs []string, path string, r *document.Report) {
	field := document.Join(path, "outputs")
	for i, name := range outputs {
		at := document.Item(field, i)
		if r.Good(at) && !r.Has(document.Join("outputs", name)) && !r.Failed("outputs") &&
			!misnamed(name, c.Outputs) {
			hint := nameHint(r, name, "outputs", c.Outputs)
			switch kind := advice.Kinds[name]; {
			case kind != "" && !strings.HasPrefix(hint, "did you"):
				hint += "; to add it, write " + name + ": {" + name + ": " + kind + "} there"
			case strings.ContainsAny(name, ", "):
				hint = "write a list of names: [" + strings.Join(strings.FieldsFunc(name,
					func(r rune) bool { return r == ',' || r == ' ' }), ", ") + "]"
			}
			r.BadValue(at, hint, "%s: unknown output %s", at, document.Quote(name))
		}
	}
}
