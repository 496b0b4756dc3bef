package schema

import (
	"slices"
	"strings"
)

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

// OfCluster reports whether the resource, which is one of Kubernetes' own, is in no namespace.
func (n Name) OfCluster() bool {
	return slices.Contains(strings.Fields(clusterScoped[n.Group]), n.Resource)
}
