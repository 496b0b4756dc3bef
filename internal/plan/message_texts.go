package plan

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	openapi "github.com/informerd/informerd/internal/schema"
	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters/rules"
	"github.com/informerd/informerd/pkg/informer/event"
)

// messageTexts returns the only texts that variables of the messages of listeners can be: what an
// expression compares them with otherwise is a mistake.
func messageTexts(listeners []*config.Listener) map[string][]string {
	texts := map[string][]string{}
	set, err := openapi.Builtin()
	if err != nil {
		return nil
	}
	add := func(variable string, more ...string) {
		texts[variable] = append(texts[variable], more...)
	}
	anyType, anyResource, anyNamespace, reports := false, false, false, false
	for _, l := range listeners {
		add("listener", l.Name)
		if name, known := set.Find(l.Informer().Resource); known {
			add("resource", strings.TrimSuffix(name.Resource+"."+name.Group, "."))
		} else { // only an API server knows what the variable is
			anyResource = true
		}
		add("namespace", l.Informer().Namespaces...)
		anyNamespace = anyNamespace || len(l.Informer().Namespaces) == 0
		reports = reports || len(l.Rules) > 0
		if len(l.Rules) > 0 {
			add("type", cloudevent.Violated, cloudevent.Resolved)
		}
		for _, r := range l.Rules {
			add("rule", r.Name)
		}
		if len(l.Rules) == 0 || !l.Filter.IsZero() || l.Handler != nil {
			for _, op := range event.Ops {
				if l.Ops().Has(op) {
					add("type", cloudevent.TypeOf(op))
				}
			}
		}
		if h := l.Handler; h != nil {
			emits, all := emittedTypes(h.Grants.Emit)
			add("type", emits...)
			anyType = anyType || !all
		}
	}
	if anyType {
		delete(texts, "type")
	}
	if anyResource {
		delete(texts, "resource")
	}
	if anyNamespace {
		delete(texts, "namespace")
	}
	if len(listeners) > 0 && !reports {
		texts["rule"], texts["severity"] = []string{}, []string{}
	}
	for variable, all := range texts {
		if variable != "severity" {
			texts[variable] = slices.Compact(slices.Sorted(slices.Values(all)))
		}
	}
	if reports {
		texts["severity"] = rules.Severities // in their order
	}
	return texts
}

// emittedTypes returns the types of events that a handler may emit, and whether these are all.
func emittedTypes(grant *config.EmitGrant) (types []string, all bool) {
	switch {
	case grant == nil:
		return nil, false
	case !slices.Contains(grant.Kinds, "event"):
		return nil, true
	case len(grant.Types) == 0 || slices.ContainsFunc(grant.Types, func(typ string) bool {
		return strings.HasSuffix(typ, ".") // all that begin with it
	}):
		return nil, false
	}
	return grant.Types, true
}
