package configs

// violations are the messages of policies for the objects in their folders violating of testdata.
var violations = map[string]map[string][]verdict{
	"certificate-expiring": {
		"expired": {
			{"certificate-expiring",
				"certificate kube-system/old is valid until 2026-05-21T10:00:00Z and has not been renewed: Certificate expired on 2026-05-21; see kubectl describe certificate, and its CertificateRequests"},
			{"certificate-expired",
				"certificate kube-system/old expired at 2026-05-21T10:00:00Z: clients reject servers with secret old-tls; renew it with cmctl renew"},
		},
		"not-renewed": {
			{"certificate-expiring",
				"certificate shop/web is valid until 2026-06-18T10:00:00Z and has not been renewed; see kubectl describe certificate, and its CertificateRequests"},
		},
		"renewal-fails": {
			{"certificate-expiring",
				"certificate shop/pay is valid until 2026-06-18T10:00:00Z and has not been renewed: The certificate request has failed to complete and will be retried; see kubectl describe certificate, and its CertificateRequests"},
		},
		"short-lived-expired": {
			{"certificate-expired",
				"certificate shop/mesh expired at 2026-06-01T11:00:00Z: clients reject servers with secret mesh-tls; renew it with cmctl renew"},
		},
	},
	"crash-loop": {
		"back-off": {
			{"crash-loop", "container web of pod shop/web-6c9f7d5b8-x2x4z keeps terminating: restarts 17, last exit code 1 (Error); see kubectl logs --previous"},
		},
		"init": {
			{"crash-loop", "container migrate of pod kube-system/web-6c9f7d5b8-c5d8w keeps terminating: restarts 1; see kubectl logs --previous"},
		},
		"runs-again": {
			{"crash-loop", "container web of pod shop/web-6c9f7d5b8-7bq9k keeps terminating: restarts 3, last exit code 137 (OOMKilled); see kubectl logs --previous"},
		},
		"sidecar": {
			{"crash-loop", "container tokens of pod shop/web-6c9f7d5b8-q4k2n keeps terminating: restarts 3, last exit code 1 (Error); see kubectl logs --previous"},
		},
	},
	"deployment-not-progressing": {
		"deadline": {
			{"rollout-stuck", `deployment shop/web: its rollout is stuck: ReplicaSet "web-7d9c5b5d5f" has timed out progressing; check why its newest pods do not become ready, or roll back with kubectl rollout undo`},
		},
		"down": {
			{"replicas-unavailable",
				"deployment shop/web: 0 of 1 replicas are available; check why the other pods are missing or not ready"},
		},
		"pods-lost": {
			{"replicas-unavailable",
				"deployment kube-system/web: 1 of 3 replicas are available; check why the other pods are missing or not ready"},
		},
		"quota": {
			{"rollout-stuck", "deployment shop/pay: its rollout is stuck: FailedCreate; check why its newest pods do not become ready, or roll back with kubectl rollout undo"},
			{"replicas-unavailable",
				"deployment shop/pay: 0 of 2 replicas are available; check why the other pods are missing or not ready"},
		},
	},
	"host-network": {
		"all": {
			{"host-network", "pod shop/trace-0 on node (none yet): shares the namespaces of its node (hostNetwork, hostPID, hostIPC); remove this, or use a hostPort if the pod only has to be reachable there"},
		},
		"ipc": {
			{"host-network", "pod monitoring/queue-0 on node node-3: shares the namespaces of its node (hostIPC); remove this, or use a hostPort if the pod only has to be reachable there"},
		},
		"network": {
			{"host-network", "pod monitoring/exporter-f9c2l on node node-3: shares the namespaces of its node (hostNetwork); remove this, or use a hostPort if the pod only has to be reachable there"},
		},
		"processes": {
			{"host-network", "pod monitoring/profiler-9z6xk on node node-3: shares the namespaces of its node (hostPID); remove this, or use a hostPort if the pod only has to be reachable there"},
		},
	},
	"missing-limits": {
		"init": {
			{"memory-limit", "container migrate of pod shop/web-6c9f7d5b8-c5d8w: no memory limit, so it can take what other pods on its node need; set resources.limits.memory"},
		},
		"init-cpu": {
			{"cpu-limit", "container migrate of pod shop/web-6c9f7d5b8-q4k2n: no CPU limit, so it can slow down other pods on its node; set resources.limits.cpu"},
		},
		"no-cpu": {
			{"cpu-limit", "container web of pod shop/web-6c9f7d5b8-7bq9k: no CPU limit, so it can slow down other pods on its node; set resources.limits.cpu"},
		},
		"none": {
			{"memory-limit", "container web and 1 more of pod shop/web-6c9f7d5b8-x2x4z: no memory limit, so it can take what other pods on its node need; set resources.limits.memory"},
			{"cpu-limit", "container web and 1 more of pod shop/web-6c9f7d5b8-x2x4z: no CPU limit, so it can slow down other pods on its node; set resources.limits.cpu"},
		},
	},
	"no-latest-tag": {
		"latest": {
			{"no-latest-tag", "container proxy of pod shop/web-6c9f7d5b8-x2x4z: the image envoyproxy/envoy:latest has no fixed version; use a version tag or a digest"},
		},
		"no-tag": {
			{"no-latest-tag", "container web and 1 more of pod shop/web-6c9f7d5b8-7bq9k: the image registry.example.com:5000/shop/web has no fixed version; use a version tag or a digest"},
		},
		"others-have-digests": {
			{"no-latest-tag", "container wait of pod shop/web-6c9f7d5b8-q4k2n: the image busybox has no fixed version; use a version tag or a digest"},
		},
		"system": {
			{"no-latest-tag", "container setup of pod kube-system/agent-5w7tq: the image registry.example.com:5000/infra/setup:latest has no fixed version; use a version tag or a digest"},
		},
	},
	"no-probes": {
		"liveness-only": {
			{"no-readiness-probe",
				"container web of pod shop/web-6c9f7d5b8-7bq9k: no readiness probe, so it counts as ready as soon as it runs; add a readinessProbe to the container that serves requests"},
		},
		"none": {
			{"no-readiness-probe",
				"container web and 1 more of pod shop/web-6c9f7d5b8-x2x4z: no readiness probe, so it counts as ready as soon as it runs; add a readinessProbe to the container that serves requests"},
		},
	},
	"pod-pending": {
		"image": {
			{"pod-pending", "pod shop/web-6c9f7d5b8-7bq9k does not start: container web waits: ImagePullBackOff; see the events in kubectl describe pod"},
		},
		"init-image": {
			{"pod-pending", "pod shop/web-6c9f7d5b8-c5d8w does not start: container migrate waits: CreateContainerConfigError; see the events in kubectl describe pod"},
		},
		"init-runs": {
			{"pod-pending", "pod shop/web-6c9f7d5b8-d2k9v does not start: its init containers have not finished; see the events in kubectl describe pod"},
		},
		"no-message": {
			{"pod-pending", "pod shop/web-6c9f7d5b8-h7n3b does not start: it cannot be scheduled: Unschedulable; see the events in kubectl describe pod"},
		},
		"no-scheduler": {
			{"pod-pending", "pod kube-system/batch-0 does not start: no scheduler has handled it; see the events in kubectl describe pod"},
		},
		"unschedulable": {
			{"pod-pending", "pod shop/web-6c9f7d5b8-x2x4z does not start: it cannot be scheduled: 0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod; see the events in kubectl describe pod"},
		},
	},
	"privileged": {
		"container": {
			{"privileged", "container builder of pod shop/builder-0: privileged, which makes it root on its node; remove securityContext.privileged and add the capabilities it needs"},
		},
		"ephemeral": {
			{"privileged", "container debugger-4wz7k of pod shop/web-6c9f7d5b8-x2x4z: privileged, which makes it root on its node; remove securityContext.privileged and add the capabilities it needs"},
		},
		"init": {
			{"privileged", "container sysctl and 1 more of pod shop/search-0: privileged, which makes it root on its node; remove securityContext.privileged and add the capabilities it needs"},
		},
	},
	"pvc-lost": {
		"lost": {
			{"pvc-lost", "claim shop/data-db-0 has lost its volume pvc-1f3b5a77-22d0-4e6e-9d39-5f4a6f6c2b10: pods cannot use its data; bring the PersistentVolume back, or restore the data into a new claim"},
		},
		"no-default-class": {
			{"pvc-pending", "claim shop/data-db-4 has no volume: it has no StorageClass and no PersistentVolume matches it; see the events in kubectl describe pvc"},
		},
		"no-such-class": {
			{"pvc-pending", "claim shop/data-db-3 has no volume: there is no StorageClass fsat and no PersistentVolume matches it; see the events in kubectl describe pvc"},
		},
		"node-chosen": {
			{"pvc-pending", "claim shop/data-db-2 has no volume: the provisioner of StorageClass local has not created one; see the events in kubectl describe pvc"},
		},
		"not-provisioned": {
			{"pvc-pending", "claim shop/data-db-1 has no volume: the provisioner of StorageClass fast has not created one; see the events in kubectl describe pvc"},
		},
		"static": {
			{"pvc-pending", "claim shop/data-db-5 has no volume: it has no StorageClass and no PersistentVolume matches it; see the events in kubectl describe pvc"},
		},
	},
	"risky-secret": {
		"password": {
			{"basic-auth", "secret shop/registry-login holds a password for basic authentication; use short-lived credentials, or keep it in a vault, and check who may read it here"},
		},
		"ssh": {
			{"ssh-key", "secret kube-system/deploy-key holds a private SSH key; use a deploy key for a single repository, and check who may read it here"},
		},
		"token": {
			{"service-account-token",
				"secret shop/deployer-token holds a token of service account deployer that never expires; use projected volumes for pods and kubectl create token for others, then delete it"},
		},
	},
	"service-without-endpoints": {
		"empty": {
			{"service-without-endpoints",
				"service shop/empty has no ready endpoint: no running pod matches its selector; compare the labels, and check whether pods run at all"},
		},
		"headless": {
			{"service-without-endpoints",
				"service kube-system/db has no ready endpoint: no running pod matches its selector; compare the labels, and check whether pods run at all"},
		},
		"namesake": {
			{"service-without-endpoints",
				"service shop/namesake has no ready endpoint: no running pod matches its selector; compare the labels, and check whether pods run at all"},
		},
		"unready": {
			{"service-without-endpoints",
				"service shop/unready has no ready endpoint: none of its pods is ready; check why"},
		},
	},
}
