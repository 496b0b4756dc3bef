package starter

import "slices"

// The scopes of resources.
const (
	namespaced = false
	global     = true
)

// The groups of several resources.
const (
	admission = ".admissionregistration.k8s.io"
	rbac      = ".rbac.authorization.k8s.io"
	storage   = ".storage.k8s.io"
	network   = ".networking.k8s.io"
)

// names are those that people use for a resource.
type names []string

// changesOf returns a topic without an unwanted state that most people would want to know of.
func changesOf(resource string, cluster bool, others names, changed ...string) topic {
	return topic{resource: resource, cluster: cluster, names: others, changed: changed}
}

const (
	warnings   = `op != "delete" && object.type == "Warning"`
	aboutEvent = "Kubernetes Events that are warnings, each time they occur."
	aboutData  = "The values of Secrets arrive as digests: that they change is seen, not to what."
)

// changing are the resources without rules.
var changing = []topic{
	{resource: "events", names: names{"event", "ev"}, on: warnings, note: aboutEvent},
	{resource: "events.events.k8s.io", fullOnly: true, on: warnings, note: aboutEvent},
	{resource: "secrets", names: names{"secret"}, changed: []string{"data", "type"},
		note: aboutData},
	changesOf("configmaps", namespaced, names{"configmap", "cm"}, "data", "binaryData"),
	changesOf("serviceaccounts", namespaced, names{"serviceaccount", "sa"},
		"secrets", "imagePullSecrets"),
	changesOf("resourcequotas", namespaced, names{"resourcequota", "quota"}, "spec"),
	changesOf("limitranges", namespaced, names{"limitrange", "limits"}, "spec"),
	changesOf("podtemplates", namespaced, nil, "template"),
	changesOf("replicasets.apps", namespaced, names{"replicaset", "rs"}, "spec"),
	changesOf("replicationcontrollers", namespaced, names{"replicationcontroller", "rc"}, "spec"),
	changesOf("controllerrevisions.apps", namespaced, nil, "revision"),
	changesOf("endpoints", namespaced, names{"ep"}, "subsets"),
	changesOf("endpointslices.discovery.k8s.io", namespaced, nil, "endpoints", "ports"),
	changesOf("leases.coordination.k8s.io", namespaced, names{"lease"}, "spec.holderIdentity"),
	changesOf("roles"+rbac, namespaced, names{"role"}, "rules"),
	changesOf("rolebindings"+rbac, namespaced, names{"rolebinding"}, "roleRef", "subjects"),
	changesOf("clusterroles"+rbac, global, names{"clusterrole"}, "rules"),
	changesOf("clusterrolebindings"+rbac, global, names{"clusterrolebinding"},
		"roleRef", "subjects"),
	changesOf("networkpolicies"+network, namespaced, names{"networkpolicy", "netpol"}, "spec"),
	changesOf("ingressclasses"+network, global, nil, "spec"),
	changesOf("ipaddresses"+network, global, nil, "spec"),
	changesOf("servicecidrs"+network, global, nil, "spec", "status.conditions"),
	changesOf("componentstatuses", global, nil, "conditions"),
	changesOf("certificatesigningrequests.certificates.k8s.io", global, names{"certificatesigningrequest", "csr"},
		"status.conditions"),
	changesOf("priorityclasses.scheduling.k8s.io", global, names{"priorityclass", "pc"},
		"value", "globalDefault"),
	changesOf("runtimeclasses.node.k8s.io", global, nil, "handler"),
	changesOf("storageclasses"+storage, global, names{"storageclass", "sc"},
		"parameters", "provisioner"),
	changesOf("csidrivers"+storage, global, nil, "spec"),
	changesOf("csinodes"+storage, global, nil, "spec"),
	changesOf("csistoragecapacities"+storage, namespaced, nil, "capacity"),
	changesOf("volumeattachments"+storage, global, nil, "spec", "status.attached"),
	changesOf("volumeattributesclasses"+storage, global, nil, "parameters"),
	changesOf("mutatingwebhookconfigurations"+admission, global, nil, "webhooks"),
	changesOf("validatingwebhookconfigurations"+admission, global, nil, "webhooks"),
	changesOf("mutatingadmissionpolicies"+admission, global, nil, "spec"),
	changesOf("mutatingadmissionpolicybindings"+admission, global, nil, "spec"),
	changesOf("validatingadmissionpolicies"+admission, global, nil, "spec"),
	changesOf("validatingadmissionpolicybindings"+admission, global, nil, "spec"),
}

// topics are what is known of resources: those of every cluster, and some others.
var topics = slices.Concat(troubled, changing)

// Resources are the names of the resources that have rules or a filter of their own.
func Resources() (all []string) {
	for i := range topics {
		all = append(all, topics[i].resource)
	}
	return all
}
