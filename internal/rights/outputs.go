package rights

import (
	"context"
	"fmt"
	"slices"

	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
)

// TryOutputs asks whether the outputs of the listeners of an informer may do what they will do. An
// expression may keep an output from ever getting a message; that is not known here.
func (a *Access) TryOutputs(ctx context.Context, inf plan.PlacedInformer,
	found kube.Resource) error {
	for _, l := range a.config.ListenersInOrder() {
		if l.Informer() != inf.Informer {
			continue
		}
		for i, name := range l.Outputs {
			rights := outputRights(a.config.Outputs[name], inf.Informer, Found{Resource: found})
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
