package defaults

import "strings"

// fieldsOf returns the fields of a kind that an API server fills in, with group/Kind or Kind.
func fieldsOf(kind string) []string {
	fields := strings.Fields(ofKind[kind])
	below := func(prefix, names string) {
		for _, name := range strings.Fields(names) {
			fields = append(fields, prefix+name)
		}
	}
	pod, ok := podsAt[kind]
	if !ok {
		return fields
	}
	below(pod, ofPodSpec)
	for _, list := range []string{"containers.", "initContainers."} {
		below(pod+list, ofContainer)
		for _, probe := range []string{"livenessProbe.", "readinessProbe.", "startupProbe."} {
			below(pod+list+probe, ofProbe)
		}
		if kind == "Pod" {
			below(pod+list, "volumeMounts")
		}
	}
	return fields
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

const (
	ofPodSpec = "restartPolicy dnsPolicy terminationGracePeriodSeconds schedulerName securityContext " +
		"volumes.configMap.defaultMode volumes.secret.defaultMode volumes.downwardAPI.defaultMode " +
		"volumes.projected.defaultMode volumes.projected.sources.serviceAccountToken.expirationSeconds " +
		"volumes.hostPath.type"
	ofContainer = "imagePullPolicy terminationMessagePath terminationMessagePolicy resources " +
		"ports.protocol env.valueFrom.fieldRef.apiVersion lifecycle.postStart.httpGet.path " +
		"lifecycle.postStart.httpGet.scheme lifecycle.preStop.httpGet.path lifecycle.preStop.httpGet.scheme"
	ofProbe = "periodSeconds timeoutSeconds successThreshold failureThreshold httpGet.path httpGet.scheme grpc.service"
)

// ofKind are the fields of kinds but for those of the spec of a pod.
var ofKind = map[string]string{
	// a Pod has more than a template of one: what admission adds
	"Pod": "spec.enableServiceLinks spec.priority spec.preemptionPolicy spec.serviceAccountName " +
		"spec.serviceAccount spec.tolerations spec.volumes",
	"ReplicationController": "spec.replicas spec.selector",
	"apps/Deployment": "spec.replicas spec.revisionHistoryLimit spec.progressDeadlineSeconds " +
		"spec.strategy spec.strategy.type spec.strategy.rollingUpdate " +
		"spec.strategy.rollingUpdate.maxSurge spec.strategy.rollingUpdate.maxUnavailable",
	"apps/StatefulSet": "spec.replicas spec.revisionHistoryLimit spec.podManagementPolicy " +
		"spec.updateStrategy spec.updateStrategy.type spec.updateStrategy.rollingUpdate " +
		"spec.updateStrategy.rollingUpdate.partition spec.persistentVolumeClaimRetentionPolicy " +
		"spec.persistentVolumeClaimRetentionPolicy.whenDeleted " +
		"spec.persistentVolumeClaimRetentionPolicy.whenScaled spec.volumeClaimTemplates.spec.volumeMode",
	"apps/DaemonSet": "spec.revisionHistoryLimit spec.updateStrategy spec.updateStrategy.type " +
		"spec.updateStrategy.rollingUpdate spec.updateStrategy.rollingUpdate.maxSurge " +
		"spec.updateStrategy.rollingUpdate.maxUnavailable",
	"apps/ReplicaSet": "spec.replicas",
	"batch/Job": "spec.completions spec.parallelism spec.backoffLimit spec.completionMode " +
		"spec.suspend spec.podReplacementPolicy spec.selector spec.template.metadata.labels",
	"batch/CronJob": "spec.concurrencyPolicy spec.suspend spec.successfulJobsHistoryLimit " +
		"spec.failedJobsHistoryLimit",
	"Service": "spec.type spec.sessionAffinity spec.ports.protocol spec.ports.targetPort spec.clusterIP " +
		"spec.clusterIPs spec.ipFamilies spec.ipFamilyPolicy spec.internalTrafficPolicy",
	"Secret":                                       "type",
	"Namespace":                                    "spec spec.finalizers",
	"Endpoints":                                    "subsets.ports.protocol",
	"PersistentVolumeClaim":                        "spec.volumeMode spec.storageClassName",
	"PersistentVolume":                             "spec.persistentVolumeReclaimPolicy spec.volumeMode",
	"storage.k8s.io/StorageClass":                  "reclaimPolicy volumeBindingMode",
	"discovery.k8s.io/EndpointSlice":               "ports.protocol ports.name",
	"networking.k8s.io/Ingress":                    "spec.ingressClassName",
	"networking.k8s.io/NetworkPolicy":              "spec.policyTypes spec.ingress.ports.protocol spec.egress.ports.protocol",
	"autoscaling/HorizontalPodAutoscaler":          "spec.minReplicas",
	"scheduling.k8s.io/PriorityClass":              "preemptionPolicy",
	"rbac.authorization.k8s.io/RoleBinding":        "roleRef.apiGroup subjects.apiGroup",
	"rbac.authorization.k8s.io/ClusterRoleBinding": "roleRef.apiGroup subjects.apiGroup",
	"admissionregistration.k8s.io/ValidatingWebhookConfiguration": ofWebhooks,
	"admissionregistration.k8s.io/MutatingWebhookConfiguration":   ofWebhooks + " webhooks.reinvocationPolicy",
}

const ofWebhooks = "webhooks.failurePolicy webhooks.matchPolicy webhooks.namespaceSelector " +
	"webhooks.objectSelector webhooks.timeoutSeconds webhooks.rules.scope"
