package starter

import (
	"strings"

	"github.com/informerd/informerd/internal/config"
)

// topic is what is known of a resource.
type topic struct {
	resource string   // its full name
	names    []string // others that people use
	fullOnly bool     // the plural alone is more likely another resource
	cluster  bool     // objects have no namespace
	rules    []rule
	// changed are the fields whose changes somebody made, or has to know of. None: all.
	changed []string
	on      string // further conditions of the filter
	note    string // a comment above the listener
}

// rule is an unwanted state.
type rule struct {
	name, why, deny, wait, severity, message string
}

// filter returns the filter for the changes of the topic. What exists already when informerd starts
// for the first time is not a change.
func (t *topic) filter() string {
	filter := "!initial"
	if len(t.changed) > 0 {
		filter += ` && (op != "update" || changed("` + strings.Join(t.changed, `", "`) + `"))`
	}
	if t.on != "" {
		filter += " && " + t.on
	}
	return filter
}

const (
	high     = config.SeverityHigh
	medium   = config.SeverityMedium
	low      = config.SeverityLow
	critical = config.SeverityCritical
)

// unknownTopic is what may be said of any resource: most custom resources have the condition Ready,
// and the generation counts changes of what somebody wants.
var unknownTopic = topic{changed: []string{"metadata.generation"}, rules: []rule{
	{"not-ready", "Its condition Ready is false.", `condition("Ready").status == "False"`, "10m",
		medium, `condition("Ready").message ?? "not ready"`},
}}

// troubled are the resources with rules.
var troubled = []topic{
	{resource: "pods", names: []string{"pod", "po"},
		changed: []string{"status.phase", "spec.containers"}, rules: []rule{
			// Not by CrashLoopBackOff: it ends with each restart.
			{"crash-loop", "A container keeps terminating. It ends after ten minutes without that.",
				`any(object.status.containerStatuses, .restartCount >= 3 && age(.lastState.terminated.finishedAt) < "10m")`,
				"", high,
				`"container " + (find(object.status.containerStatuses, .restartCount >= 3 && age(.lastState.terminated.finishedAt) < "10m").name ?? "") + " keeps terminating"`},
			{"pending", "It has no node, or its images and volumes are not there.",
				`object.status.phase == "Pending"`, "10m", medium,
				`condition("PodScheduled").message ?? "it does not start"`},
			{"failed", "It has ended with an error, or was evicted.",
				`object.status.phase == "Failed"`, "", low,
				`object.status.message ?? object.status.reason ?? "a container has failed"`},
		}},
	{resource: "deployments.apps", names: []string{"deployment", "deploy"},
		changed: []string{"spec.replicas", "spec.template"}, rules: []rule{
			{"rollout-stuck", "Kubernetes has given up on the rollout, or cannot make pods.",
				`condition("Progressing").status == "False"`, "", high,
				`condition("Progressing").message ?? "the rollout is stuck"`},
			{"unavailable", "Fewer replicas are available than it should have.",
				`(object.status.availableReplicas ?? 0) < object.spec.replicas`, "10m", high,
				`string(object.status.availableReplicas ?? 0) + " of " + string(object.spec.replicas) + " replicas are available"`},
		}},
	{resource: "statefulsets.apps", names: []string{"statefulset", "sts"},
		changed: []string{"spec.replicas", "spec.template"}, rules: []rule{
			{"not-ready", "Fewer replicas are ready than it should have.",
				`(object.status.readyReplicas ?? 0) < object.spec.replicas`, "10m", high,
				`string(object.status.readyReplicas ?? 0) + " of " + string(object.spec.replicas) + " replicas are ready"`},
		}},
	{resource: "daemonsets.apps", names: []string{"daemonset", "ds"},
		changed: []string{"spec.template"}, rules: []rule{
			{"unavailable", "There are nodes on which it should be available, and is not.",
				`object.status.numberUnavailable > 0`, "10m", high,
				`"not available on " + string(object.status.numberUnavailable) + " nodes"`},
		}},
	{resource: "jobs.batch", names: []string{"job"}, changed: []string{"status.conditions"},
		rules: []rule{
			{"failed", "It was tried as often as it may be, or took too long.",
				`condition("Failed").status == "True"`, "", high,
				`condition("Failed").message ?? "the job has failed"`},
		}},
	{resource: "cronjobs.batch", names: []string{"cronjob", "cj"}, changed: []string{"spec"},
		rules: []rule{
			{"suspended", "Somebody has stopped it, and may have forgotten that.",
				`object.spec.suspend`, "24h", low, `"suspended for a day"`},
		}},
	{resource: "nodes", names: []string{"node", "no"}, cluster: true,
		changed: []string{"spec.unschedulable", "spec.taints"}, rules: []rule{
			{"not-ready", "Its kubelet does not answer, or cannot run pods.",
				`condition("Ready").status != "True"`, "5m", critical,
				`condition("Ready").message ?? "not ready"`},
			{"pressure", "It lacks memory, disk or process IDs, and evicts pods.",
				`any(object.status.conditions, .type endsWith "Pressure" && .status == "True")`,
				"2m", high,
				`find(object.status.conditions, .type endsWith "Pressure" && .status == "True").message ?? "under pressure"`},
			{"cordoned", "Somebody has cordoned it, and may have forgotten that.",
				`object.spec.unschedulable`, "24h", low, `"cordoned for a day"`},
		}},
	{resource: "namespaces", names: []string{"namespace", "ns"}, cluster: true,
		changed: []string{"status.phase"}, rules: []rule{
			{"stuck", "It is to be deleted, and something in it cannot be.",
				`object.status.phase == "Terminating"`, "30m", medium,
				`find(object.status.conditions, .status == "True").message ?? "it is being deleted"`},
		}},
	{resource: "persistentvolumeclaims", names: []string{"persistentvolumeclaim", "pvc"},
		changed: []string{"spec", "status.phase"}, rules: []rule{
			{"lost", "Its volume is gone.", `object.status.phase == "Lost"`, "", critical,
				`"the volume " + (object.spec.volumeName ?? "") + " is gone"`},
			{"pending", "It has no volume: nobody provides one, or no pod uses it.",
				`object.status.phase == "Pending"`, "10m", medium, `"it has no volume"`},
		}},
	{resource: "persistentvolumes", names: []string{"persistentvolume", "pv"}, cluster: true,
		changed: []string{"status.phase"}, rules: []rule{
			{"failed", "It could not be reclaimed.", `object.status.phase == "Failed"`, "", high,
				`object.status.message ?? "it could not be reclaimed"`},
			{"released", "Nobody uses it any more, and it costs money.",
				`object.status.phase == "Released"`, "24h", low, `"unused for a day"`},
		}},
	{resource: "services", names: []string{"service", "svc"}, changed: []string{"spec"},
		rules: []rule{
			{"no-load-balancer", "It has got no load balancer.",
				`object.spec.type == "LoadBalancer" && len(object.status.loadBalancer.ingress) == 0`,
				"10m", high, `"it has got no load balancer"`},
		}},
	{resource: "ingresses.networking.k8s.io", names: []string{"ingress", "ing"},
		changed: []string{"spec"}, rules: []rule{
			{"no-address", "No controller has given it an address.",
				`len(object.status.loadBalancer.ingress) == 0`, "10m", medium,
				`"it has no address"`},
		}},
	{resource: "horizontalpodautoscalers.autoscaling",
		names:   []string{"horizontalpodautoscaler", "hpa"},
		changed: []string{"spec"}, rules: []rule{
			{"at-limit", "It would add replicas if it were allowed to.",
				`condition("ScalingLimited").status == "True" && object.status.currentReplicas >= object.spec.maxReplicas`,
				"1h", low, `"at its limit of " + string(object.spec.maxReplicas) + " replicas"`},
			{"no-metrics", "It has no metrics to go by.",
				`condition("ScalingActive").status == "False"`, "15m", medium,
				`condition("ScalingActive").message ?? "it does not scale"`},
		}},
	{resource: "poddisruptionbudgets.policy", names: []string{"poddisruptionbudget", "pdb"},
		changed: []string{"spec"}, rules: []rule{
			{"no-disruption", "No pod may be evicted, so nodes cannot be drained.",
				`object.status.disruptionsAllowed == 0 && object.status.expectedPods > 0`, "24h",
				low, `string(object.status.currentHealthy) + " of " + string(object.status.desiredHealthy) + " pods are healthy"`},
		}},
	{resource: "customresourcedefinitions.apiextensions.k8s.io",
		names: []string{"customresourcedefinition", "crd", "crds"}, cluster: true,
		changed: []string{"spec"}, rules: []rule{
			{"not-established", "The API server does not serve it.",
				`condition("Established").status == "False"`, "5m", high,
				`find(object.status.conditions, .status == "False").message ?? "it is not served"`},
		}},
	{resource: "certificates.cert-manager.io", names: []string{"certificate", "cert", "certs"},
		changed: []string{"spec"}, rules: []rule{
			{"expiring", "It expires soon: cert-manager should have renewed it.",
				`age(object.status.notAfter) > "-21d"`, "", high,
				`"valid until " + string(object.status.notAfter)`},
			{"not-ready", "It could not be issued.", `condition("Ready").status == "False"`, "15m",
				high, `condition("Ready").message ?? "not ready"`},
		}},
	{resource: "applications.argoproj.io", names: []string{"application"},
		changed: []string{"spec", "status.sync.revision"}, rules: []rule{
			{"degraded", "Argo CD finds that it does not work.",
				`object.status.health.status == "Degraded"`, "5m", high,
				`object.status.health.message ?? "degraded"`},
			{"out-of-sync", "The cluster is not what is in git.",
				`object.status.sync.status == "OutOfSync"`, "1h", medium, `"out of sync"`},
		}},
}
