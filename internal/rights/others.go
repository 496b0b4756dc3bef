package rights

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/shown"
)

// ofPod stands for the namespace of informerd's own pod, which only the pod knows. It is not the
// name of a namespace.
const ofPod = "that informerd runs in"

// WriteOthers writes what a configuration requests from the API server besides the objects of its
// informers, nothing if that is all. With names of listeners, it is what their outputs request. It
// asks no API server: what informerd does not know has the name of the configuration.
func WriteOthers(w io.Writer, p *plan.Plan, listeners ...string) error {
	out := shown.Lines{Writer: w}
	for i, r := range others(p, listeners) {
		if i == 0 {
			out.Line(0, "\nother requests, which informerd rbac FILE has rights for")
		}
		out.Line(1, "%s", r.right)
		for _, who := range r.who() {
			out.Line(2, "for %s", who)
		}
	}
	return out.Err
}

// Others returns the requests that WriteOthers writes.
func Others(p *plan.Plan, listeners ...string) (all []shown.Request) {
	for _, r := range others(p, listeners) {
		all = append(all, shown.Request{Right: r.right, For: r.who()})
	}
	return all
}

// request is a right with those who need it.
type request struct {
	right string
	by    []needer
}

// needer is who needs rights: a part of the configuration, of a listener or of all.
type needer struct{ part, listener string }

// who returns who needs the right, each part once, with its listeners.
func (r request) who() (all []string) {
	var parts []string
	listeners := map[string][]string{}
	for _, n := range r.by {
		if !slices.Contains(parts, n.part) {
			parts = append(parts, n.part)
		}
		if n.listener != "" {
			listeners[n.part] = append(listeners[n.part], n.listener)
		}
	}
	for _, part := range parts {
		switch names := listeners[part]; len(names) {
		case 0:
		case 1:
			part += " of listener " + names[0]
		default:
			part += fmt.Sprintf(" of %d listeners: %s", len(names), strings.Join(names, ", "))
		}
		all = append(all, part)
	}
	return all
}

// others returns what is needed besides the objects of informers, each right once.
func others(p *plan.Plan, listeners []string) (all []*request) {
	var needs []Need
	for _, l := range p.Listeners {
		if len(listeners) == 0 || slices.Contains(listeners, l.Config.Name) {
			needs = append(needs, ofOutputs(p.Config, l, offline(p.Config, l.Config.Informer()))...)
		}
	}
	if len(listeners) == 0 {
		needs = append(needs, ofDaemon(p.Config, ofPod)...)
	}
	known := map[string]*request{}
	for len(needs) > 0 {
		first := needs[0]
		n := slices.IndexFunc(needs, func(n Need) bool { return n.For != first.For })
		if n < 0 {
			n = len(needs)
		}
		by := needer{first.For, first.Listener}
		if first.Listener != "" {
			by.part = strings.TrimSuffix(by.part, fmt.Sprintf(" of listener %q", first.Listener))
		}
		for _, s := range Merge(needs[:n]) {
			for _, r := range s.Rules {
				right := fmt.Sprintf("%s: %s", r.object(s.Namespace), strings.Join(r.Verbs, ", "))
				if known[right] == nil {
					known[right] = &request{right: right}
					all = append(all, known[right])
				}
				known[right].by = append(known[right].by, by)
			}
		}
		needs = needs[n:]
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
