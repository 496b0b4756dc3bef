package migrate

import "strings"

// resourceKind is a built-in kind of objects.
type resourceKind struct {
	kind, plural, group, version string
	short                        string
	cluster                      bool // it has no namespace
}

// builtin are the kinds whose resource is known by name.
var builtin = []resourceKind{
	{"Pod", "pods", "", "v1", "po", false},
	{"Service", "services", "", "v1", "svc", false},
	{"ConfigMap", "configmaps", "", "v1", "cm", false},
	{"Secret", "secrets", "", "v1", "", false},
	{"Namespace", "namespaces", "", "v1", "ns", true},
	{"Node", "nodes", "", "v1", "no", true},
	{"Event", "events", "", "v1", "ev", false},
	{"Event", "events", "events.k8s.io", "v1", "ev", false},
	{"ServiceAccount", "serviceaccounts", "", "v1", "sa", false},
	{"Endpoints", "endpoints", "", "v1", "ep", false},
	{"PersistentVolume", "persistentvolumes", "", "v1", "pv", true},
	{"PersistentVolumeClaim", "persistentvolumeclaims", "", "v1", "pvc", false},
	{"ReplicationController", "replicationcontrollers", "", "v1", "rc", false},
	{"ResourceQuota", "resourcequotas", "", "v1", "quota", false},
	{"LimitRange", "limitranges", "", "v1", "limits", false},
	{"Deployment", "deployments", "apps", "v1", "deploy", false},
	{"ReplicaSet", "replicasets", "apps", "v1", "rs", false},
	{"StatefulSet", "statefulsets", "apps", "v1", "sts", false},
	{"DaemonSet", "daemonsets", "apps", "v1", "ds", false},
	{"Job", "jobs", "batch", "v1", "", false},
	{"CronJob", "cronjobs", "batch", "v1", "cj", false},
	{"Ingress", "ingresses", "networking.k8s.io", "v1", "ing", false},
	{"NetworkPolicy", "networkpolicies", "networking.k8s.io", "v1", "netpol", false},
	{"HorizontalPodAutoscaler", "horizontalpodautoscalers", "autoscaling", "v2", "hpa", false},
	{"PodDisruptionBudget", "poddisruptionbudgets", "policy", "v1", "pdb", false},
	{"Role", "roles", "rbac.authorization.k8s.io", "v1", "", false},
	{"RoleBinding", "rolebindings", "rbac.authorization.k8s.io", "v1", "", false},
	{"ClusterRole", "clusterroles", "rbac.authorization.k8s.io", "v1", "", true},
	{"ClusterRoleBinding", "clusterrolebindings", "rbac.authorization.k8s.io", "v1", "", true},
	{"StorageClass", "storageclasses", "storage.k8s.io", "v1", "sc", true},
	{"CustomResourceDefinition", "customresourcedefinitions", "apiextensions.k8s.io", "v1", "crd",
		true},
	{"Lease", "leases", "coordination.k8s.io", "v1", "", false},
	{"EndpointSlice", "endpointslices", "discovery.k8s.io", "v1", "", false},
}

// resource is the name as informerd has it.
func (k resourceKind) resource() string {
	if k.group == "" {
		return k.plural
	}
	return k.plural + "." + k.group
}

// kindNamed returns the kind of a name, a plural or a short name, in any case, as kubectl takes
// them. With an apiVersion, it is that of its group.
func kindNamed(name, apiVersion string) (k resourceKind, is bool) {
	name = strings.ToLower(name)
	group, _ := groupVersion(apiVersion)
	for _, k := range builtin {
		if apiVersion != "" && k.group != group {
			continue
		}
		if name == strings.ToLower(k.kind) || name == k.plural || k.short != "" && name == k.short {
			return k, true
		}
	}
	return resourceKind{}, false
}

// groupVersion cuts an apiVersion.
func groupVersion(apiVersion string) (group, version string) {
	if before, after, cut := strings.Cut(apiVersion, "/"); cut {
		return before, after
	}
	return "", apiVersion
}
