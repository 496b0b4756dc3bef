package defaults

import (
	"encoding/base64"
	"maps"
	"slices"
)

// fillOf are the kinds with defaults, by version and kind.
var fillOf = map[string]func(place){
	"v1 Pod":                      fillPod,
	"v1 PodTemplate":              func(o place) { fillTemplate(o.at("template")) },
	"v1 ReplicationController":    fillReplicationController,
	"apps/v1 Deployment":          fillDeployment,
	"apps/v1 StatefulSet":         fillStatefulSet,
	"apps/v1 DaemonSet":           fillDaemonSet,
	"apps/v1 ReplicaSet":          fillReplicaSet,
	"batch/v1 Job":                fillJob,
	"batch/v1 CronJob":            fillCronJob,
	"v1 Service":                  fillService,
	"v1 Secret":                   fillSecret,
	"v1 Namespace":                fillNamespace,
	"v1 LimitRange":               fillLimitRange,
	"v1 Endpoints":                fillEndpoints,
	"v1 PersistentVolumeClaim":    fillClaim,
	"v1 PersistentVolume":         fillPersistentVolume,
	"storage.k8s.io/v1 CSIDriver": fillCSIDriver,
	"storage.k8s.io/v1 StorageClass": func(o place) {
		o.set("reclaimPolicy", "Delete")
		o.set("volumeBindingMode", "Immediate")
	},
	"discovery.k8s.io/v1 EndpointSlice": func(o place) {
		o.each("endpoints", func(e place) { e.made("conditions") })
		o.each("ports", func(port place) {
			port.set("name", "")
			port.set("protocol", "TCP")
		})
	},
	"networking.k8s.io/v1 IngressClass": func(o place) {
		o.at("spec").at("parameters").set("scope", "Cluster")
	},
	"networking.k8s.io/v1 NetworkPolicy": fillNetworkPolicy,
	"autoscaling/v1 HorizontalPodAutoscaler": func(o place) {
		o.at("spec").set("minReplicas", 1)
		o.at("spec").set("targetCPUUtilizationPercentage", 80)
	},
	"autoscaling/v2 HorizontalPodAutoscaler": fillAutoscaler,
	"scheduling.k8s.io/v1 PriorityClass": func(o place) {
		o.set("preemptionPolicy", "PreemptLowerPriority")
	},
	"rbac.authorization.k8s.io/v1 RoleBinding":                         fillBinding,
	"rbac.authorization.k8s.io/v1 ClusterRoleBinding":                  fillBinding,
	"admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration":   fillWebhooks,
	"admissionregistration.k8s.io/v1 MutatingWebhookConfiguration":     fillWebhooks,
	"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy":        fillAdmissionPolicy,
	"admissionregistration.k8s.io/v1 MutatingAdmissionPolicy":          fillAdmissionPolicy,
	"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding": fillPolicyBinding,
	"admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding":   fillPolicyBinding,
}

func fillService(o place) {
	spec := o.at("spec")
	spec.fix("type", "ClusterIP")
	spec.fix("sessionAffinity", "None")
	if spec.text("sessionAffinity") == "ClientIP" {
		spec.made("sessionAffinityConfig").made("clientIP").set("timeoutSeconds", 10800)
	}
	spec.each("ports", func(port place) {
		fillProtocol(port)
		port.fix("targetPort", port.number("port"))
	})
	kind := spec.text("type")
	outside := kind == "NodePort" || kind == "LoadBalancer"
	if outside || kind == "ClusterIP" && !spec.empty("externalIPs") {
		spec.fix("externalTrafficPolicy", "Cluster")
	}
	if outside || kind == "ClusterIP" {
		spec.set("internalTrafficPolicy", "Cluster")
	}
	if kind == "LoadBalancer" {
		spec.set("allocateLoadBalancerNodePorts", true)
	}
	if ip := spec.text("clusterIP"); ip != "" {
		spec.fix("clusterIPs", []any{ip})
	}
}

func fillSecret(o place) {
	o.fix("type", "Opaque")
	texts := o.at("stringData")
	for _, key := range slices.Sorted(maps.Keys(texts.fields)) {
		if text, ok := texts.fields[key].(string); ok {
			o.made("data").set(key, base64.StdEncoding.EncodeToString([]byte(text)))
		}
	}
}

func fillNamespace(o place) {
	if name := o.at("metadata").text("name"); name != "" {
		o.at("metadata").made("labels").set("kubernetes.io/metadata.name", name)
	}
	o.made("spec").fix("finalizers", []any{"kubernetes"})
}

func fillLimitRange(o place) {
	o.at("spec").each("limits", func(limit place) {
		if limit.text("type") != "Container" {
			return
		}
		limit.at("max").into(limit, "default")
		limit.at("default").into(limit, "defaultRequest")
		limit.at("min").into(limit, "defaultRequest")
	})
}

// into copies to a field of another place, if there is anything to copy.
func (p place) into(to place, key string) {
	if len(p.fields) > 0 {
		p.copyTo(to.made(key))
	}
}

func fillEndpoints(o place) {
	o.each("subsets", func(s place) { s.each("ports", fillProtocol) })
}

func fillPersistentVolume(o place) {
	spec := o.at("spec")
	spec.fix("persistentVolumeReclaimPolicy", "Retain")
	spec.set("volumeMode", "Filesystem")
	fillStorage(spec)
}

func fillCSIDriver(o place) {
	spec := o.at("spec")
	spec.set("attachRequired", true)
	for _, key := range []string{"podInfoOnMount", "storageCapacity", "requiresRepublish",
		"seLinuxMount"} {
		spec.set(key, false)
	}
	spec.set("fsGroupPolicy", "ReadWriteOnceWithFSType")
	spec.fix("volumeLifecycleModes", []any{"Persistent"})
}

func fillNetworkPolicy(o place) {
	spec := o.made("spec")
	spec.made("podSelector")
	for _, list := range []string{"ingress", "egress"} {
		spec.each(list, func(rule place) {
			rule.each("ports", func(port place) { port.set("protocol", "TCP") })
		})
	}
	types := []any{"Ingress"}
	if !spec.empty("egress") {
		types = append(types, "Egress")
	}
	spec.fix("policyTypes", types)
}

func fillAutoscaler(o place) {
	spec := o.at("spec")
	spec.set("minReplicas", 1)
	spec.fix("metrics", []any{map[string]any{"type": "Resource", "resource": map[string]any{
		"name":   "cpu",
		"target": map[string]any{"type": "Utilization", "averageUtilization": 80},
	}}})
	behavior := spec.at("behavior")
	if behavior.fields == nil {
		return
	}
	percent := func() any { return map[string]any{"type": "Percent", "value": 100, "periodSeconds": 15} }
	up := behavior.made("scaleUp")
	up.set("stabilizationWindowSeconds", 0)
	up.set("selectPolicy", "Max")
	up.set("policies", []any{map[string]any{"type": "Pods", "value": 4, "periodSeconds": 15},
		percent()})
	down := behavior.made("scaleDown")
	down.set("selectPolicy", "Max")
	down.set("policies", []any{percent()})
}

func fillBinding(o place) {
	const group = "rbac.authorization.k8s.io"
	o.at("roleRef").fix("apiGroup", group)
	o.each("subjects", func(s place) {
		if kind := s.text("kind"); kind == "User" || kind == "Group" {
			s.fix("apiGroup", group)
		}
	})
}

func fillWebhooks(o place) {
	o.each("webhooks", func(w place) {
		w.set("failurePolicy", "Fail")
		fillMatch(w)
		w.set("timeoutSeconds", 10)
		if o.text("kind") == "MutatingWebhookConfiguration" {
			w.set("reinvocationPolicy", "Never")
		}
		w.each("rules", fillScope)
		w.at("clientConfig").at("service").set("port", 443)
	})
}

func fillScope(rule place) { rule.set("scope", "*") }

func fillMatch(p place) {
	p.set("matchPolicy", "Equivalent")
	p.made("namespaceSelector")
	p.made("objectSelector")
	p.each("resourceRules", fillScope)
	p.each("excludeResourceRules", fillScope)
}

func fillAdmissionPolicy(o place) {
	o.at("spec").set("failurePolicy", "Fail")
	fillMatch(o.at("spec").at("matchConstraints"))
}

func fillPolicyBinding(o place) { fillMatch(o.at("spec").at("matchResources")) }
