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
	denied := map[kube.Resource]bool{}
	for _, right := range electionRights(a.config, namespace) {
		allowed, err := a.allowed(ctx, right)
		if err != nil {
			return fmt.Errorf("cannot find out whether replicas may %s %s%s: %w", right.Verb,
				resourceOf(right.Resource), in(namespace), err)
		}
		if allowed {
			continue
		}
		a.missing = append(a.missing, right)
		if !denied[right.Resource] {
			a.mistakes = append(a.mistakes, a.config.ErrorAt("leaderElection",
				fmt.Sprintf("replicas may not %s %s%s", right.Verb, resourceOf(right.Resource),
					in(namespace)), ""))
		}
		denied[right.Resource] = true
	}
	return nil
}
