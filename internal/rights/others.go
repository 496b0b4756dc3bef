package rights

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
)

// ofPod stands for the namespace of informerd's own pod, which only the pod knows. It is not the
// name of a namespace.
const ofPod = "that informerd runs in"

// WriteOthers writes what a configuration requests from the API server besides the objects of its
// informers, nothing if that is all. With names of listeners, it is what their outputs request. It
// asks no API server: what informerd does not know has the name of the configuration.
func WriteOthers(w io.Writer, p *plan.Plan, listeners ...string) error {
	out := plan.Lines{Writer: w}
	for i, need := range others(p, listeners) {
		if i == 0 {
			out.Line(0, "\nother requests, which informerd rbac FILE has rights for")
		}
		out.Line(1, "for %s", need.name)
		for _, s := range Merge(need.needs) {
			for _, r := range s.Rules {
				out.Line(2, "%s: %s", r.object(s.Namespace), strings.Join(r.Verbs, ", "))
			}
		}
	}
	return out.Err
}

// needer is who needs rights.
type needer struct {
	name  string
	needs []Need
}

// others returns who needs more than the objects of informers, and what.
func others(p *plan.Plan, listeners []string) (all []needer) {
	var needs []Need
	for _, l := range p.Listeners {
		if len(listeners) == 0 || slices.Contains(listeners, l.Config.Name) {
			needs = append(needs, ofOutputs(p.Config, l, offline(p.Config, l.Config.Informer()))...)
		}
	}
	if len(listeners) == 0 {
		needs = append(needs, ofDaemon(p.Config, ofPod)...)
	}
	for _, n := range needs {
		if len(all) == 0 || all[len(all)-1].name != n.For {
			all = append(all, needer{name: n.For})
		}
		last := &all[len(all)-1]
		last.needs = append(last.needs, n)
	}
	return all
}

// offline returns the resource of an informer as far as it is known without an API server.
func offline(cfg *config.Config, inf *config.Informer) Found {
	finder := Offline{Config: cfg}
	found, err := finder.Find(context.Background(), plan.PlacedInformer{Informer: inf})
	if err != nil { // an API server may know it
		limited := len(inf.Namespaces) > 0
		found = Found{Resource: named("", "", inf.Resource), AnyScope: !limited}
		found.Namespaced = limited
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
