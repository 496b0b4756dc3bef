package rights

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
)

// outputRights returns what an output that writes to the API server needs for a listener's objects,
// nothing for other outputs. Patches also need Events, for objects that are patched too often, and
// read the version of an object that has changed.
func outputRights(o *config.Output, inf *config.Informer, found kube.Resource) (all []kube.Right) {
	var verbs []string // of the objects
	switch {
	case o == nil || o.Patch == nil && o.KubernetesEvent == nil:
		return nil
	case o.Patch != nil:
		verbs = []string{"get", "patch"}
	}
	namespaces := inf.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	for _, ns := range namespaces {
		for _, verb := range verbs {
			all = append(all, kube.Right{Resource: found, Namespace: ns, Verb: verb})
		}
		if !found.Namespaced {
			ns = metav1.NamespaceDefault // where their Events are
		}
		for _, verb := range []string{"create", "patch"} {
			all = append(all, kube.Right{Resource: kube.Events, Namespace: ns, Verb: verb})
		}
	}
	return all
}

// TryOutputs asks whether the outputs of the listeners of an informer may do what they will do. An
// expression may keep an output from ever getting a message; that is not known here.
func (a *Access) TryOutputs(ctx context.Context, inf plan.PlacedInformer,
	found kube.Resource) error {
	for _, l := range a.config.ListenersInOrder() {
		if l.Informer() != inf.Informer {
			continue
		}
		for i, name := range l.Outputs {
			rights := outputRights(a.config.Outputs[name], inf.Informer, found)
			denied := false
			for _, right := range rights {
				allowed, err := a.allowed(ctx, right)
				if err != nil {
					return fmt.Errorf("cannot find out whether output %q may %s %s%s: %w", name,
						right.Verb, resourceOf(right.Resource), in(right.Namespace), err)
				}
				if allowed {
					continue
				}
				if !slices.Contains(a.missing, right) {
					a.missing = append(a.missing, right)
				}
				if !denied {
					field := fmt.Sprintf("listeners.%s.outputs[%d]", l.Name, i)
					a.mistakes = append(a.mistakes, a.config.ErrorAt(field,
						fmt.Sprintf("output %q of listener %q may not %s %s%s", name, l.Name,
							right.Verb, resourceOf(right.Resource), in(right.Namespace)), ""))
				}
				denied = true
			}
		}
	}
	return nil
}

// allowed asks for a right once.
func (a *Access) allowed(ctx context.Context, right kube.Right) (bool, error) {
	if allowed, ok := a.answers[right]; ok {
		return allowed, nil
	}
	ctx, cancel := context.WithTimeout(ctx, accessTime)
	defer cancel()
	allowed, err := a.writer.Allowed(ctx, right)
	if err != nil {
		return false, err
	}
	if a.answers == nil {
		a.answers = map[kube.Right]bool{}
	}
	a.answers[right] = allowed
	return allowed, nil
}
