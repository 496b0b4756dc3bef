package rights

import (
	"context"
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

// Offline finds resources without an API server: those that every cluster has by any name, others
// by their plural with the group.
type Offline struct {
	Config *config.Config
	// Notes are what it could not know.
	Notes config.Errors
}

// Find implements Finder.
func (f *Offline) Find(_ context.Context, inf plan.PlacedInformer) (Found, error) {
	mistake := func(message, hint string) error {
		return config.Errors{f.Config.ErrorAt(inf.Field+".resource", message, hint)}
	}
	known, err := openapi.Builtin()
	if err != nil {
		return Found{}, err
	}
	if name, ok := known.Find(inf.Resource); ok {
		found := named(name.Group, "", name.Resource)
		found.GVK.Kind, found.Namespaced = name.Kind, !WholeCluster(name.Group, name.Resource)
		if err := found.CheckNamespaces(inf.Namespaces); err != nil {
			return Found{}, mistake(err.Error(), "")
		}
		return Found{Resource: found}, nil
	}
	found, ok := readName(inf.Resource)
	if !ok {
		return Found{}, mistake(fmt.Sprintf(
			"%q is not the full name of a resource, as in certificates.cert-manager.io",
			inf.Resource),
			"write the plural and the group, or ask the API server with --cluster")
	}
	f.Notes = append(f.Notes, f.Config.ErrorAt(inf.Field+".resource", fmt.Sprintf(
		"%s is taken as the plural of a resource of the group %s", found.GVR.Resource,
		found.GVR.Group), "--cluster asks the API server"))
	found.Namespaced = len(inf.Namespaces) > 0
	return Found{Resource: found, AnyScope: !found.Namespaced}, nil
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

// WholeCluster reports whether a resource that every cluster has is in no namespace.
func WholeCluster(group, resource string) bool {
	return slices.Contains(clusterScoped[group], resource)
}

// clusterScoped are, by group, the built-in resources that are in no namespace.
var clusterScoped = map[string][]string{
	"": {"componentstatuses", "namespaces", "nodes", "persistentvolumes"},
	"admissionregistration.k8s.io": {"mutatingadmissionpolicies",
		"mutatingadmissionpolicybindings", "mutatingwebhookconfigurations",
		"validatingadmissionpolicies", "validatingadmissionpolicybindings",
		"validatingwebhookconfigurations"},
	"apiextensions.k8s.io":      {"customresourcedefinitions"},
	"certificates.k8s.io":       {"certificatesigningrequests"},
	"networking.k8s.io":         {"ingressclasses", "ipaddresses", "servicecidrs"},
	"node.k8s.io":               {"runtimeclasses"},
	"rbac.authorization.k8s.io": {"clusterrolebindings", "clusterroles"},
	"scheduling.k8s.io":         {"priorityclasses"},
	"storage.k8s.io": {"csidrivers", "csinodes", "storageclasses", "volumeattachments",
		"volumeattributesclasses"},
}
