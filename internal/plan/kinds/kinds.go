// Package kinds knows the kinds of objects that Kubernetes has, and says whether an object can be
// one of a resource.
//
//   - Of kinds that Kubernetes does not have, only an API server knows more than their names say.
//   - What a mistaken kind may be meant to be is said only if that kind exists.
package kinds

import (
	"slices"
	"strings"

	openapi "github.com/informerd/informerd/internal/schema"
)

// Not returns the kind of an object that does not belong to a resource, "" if it does, and
// whether that is sure.
func Not(resource, apiVersion, kind string) (not string, sure bool) {
	set, err := openapi.Builtin()
	if err != nil || kind == "" {
		return "", false
	}
	group := openapi.GroupOf(apiVersion)
	not = kind
	if group != "" {
		not += " (" + group + ")"
	}
	if want, known := set.Find(resource); known {
		if want.Kind == kind && (want.Group == group || !strings.Contains(resource, ".")) {
			return "", false
		}
		return not, true
	}
	name, rest, _ := strings.Cut(strings.ToLower(resource), ".")
	if isPlural(name, strings.ToLower(kind)) &&
		(rest == "" || rest == group || strings.HasSuffix(rest, "."+group)) {
		return "", false
	}
	_, builtin := set.FindKind(apiVersion, kind)
	return not, builtin
}

// isPlural reports whether a resource's name can be that of the kind, both in lower case.
func isPlural(name, kind string) bool {
	y, endsInY := strings.CutSuffix(kind, "y")
	return name == kind || name == kind+"s" || name == kind+"es" || endsInY && name == y+"ies"
}

// Known reports whether a name is one of the common resources.
func Known(name string) bool {
	set, err := openapi.Builtin()
	if err != nil {
		return false
	}
	_, known := set.Find(name)
	return known
}

// Same reports whether two names may be those of the same resource. Only an API server knows that
// of resources that are not common ones.
func Same(resource, name string) bool {
	set, err := openapi.Builtin()
	if err != nil {
		return true
	}
	is, known := set.Find(resource)
	asked, common := set.Find(name)
	return known == common && is == asked
}

// Word returns how a user writes the kind of a resource in front of an object's name, and
// whether a namespace comes in between.
func Word(resource string) (word string, inNamespace bool) {
	set, err := openapi.Builtin()
	if err != nil {
		return resource, true
	}
	known, ok := set.Find(resource)
	if !ok {
		return resource, true
	}
	return strings.ToLower(known.Kind), !OfCluster(known)
}

// clusterScoped are the resources of Kubernetes v1.36 that are in no namespace, by their groups.
var clusterScoped = map[string]string{
	"": "componentstatuses namespaces nodes persistentvolumes",
	"admissionregistration.k8s.io": "mutatingadmissionpolicies mutatingadmissionpolicybindings " +
		"mutatingwebhookconfigurations validatingadmissionpolicies " +
		"validatingadmissionpolicybindings validatingwebhookconfigurations",
	"apiextensions.k8s.io":         "customresourcedefinitions",
	"apiregistration.k8s.io":       "apiservices",
	"certificates.k8s.io":          "certificatesigningrequests clustertrustbundles",
	"flowcontrol.apiserver.k8s.io": "flowschemas prioritylevelconfigurations",
	"networking.k8s.io":            "ingressclasses ipaddresses servicecidrs",
	"node.k8s.io":                  "runtimeclasses",
	"rbac.authorization.k8s.io":    "clusterrolebindings clusterroles",
	"resource.k8s.io":              "deviceclasses resourceslices",
	"scheduling.k8s.io":            "priorityclasses",
	"storage.k8s.io":               "csidrivers csinodes storageclasses volumeattachments volumeattributesclasses",
}

// OfCluster reports whether a resource of Kubernetes is in no namespace.
func OfCluster(name openapi.Name) bool {
	return slices.Contains(strings.Fields(clusterScoped[name.Group]), name.Resource)
}
