package rights

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/kube"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/resourcename"
	openapi "github.com/informerd/informerd/internal/schema"
)

// Finder finds the resources of a configuration: on an API server, if there is a Resolver, and
// otherwise those that every cluster has by any name, others by their plural with the group. So it
// does with those that the server does not have at present.
type Finder struct {
	Config   *config.Config
	Resolver *kube.Resolver
	// Notes are what it could not know.
	Notes config.Errors
}

// find returns the resource of an informer. The error is a config.Errors if the configuration is to
// blame.
func (f *Finder) find(ctx context.Context, inf plan.PlacedInformer) (Found, error) {
	mistake := func(err error, hint string) error {
		return config.Errors{f.Config.ErrorAt(inf.Field+".resource", err.Error(), hint)}
	}
	var found Found
	var err error
	if f.Resolver != nil {
		found.Resource, err = f.Resolver.Resolve(ctx, inf.Resource)
	} else if found, err = offline(inf.Informer); err != nil {
		return found, mistake(err, "write the plural and the group, or ask the API server with --cluster")
	}
	note, hint := "", ""
	switch {
	case errors.As(err, new(*kube.UnknownResourceError)):
		var absent error
		if found, absent = offline(inf.Informer); absent != nil {
			return found, mistake(err, "")
		}
		note = fmt.Sprintf("%s is not on the API server at present", found.GVR.GroupResource())
	case errors.As(err, new(*kube.UnwatchableError)):
		return found, mistake(err, "")
	case err != nil:
		return found, err
	case found.guessed:
		note = fmt.Sprintf("%s is taken as the plural of a resource of the group %s",
			found.GVR.Resource, found.GVR.Group)
		hint = "--cluster asks the API server"
	}
	if note != "" {
		f.Notes = append(f.Notes, f.Config.ErrorAt(inf.Field+".resource", note, hint))
	}
	if err := found.CheckNamespaces(inf.Namespaces); err != nil && !found.guessed {
		return found, mistake(err, "")
	}
	return found, nil
}

// offline returns the resource of an informer as far as it is known without an API server.
func offline(inf *config.Informer) (Found, error) {
	known, err := openapi.Builtin()
	if err != nil {
		return Found{}, err
	}
	if name, ok := known.Find(inf.Resource); ok {
		found := named(name.Group, "", name.Resource)
		found.GVK.Kind, found.Namespaced = name.Kind, !name.OfCluster()
		return Found{Resource: found}, nil
	}
	found, ok := readName(inf.Resource)
	if !ok {
		return Found{}, fmt.Errorf(
			"%q is not the full name of a resource, as in certificates.cert-manager.io", inf.Resource)
	}
	found.Namespaced = len(inf.Namespaces) > 0
	return Found{Resource: found, AnyScope: !found.Namespaced, guessed: true}, nil
}

func named(group, version, resource string) kube.Resource {
	return kube.Resource{GVR: schema.GroupVersionResource{Group: group, Version: version,
		Resource: resource}}
}

// aVersion matches the versions of APIs that are named as Kubernetes' own.
var aVersion = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// readName returns the resource of a name that has a group and is not a kind.
func readName(name string) (kube.Resource, bool) {
	if name != strings.ToLower(name) {
		return kube.Resource{}, false
	}
	readings := resourcename.Readings(name)
	slices.Reverse(readings) // without a version first
	for _, r := range readings {
		version, _, _ := strings.Cut(r.Group, ".")
		if r.Group != "" && !aVersion.MatchString(version) {
			return named(r.Group, r.Version, r.Resource), true
		}
	}
	return kube.Resource{}, false
}
