package rights

import (
	"context"
	"errors"
	"fmt"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
)

// Online finds resources by an API server. One that it does not have at present is looked for as
// without it.
type Online struct {
	Resolver *kube.Resolver
	Offline
}

// Find implements Finder.
func (f *Online) Find(ctx context.Context, inf plan.PlacedInformer) (Found, error) {
	mistake := func(err error) error {
		return config.Errors{f.Config.ErrorAt(inf.Field+".resource", err.Error(), "")}
	}
	found, err := f.Resolver.Resolve(ctx, inf.Resource)
	var unknown *kube.UnknownResourceError
	var unwatchable *kube.UnwatchableError
	switch {
	case errors.As(err, &unknown):
		notes := f.Notes
		offline, offlineErr := f.Offline.Find(ctx, inf)
		if offlineErr != nil {
			return Found{}, mistake(err)
		}
		f.Notes = append(notes, f.Config.ErrorAt(inf.Field+".resource", fmt.Sprintf(
			"%s is not on the API server at present, and taken as the plural of a resource",
			offline.GVR.GroupResource()), ""))
		return offline, nil
	case errors.As(err, &unwatchable):
		return Found{}, mistake(err)
	case err != nil:
		return Found{}, err
	}
	if err := found.CheckNamespaces(inf.Namespaces); err != nil {
		return Found{}, mistake(err)
	}
	return Found{Resource: found}, nil
}
