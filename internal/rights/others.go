package rights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// ofPod stands for the namespace of informerd's own pod, which only the pod knows. It is not the
// name of a namespace.
const ofPod = "that informerd runs in"

// Others returns what a configuration requests from the API server besides the objects of its
// informers. With names of listeners, it is what their outputs request. It asks no API server: what
// informerd does not know has the name of the configuration.
func Others(p *plan.Plan, listeners ...string) (all []plan.Request) {
	var needs []need
	for _, l := range p.Listeners {
		if len(listeners) == 0 || slices.Contains(listeners, l.Config.Name) {
			needs = append(needs, ofOutputs(p.Config, l, guess(l.Config.Informer()))...)
		}
	}
	if len(listeners) == 0 {
		needs = append(needs, ofDaemon(p.Config, ofPod)...)
	}
	for _, s := range merge(needs) {
		for _, r := range s.Rules {
			all = append(all, plan.Request{Right: r.object(s.Namespace) + ": " +
				strings.Join(r.Verbs, ", "), For: r.For})
		}
	}
	return all
}

// guess returns the resource of an informer, by the name of the configuration if that is not known
// without an API server.
func guess(inf *config.Informer) Found {
	found, err := offline(inf)
	if err != nil {
		found = Found{Resource: named("", "", inf.Resource), AnyScope: len(inf.Namespaces) == 0}
		found.Namespaced = !found.AnyScope
	}
	return found
}

// object returns what a rule is about, in words.
func (r Rule) object(namespace string) string {
	var resources []string
	for _, resource := range r.Resources {
		resources = append(resources, strings.TrimSuffix(resource+"."+r.APIGroups[0], "."))
	}
	text := strings.Join(resources, ", ")
	if len(r.ResourceNames) > 0 {
		text += " " + strings.Join(r.ResourceNames, ", ")
	}
	if namespace != "" {
		text += fmt.Sprintf(" in the namespace %s", namespace)
	}
	return text
}
