package kube

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/resourcename"
)

// selectable are the text fields, besides name and namespace, for which API servers have field
// selectors: those of the getAttrs and field label conversions in Kubernetes' registry and api
// packages, v1.36.
var selectable = map[string][]string{
	"pods": {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
		"status.nominatedNodeName",
		"status.phase", "status.podIP"},
	"events": {"involvedObject.apiVersion", "involvedObject.fieldPath", "involvedObject.kind",
		"involvedObject.name",
		"involvedObject.namespace", "involvedObject.resourceVersion", "involvedObject.uid",
		"reason", "reportingComponent", "type"},
	"namespaces": {"status.phase"},
	"secrets":    {"type"},
	"services":   {"spec.clusterIP", "spec.type"},
	"certificatesigningrequests.certificates.k8s.io": {"spec.signerName"},
	"resourceslices.resource.k8s.io":                 {"spec.driver", "spec.nodeName"},
}

// Selectable reports whether API servers can select the objects of a resource, named by its plural
// as in a configuration, by this field. It asks no server: a field that is not known to be
// selectable is not.
func Selectable(resource, field string) bool {
	readings := resourcename.Readings(strings.ToLower(resource))
	return slices.ContainsFunc(readings, func(q resourcename.Reading) bool {
		return slices.Contains(selectable[strings.TrimSuffix(q.Resource+"."+q.Group, ".")], field)
	})
}
