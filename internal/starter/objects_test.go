package starter

// identities are those of objects that informerd has no schema of.
var identities = map[string]string{
	"certificates.cert-manager.io": `"kind": "Certificate", "apiVersion": "cert-manager.io/v1"`,
	"applications.argoproj.io":     `"kind": "Application", "apiVersion": "argoproj.io/v1alpha1"`,
	"foos.example.com":             `"kind": "Foo", "apiVersion": "example.com/v1"`,
}

// healthy are objects that no rule is about. Others have an empty status.
var healthy = map[string]string{
	"nodes":                       `"status": {"conditions": [{"type": "Ready", "status": "True"}]}`,
	"ingresses.networking.k8s.io": `"status": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}`,
}

// unwanted has an object for each rule, and what is reported.
var unwanted = map[string]struct{ object, message string }{
	"pods crash-loop": {`"status": {"containerStatuses": [{"name": "web", "restartCount": 3, "lastState": {"terminated": {"finishedAt": "2099-01-01T00:00:00Z"}}}]}`,
		"container web keeps terminating"},
	"pods pending": {`"status": {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}]}`,
		"0/3 nodes are available"},
	"pods failed": {`"status": {"phase": "Failed", "reason": "Evicted"}`, "Evicted"},
	"deployments.apps rollout-stuck": {`"status": {"conditions": [{"type": "Progressing", "status": "False", "message": "has timed out"}]}`,
		"has timed out"},
	"deployments.apps unavailable": {`"spec": {"replicas": 3}`, "0 of 3 replicas are available"},
	"statefulsets.apps not-ready": {`"spec": {"replicas": 3}, "status": {"readyReplicas": 1}`,
		"1 of 3 replicas are ready"},
	"daemonsets.apps unavailable": {`"status": {"numberUnavailable": 2}`,
		"not available on 2 nodes"},
	"jobs.batch failed": {`"status": {"conditions": [{"type": "Failed", "status": "True"}]}`,
		"the job has failed"},
	"cronjobs.batch suspended": {`"spec": {"suspend": true}`, "suspended for a day"},
	"nodes not-ready": {`"status": {"conditions": [{"type": "Ready", "status": "Unknown", "message": "it is silent"}]}`,
		"it is silent"},
	"nodes pressure": {`"status": {"conditions": [{"type": "DiskPressure", "status": "True", "message": "little room"}]}`,
		"little room"},
	"nodes cordoned": {`"spec": {"unschedulable": true}`, "cordoned for a day"},
	"namespaces stuck": {`"status": {"phase": "Terminating", "conditions": [{"type": "NamespaceContentRemaining", "status": "True", "message": "pods remain"}]}`,
		"pods remain"},
	"persistentvolumeclaims lost": {`"spec": {"volumeName": "v1"}, "status": {"phase": "Lost"}`,
		"the volume v1 is gone"},
	"persistentvolumeclaims pending": {`"status": {"phase": "Pending"}`, "it has no volume"},
	"persistentvolumes failed":       {`"status": {"phase": "Failed"}`, "it could not be reclaimed"},
	"persistentvolumes released":     {`"status": {"phase": "Released"}`, "unused for a day"},
	"services no-load-balancer": {`"spec": {"type": "LoadBalancer"}`,
		"it has got no load balancer"},
	"ingresses.networking.k8s.io no-address": {`"status": {}`, "it has no address"},
	"horizontalpodautoscalers.autoscaling at-limit": {`"spec": {"maxReplicas": 3}, "status": {"currentReplicas": 3, "conditions": [{"type": "ScalingLimited", "status": "True"}]}`,
		"at its limit of 3 replicas"},
	"horizontalpodautoscalers.autoscaling no-metrics": {`"status": {"conditions": [{"type": "ScalingActive", "status": "False"}]}`,
		"it does not scale"},
	"poddisruptionbudgets.policy no-disruption": {`"status": {"disruptionsAllowed": 0, "expectedPods": 3, "currentHealthy": 2, "desiredHealthy": 3}`,
		"2 of 3 pods are healthy"},
	"customresourcedefinitions.apiextensions.k8s.io not-established": {`"status": {"conditions": [{"type": "Established", "status": "False", "message": "a conflict"}]}`,
		"a conflict"},
	"certificates.cert-manager.io expiring": {`"status": {"notAfter": "2020-01-01T00:00:00Z"}`,
		"valid until 2020-01-01T00:00:00Z"},
	"certificates.cert-manager.io not-ready": {`"status": {"conditions": [{"type": "Ready", "status": "False"}]}`,
		"not ready"},
	"applications.argoproj.io degraded": {`"status": {"health": {"status": "Degraded"}}`,
		"degraded"},
	"applications.argoproj.io out-of-sync": {`"status": {"sync": {"status": "OutOfSync"}}`,
		"out of sync"},
	"foos.example.com not-ready": {`"status": {"conditions": [{"type": "Ready", "status": "False", "message": "no"}]}`,
		"no"},
}
