package e2e

// rightsCases are, for each configuration in configs and for the one below, the rights that each
// listener needs: "VERB… RESOURCE[.GROUP][ "NAME"][ in NAMESPACE]". Those of "" are needed by all,
// and without those of "optional" all are ready.
var rightsCases = map[string]map[string][]string{
	"quickstart.yaml": {
		"rollouts":    {"list watch deployments.apps"},
		"crash-loops": {"list watch pods"},
		"roll-call":   {"list watch pods"},
	},
	"policies.yaml": {
		"optional":                   {"list watch customresourcedefinitions.apiextensions.k8s.io"},
		"certificate-expiring":       {"list watch certificates.cert-manager.io"},
		"crash-loop":                 {"list watch pods"},
		"deployment-not-progressing": {"list watch deployments.apps"},
		"host-network":               {"list watch pods"},
		"missing-limits":             {"list watch pods"},
		"no-latest-tag":              {"list watch pods"},
		"no-probes":                  {"list watch pods"},
		"pod-pending":                {"list watch pods"},
		"privileged":                 {"list watch pods"},
		"pvc-lost": {"list watch persistentvolumeclaims",
			"list watch storageclasses.storage.k8s.io"},
		"risky-secret": {"list watch secrets"},
		"service-without-endpoints": {"list watch services",
			"list watch endpointslices.discovery.k8s.io"},
	},
	"alertmanager.yaml": {"deployments": {"list watch deployments.apps"}},
	"kafka.yaml": {"deployments": {"list watch deployments.apps"},
		"services": {"list watch services"}},
	"label.yaml": {"images": {"get list patch watch deployments.apps",
		"create patch events.events.k8s.io"}},
	"signed-webhook.yaml": {"deletions": {"list watch deployments.apps"}},
	"slack.yaml":          {"pods": {"list watch pods"}},
	"everything.yaml": {
		"": {"create leases.coordination.k8s.io in $NS",
			`get list update watch leases.coordination.k8s.io "$LEASE" in $NS`,
			"create configmaps in $NS", `get update configmaps "$LEASE-progress" in $NS`},
		"all":   {"list watch services"},
		"some":  {"list watch services"},
		"two":   {"list watch endpoints in rights-a", "list watch endpoints in rights-b"},
		"one":   {`get list patch watch secrets "tls" in rights-a`, "events in rights-a"},
		"nodes": {"list watch nodes", "events in default"},
		"reads": {"list watch pods in rights-b", "list watch replicasets.apps in rights-a"},
		"tries": {"get list patch watch serviceaccounts in rights-b"},
	},
}

// everything has what the configurations in configs do not have: several namespaces, a resource in
// the whole cluster and in a namespace, one object, what is in no namespace, lookups, an election.
const everything = `apiVersion: informerd.dev/v1alpha1
kind: Config
leaderElection: {namespace: $NS, name: $LEASE}
state: {dir: state}
informers:
  sets: {resource: rs, namespaces: [rights-a]}
  unused: {resource: daemonsets.apps}
listeners:
  all: {informer: {resource: services}, outputs: [stdout]}
  some: {informer: {resource: svc, namespaces: [rights-a]}, outputs: [stdout]}
  two: {informer: {resource: Endpoints, namespaces: [rights-a, rights-b]}, outputs: [stdout]}
  one:
    informer: {resource: secrets, allowSecrets: true, fieldSelector: metadata.name=tls, namespaces: [rights-a]}
    outputs: [fix, note]
  nodes: {informer: {resource: nodes}, outputs: [note]}
  reads:
    informer: {resource: pods, namespaces: [rights-b]}
    filter: cached("sets", "rights-a", "x") == nil
    outputs: [stdout]
  tries: {informer: {resource: sa, namespaces: [rights-b]}, outputs: [try]}
outputs:
  stdout: {stdout: {}}
  note: {kubernetesEvent: {}}
  fix: {patch: {patch: '{"metadata": {"labels": {"a": "b"}}}'}}
  try: {patch: {patch: '{"metadata": {"labels": {"a": "b"}}}', dryRun: true}}
`

// rightsObjects are what the configurations watch and the control plane does not have.
const rightsObjects = `apiVersion: v1
kind: Namespace
metadata: {name: rights-a}
---
apiVersion: v1
kind: Namespace
metadata: {name: rights-b}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: certificates.cert-manager.io}
spec:
  group: cert-manager.io
  scope: Namespaced
  names: {plural: certificates, singular: certificate, kind: Certificate}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
---
apiVersion: v1
kind: Secret
metadata: {name: tls, namespace: rights-a}
`
