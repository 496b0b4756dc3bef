package rights

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/kube/definitions"
	"github.com/informerd/informerd/internal/kube/lease"
	"github.com/informerd/informerd/internal/plan"
)

// need is a right that a configuration needs, and what for.
type need struct {
	kube.Right
	For string // listener "a", output "fix" of listener "a", leaderElection
	// Optional: without it everything works, if less well.
	Optional bool
	of       *config.Informer // the right is needed in each cluster that it watches; nil: in the home cluster
}

// Found is the resource of an informer.
type Found struct {
	kube.Resource
	// AnyScope: it is not known whether the resource is in namespaces.
	AnyScope bool
	guessed  bool // by its name
}

// Needs returns what a configuration needs, in the order of its listeners, each as often as it is
// needed. Leases whose namespace is not configured are in the one that is passed. The error is a
// config.Errors if the configuration is to blame.
func Needs(ctx context.Context, p *plan.Plan, finder *Finder, namespace string) (all []need,
	err error) {
	found, err := findAll(ctx, p, finder)
	if err != nil {
		return nil, err
	}
	for _, l := range p.Listeners {
		all = append(all, ofListener(p.Config, l, found)...)
	}
	return append(all, ofDaemon(p.Config, namespace)...), nil
}

// Home returns those of the needs that there are in the cluster that informerd belongs to: of
// several, the informers in all others need theirs there.
func Home(cfg *config.Config, all []need) []need {
	return slices.DeleteFunc(slices.Clone(all), func(n need) bool {
		here := n.of == nil || !cfg.Fleet()
		for name, m := range cfg.Clusters {
			here = here || m.InCluster && n.of.In(name, m.Labels)
		}
		return !here
	})
}

// findAll finds the resource of each informer that listeners use, and reports all mistakes.
func findAll(ctx context.Context, p *plan.Plan, finder *Finder) (map[*config.Informer]Found,
	error) {
	used := usedBy(p)
	found := map[*config.Informer]Found{}
	var mistakes config.Errors
	for _, inf := range plan.InformersOf(p.Config) {
		if !used[inf.Informer] {
			continue
		}
		r, err := finder.find(ctx, inf)
		switch these, ok := err.(config.Errors); {
		case ok:
			mistakes = append(mistakes, these...)
		case err != nil:
			return nil, err
		default:
			found[inf.Informer] = r
		}
	}
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	return found, nil
}

// usedBy returns the informers from which listeners get events, and in which they look objects up.
func usedBy(p *plan.Plan) map[*config.Informer]bool {
	used := map[*config.Informer]bool{}
	for _, l := range p.Listeners {
		used[l.Config.Informer()] = true
		for _, in := range l.LooksUp() {
			used[in.Informer] = true
		}
	}
	return used
}

// ofListener returns what a listener needs: for its events, for what it looks up, and for its
// outputs. The resources of its informers are found.
func ofListener(cfg *config.Config, l *plan.Listener,
	found map[*config.Informer]Found) (all []need) {
	name, own := l.Config.Name, l.Config.Informer()
	all = needed(fmt.Sprintf("listener %q", name), own, informerRights(own, found[own].Resource))
	for _, in := range l.LooksUp() {
		all = append(all, needed(fmt.Sprintf("lookups of listener %q", name), in.Informer,
			informerRights(in.Informer, found[in.Informer].Resource))...)
	}
	return append(all, ofOutputs(cfg, l, found[own])...)
}

// needed returns rights that something needs, for an informer or for none.
func needed(by string, of *config.Informer, rights []kube.Right) (all []need) {
	for _, right := range rights {
		all = append(all, need{Right: right, For: by, of: of})
	}
	return all
}

// ofOutputs returns what the outputs of a listener need. The resource of its informer is found.
func ofOutputs(cfg *config.Config, l *plan.Listener, found Found) (all []need) {
	for _, output := range l.Config.Outputs {
		by := fmt.Sprintf("output %q of listener %q", output, l.Config.Name)
		all = append(all,
			needed(by, l.Config.Informer(), outputRights(cfg.Outputs[output], l.Config.Informer(), found))...)
	}
	return all
}

// ofDaemon returns what is needed for all listeners.
func ofDaemon(cfg *config.Config, namespace string) (all []need) {
	var names []string
	for _, inf := range plan.InformersOf(cfg) {
		names = append(names, inf.Resource)
	}
	for _, right := range definitions.Rights(names...) {
		all = append(all, need{Right: right, For: forDefinitions, Optional: true, of: &config.Informer{}})
	}
	for _, from := range cfg.ClustersFrom {
		for _, verb := range []string{"get", "list", "watch"} {
			if from.Secrets != nil {
				all = append(all, need{For: "clustersFrom", Right: kube.Right{Verb: verb,
					Resource: named("", "v1", "secrets"), Namespace: from.Secrets.Namespace}})
			}
		}
	}
	if cfg.HTTP.Auth == config.AuthKubernetes {
		all = append(all, needed("http.auth", nil, kube.ReviewerRights())...)
	}
	return append(all, needed("leaderElection", nil, electionRights(cfg, namespace))...)
}

const forDefinitions = "resources that come and go (optional)"

// theOnly returns the value that a field has in all objects of an informer, because of its
// fieldSelector; "" if there is none.
func theOnly(inf *config.Informer, field string) string {
	selector, err := fields.ParseSelector(inf.Scope().FieldSelector)
	if err != nil {
		return "" // of a configuration with mistakes
	}
	value, _ := selector.RequiresExactMatch(field)
	return value
}

// informerRights returns what an informer needs. API servers stream a list to who may watch; with
// others, and when a stream breaks, the list is a request of its own.
func informerRights(inf *config.Informer, found kube.Resource) (all []kube.Right) {
	name := theOnly(inf, metav1.ObjectNameField)
	for _, scope := range plan.ScopesOf(inf) {
		for _, verb := range []string{"list", "watch"} {
			all = append(all, kube.Right{Resource: found, Namespace: scope.Namespace, Name: name,
				Verb: verb})
		}
	}
	return all
}

// outputRights returns what an output that writes to the API server needs for the objects of an
// informer, nothing for other outputs. Patches also need Events, for objects that are patched too
// often, and read the version of an object that has changed.
func outputRights(o *config.Output, inf *config.Informer, found Found) (all []kube.Right) {
	if o == nil || o.Patch == nil && o.KubernetesEvent == nil {
		return nil
	}
	name := theOnly(inf, metav1.ObjectNameField)
	for _, scope := range plan.ScopesOf(inf) {
		ns := scope.Namespace
		if found.Namespaced && ns == "" {
			ns = theOnly(inf, "metadata.namespace")
		}
		if o.Patch != nil {
			for _, verb := range []string{"get", "patch"} {
				all = append(all, kube.Right{Resource: found.Resource, Namespace: ns, Name: name,
					Verb: verb})
			}
		}
		if o.Patch != nil && o.Patch.DryRun { // such patches are never too many
			continue
		}
		if !found.Namespaced && !found.AnyScope {
			ns = metav1.NamespaceDefault // where their Events are
		}
		for _, verb := range []string{"create", "patch"} {
			all = append(all, kube.Right{Resource: kube.Events, Namespace: ns, Verb: verb})
		}
	}
	return all
}

// electionRights returns what replicas need to elect a leader, and the leader to write how far it
// is. RBAC cannot limit create to a name.
func electionRights(cfg *config.Config, namespace string) (all []kube.Right) {
	e := cfg.LeaderElection
	if e == nil {
		return nil
	}
	type objects struct {
		resource kube.Resource
		name     string // "" for all of a namespace
		verbs    []string
	}
	writing := []string{"create", "get", "update"}
	used := []objects{
		{kube.Leases, e.Name, []string{"create", "get", "list", "update", "watch"}},
		{kube.ConfigMaps, lease.RecordName(e.Name), writing},
	}
	if cfg.Sharding != nil { // a replica's own Lease has a name that nobody knows before
		used = []objects{{kube.Leases, "", []string{"create", "get", "list", "update", "delete"}}}
		for n := range cfg.Sharding.Shards {
			name := lease.RecordName(lease.ShardName(e.Name, n))
			if cfg.Fleet() {
				name = "" // there is one for each cluster, and clusters come
			}
			used = append(used, objects{kube.ConfigMaps, name, writing})
		}
	}
	for _, r := range used {
		for _, verb := range r.verbs {
			right := kube.Right{Resource: r.resource, Namespace: cmp.Or(e.Namespace, namespace),
				Verb: verb}
			if verb != "create" {
				right.Name = r.name
			}
			all = append(all, right)
		}
	}
	return all
}
