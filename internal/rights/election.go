package rights

import (
	"cmp"
	"context"
	"fmt"

	"github.com/informerd/informerd/internal/kube"
)

// TryElection asks whether replicas may elect a leader, and whether it may write how far it is.
func (a *Access) TryElection(ctx context.Context) error {
	e := a.config.LeaderElection
	if e == nil {
		return nil
	}
	namespace := cmp.Or(e.Namespace, kube.PodNamespace())
	if namespace == "" {
		return nil // running it is refused
	}
	for _, needed := range []struct {
		resource kube.Resource
		verbs    []string
	}{{kube.Leases, []string{"create", "get", "list", "update", "watch"}},
		{kube.ConfigMaps, []string{"create", "get", "update"}}} {
		denied := false
		for _, verb := range needed.verbs {
			right := kube.Right{Resource: needed.resource, Namespace: namespace, Verb: verb}
			allowed, err := a.allowed(ctx, right)
			if err != nil {
				return fmt.Errorf("cannot find out whether replicas may %s %s%s: %w", verb,
					resourceOf(needed.resource), in(namespace), err)
			}
			if allowed {
				continue
			}
			a.missing = append(a.missing, right)
			if !denied {
				a.mistakes = append(a.mistakes, a.config.ErrorAt("leaderElection",
					fmt.Sprintf("replicas may not %s %s%s", verb, resourceOf(needed.resource),
						in(namespace)), ""))
			}
			denied = true
		}
	}
	return nil
}
