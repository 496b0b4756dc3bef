package defaults

import "strings"

// unknown returns the fields that an API server fills in and Fill does not, since what they are
// depends on the cluster, or on what is missing.
func (is *manifest) unknown() []string {
	kind := unqualified(is.version, is.kind)
	fields := strings.Fields(unknown[kind])
	if pod, ok := podsAt[kind]; ok {
		for _, list := range []string{"containers.", "initContainers."} {
			fields = append(fields, pod+list+"imagePullPolicy") // nobody knows that of no image
			if kind == "Pod" {
				fields = append(fields, pod+list+"volumeMounts")
			}
		}
	}
	if kind == "Service" {
		spec, _ := is.object["spec"].(map[string]any)
		switch spec["type"] {
		case "ExternalName":
			return nil
		case "NodePort", "LoadBalancer":
			fields = append(fields, "spec.ports.nodePort")
		}
	}
	return fields
}

// unqualified returns group/Kind, or Kind of the core group.
func unqualified(version, kind string) string {
	group, _, found := strings.Cut(version, "/")
	if !found {
		return kind
	}
	return group + "/" + kind
}

// podsAt is where kinds have the spec of a pod.
var podsAt = map[string]string{
	"Pod":                   "spec.",
	"PodTemplate":           "template.spec.",
	"ReplicationController": "spec.template.spec.",
	"apps/Deployment":       "spec.template.spec.",
	"apps/StatefulSet":      "spec.template.spec.",
	"apps/DaemonSet":        "spec.template.spec.",
	"apps/ReplicaSet":       "spec.template.spec.",
	"batch/Job":             "spec.template.spec.",
	"batch/CronJob":         "spec.jobTemplate.spec.template.spec.",
}

var unknown = map[string]string{
	// by admission, but for those that Fill knows
	"Pod": "spec.priority spec.preemptionPolicy spec.tolerations spec.volumes " +
		"spec.resources.requests",
	"batch/Job":                 "spec.selector spec.template.metadata.labels",
	"Service":                   "spec.clusterIP spec.clusterIPs spec.ipFamilies spec.ipFamilyPolicy",
	"PersistentVolumeClaim":     "spec.storageClassName",
	"networking.k8s.io/Ingress": "spec.ingressClassName",
}
