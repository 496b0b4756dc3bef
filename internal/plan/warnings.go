package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/fields"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/config/document"
	"github.com/informerd/informerd/internal/nearest"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
	"github.com/informerd/informerd/pkg/informer/object"
)

// Warnings returns warnings about informers and outputs that no listener uses, settings without
// effect, and folders of clusters that are not there.
func (p *Plan) Warnings() (warnings config.Errors) {
	cfg := p.Config
	informers, outputs := map[*config.Informer]bool{}, map[string]bool{}
	for _, l := range p.Listeners {
		informers[l.Config.Informer()] = true
		for _, name := range l.Lookups() {
			informers[l.Config.Informers()[name]] = true
		}
		for _, name := range l.Config.Outputs {
			outputs[name] = true
		}
	}
	for _, inf := range InformersOf(cfg) {
		if !informers[inf.Informer] {
			// the name that one of a policy has in its file
			shown := inf.Field[strings.LastIndex(inf.Field, "informers."):]
			warnings = append(warnings, cfg.ErrorAt(inf.Field, shown+
				" is not used: no listener refers to it or looks objects up in it", ""))
		}
		if field := inf.Field + ".clusterSelector"; cfg.Fleet() && len(cfg.ClustersFrom) == 0 &&
			len(clustersOf(cfg, inf.Informer)) == 0 {
			warnings = append(warnings, cfg.ErrorAt(field, field+" matches none of the clusters", ""))
		}
	}
	for i, from := range cfg.ClustersFrom {
		if from.Folder == "" {
			continue
		}
		if _, err := os.ReadDir(cfg.Path(from.Folder)); err != nil {
			field := document.Item("clustersFrom", i) + ".folder"
			warning := cfg.ErrorAt(field, fmt.Sprintf("%s: %.200q cannot be read: %s", field,
				cfg.Path(from.Folder), document.Reason(err)), "")
			warning.Absent = errors.Is(err, fs.ErrNotExist)
			warnings = append(warnings, warning)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Outputs)) {
		if field := "outputs." + name; !outputs[name] {
			warnings = append(warnings, cfg.ErrorAt(field,
				field+" is not used: no listener sends anything to it", ""))
		}
	}
	for _, l := range p.Listeners {
		if field := l.Field + ".on"; l.Quiet && l.Config.Ops()&everything != everything {
			warnings = append(warnings, cfg.ErrorAt(field, field+
				" has no effect: without a filter or a handler, only reports of rules are sent", ""))
		}
	}
	return warnings
}

// clustersOf returns the names of the configuration's clusters that an informer watches.
func clustersOf(cfg *config.Config, inf *config.Informer) (names []string) {
	for name, m := range document.Sorted(cfg.Clusters) {
		if inf.In(name, m.Labels) {
			names = append(names, name)
		}
	}
	return names
}

// LookupNotes returns what lookups cost with sharding: a place for each informer.
func (p *Plan) LookupNotes() (notes config.Errors) {
	if p.Config.Sharding == nil {
		return nil
	}
	whole := map[*config.Informer]bool{}
	for _, l := range p.Listeners {
		for _, in := range l.LooksUp() {
			whole[in.Informer] = true
		}
	}
	for _, inf := range InformersOf(p.Config) {
		if whole[inf.Informer] {
			note := p.Config.ErrorAt(inf.Field, inf.Field+
				" is looked up, so each replica keeps all of its objects, whatever its shards are", "")
			note.Absent = true
			notes = append(notes, note)
		}
	}
	return notes
}

var everything = event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete)

// ResourceWarnings returns what an API server would refuse of informers, or never match, as far as
// that is known without one. The notes are about resources whose fields were not checked in
// expressions; without schemas none are.
func ResourceWarnings(cfg *config.Config, schemas Schemas) (warnings, notes config.Errors) {
	set, err := openapi.Builtin()
	if err != nil {
		return nil, nil
	}
	read := map[*config.Informer]bool{} // by expressions
	for _, l := range cfg.ListenersInOrder() {
		if !l.Select.IsZero() || !l.Filter.IsZero() || len(l.Rules) > 0 {
			read[l.Informer()] = true
		}
	}
	seen := map[string]bool{} // one place of each name is enough
	for _, inf := range InformersOf(cfg) {
		name, known := set.Find(inf.Resource)
		if known {
			warnings = append(warnings, informerWarnings(cfg, set, inf, name)...)
			continue
		}
		if seen[inf.Resource] {
			continue
		}
		const ask = "validate --cluster asks the API server"
		field := inf.Field + ".resource"
		if near := nearResource(set, inf.Resource); near != "" {
			warnings = append(warnings, cfg.ErrorAt(field,
				fmt.Sprintf("informerd knows no resource %s", inf.Resource),
				fmt.Sprintf("did you mean %q? If not, %s", near, ask)))
		} else if read[inf.Informer] && schemas != nil && schemas(inf.Resource) == nil {
			notes = append(notes, cfg.ErrorAt(field, fmt.Sprintf(
				"the fields that expressions read of %s are not checked: informerd has no schema of it",
				inf.Resource), ask))
		} else {
			continue
		}
		seen[inf.Resource] = true
	}
	return warnings, notes
}

// nearResource returns the common resource that a name misspells, "" if there is none.
func nearResource(set *openapi.Set, resource string) string {
	known := set.Resources()
	if !strings.Contains(resource, ".") { // as users usually write them
		for i, name := range known {
			known[i], _, _ = strings.Cut(name, ".")
		}
	}
	near, _ := nearest.Name(resource, known)
	return near
}

// informerWarnings is about an informer of a common resource.
func informerWarnings(cfg *config.Config, set *openapi.Set, inf PlacedInformer,
	name openapi.Name) (warnings config.Errors) {
	warn := func(below, message, hint string) {
		field := inf.Field + "." + below
		warnings = append(warnings, cfg.ErrorAt(field, field+message, hint))
	}
	if len(inf.Namespaces) > 0 && name.OfCluster() {
		warn("namespaces", ": "+name.Resource+
			" belong to the whole cluster and cannot be limited to namespaces", "")
	}
	schema, _ := set.Lookup(inf.Resource)
	if schema == nil {
		return warnings
	}
	selector, err := fields.ParseSelector(inf.Scope().FieldSelector)
	if err != nil { // of a configuration with mistakes
		selector = fields.Everything()
	}
	for _, r := range selector.Requirements() {
		field, _, _ := fieldAt(schema, r.Field)
		if r.Value != "" && field != nil && field.Enum != nil && !slices.Contains(field.Enum, r.Value) {
			warn("fieldSelector", fmt.Sprintf(": %s is never %q; it is one of %s", r.Field, r.Value,
				document.And(field.Enum)), "")
		}
	}
	check := func(below, path string) {
		if _, near, missing := fieldAt(schema, path); missing {
			hint := ""
			if near != "" {
				hint = "did you mean " + near + "?"
			}
			warn(below, ": "+name.Resource+" have no field "+path, hint)
		}
	}
	for i, path := range inf.Drop {
		check(document.Item("drop", i), path)
	}
	for index, path := range document.Sorted(inf.Indexes) {
		check(document.Join("indexes", index), path)
	}
	return warnings
}

// fieldAt returns the schema at a path, nil if it is not known. Objects may surely have nothing there;
// then near is the path that is probably meant, "" if there is none.
func fieldAt(schema *filters.Schema, path string) (at *filters.Schema, near string, missing bool) {
	steps, err := object.PathSteps(path)
	if err != nil {
		return nil, "", false
	}
	at = schema
	for _, step := range steps {
		switch {
		case at == nil || at.Type == "" && len(at.Fields) == 0:
			return nil, "", false
		case step.IsIndex != (at.Type == "array"):
			return nil, "", true
		case step.IsIndex:
			at = at.Items
		case at.Fields[step.Key] != nil:
			at = at.Fields[step.Key]
		case at.Values != nil:
			at = at.Values
		case at.Open:
			return nil, "", false
		default:
			name, found := nearest.Name(step.Key, slices.Sorted(maps.Keys(at.Fields)))
			if found {
				near = path[:step.Offset] + name + path[step.Offset+len(step.Key):]
			}
			return nil, near, true
		}
	}
	return at, "", false
}
