package schema

import (
	"testing"
)

func builtinSet(t testing.TB) *Set {
	t.Helper()
	set, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestBuiltin(t *testing.T) {
	set := builtinSet(t)
	const text, integer, boolean = "string", "integer", "boolean"
	for resource, paths := range map[string]map[string]string{
		"pods": {
			"apiVersion":                                      text,
			"kind":                                            text,
			"metadata.name":                                   text,
			"metadata.labels":                                 "{*: string}",
			"metadata.annotations{}":                          text,
			"metadata.creationTimestamp":                      text,
			"metadata.generation":                             integer,
			"metadata.ownerReferences[].kind":                 text,
			"metadata.managedFields[].fieldsV1":               "{…}",
			"spec.containers[].image":                         text,
			"spec.initContainers[].image":                     text,
			"spec.ephemeralContainers[].image":                text,
			"spec.containers[].args":                          "[string]",
			"spec.containers[].resources.limits":              "{*: any scalar}",
			"spec.containers[].livenessProbe.httpGet.port":    "any scalar",
			"spec.containers[].securityContext.privileged":    boolean,
			"spec.hostNetwork":                                boolean,
			"spec.nodeName":                                   text,
			"spec.volumes[].emptyDir.sizeLimit":               "any scalar",
			"status.phase":                                    "string|Failed|Pending|Running|Succeeded|Unknown",
			"status.conditions[].lastTransitionTime":          text,
			"status.containerStatuses[].restartCount":         integer,
			"status.containerStatuses[].state.waiting.reason": text,
			"spec.container":                                  "none",
			"spec.containers[].imgae":                         "none",
			"status.containerStatuses[].restarts":             "none",
			"metadata.label":                                  "none",
			"data":                                            "none",
		},
		"deployments.apps": {
			"spec.replicas":                              integer,
			"spec.paused":                                boolean,
			"spec.selector.matchLabels{}":                text,
			"spec.strategy.rollingUpdate.maxUnavailable": "any scalar",
			"spec.template.spec.containers[].image":      text,
			"spec.template.metadata.labels{}":            text,
			"status.conditions[].reason":                 text,
			"status.observedGeneration":                  integer,
			"sepc":                                       "none",
			"spec.replica":                               "none",
		},
		"secrets": {
			"data": "{*: string}", "type": text, "immutable": boolean, "spec": "none"},
		"configmaps": {"data": "{*: string}", "binaryData{}": text},
		"nodes": {
			"status.allocatable": "{*: any scalar}", "spec.unschedulable": boolean,
			"spec.taints[].effect": "string|NoExecute|NoSchedule|PreferNoSchedule"},
		"services": {
			"spec.ports[].port": integer, "spec.ports[].targetPort": "any scalar",
			"spec.selector{}": text},
		"endpointslices.discovery.k8s.io": {
			"endpoints[].conditions.ready": boolean, "endpoints[].addresses": "[string]",
			"spec": "none"},
		"persistentvolumeclaims": {
			"status.phase": "string|Bound|Lost|Pending", "status.capacity{}": "any scalar"},
		"replicasets.apps": {"status.readyReplicas": integer},
		"jobs.batch":       {"spec.backoffLimit": integer, "status.failed": integer},
		"cronjobs.batch": {
			"spec.jobTemplate.spec.template.spec.containers[].image": text},
		"horizontalpodautoscalers": {
			"spec.metrics[].resource.target.averageUtilization": integer},
		"ingresses.networking.k8s.io": {
			"spec.rules[].http.paths[].backend.service.port.number": integer},
		"poddisruptionbudgets.policy":     {"spec.minAvailable": "any scalar"},
		"clusterroles":                    {"rules[].verbs": "[string]"},
		"storageclasses":                  {"parameters{}": text},
		"leases.coordination.k8s.io":      {"spec.holderIdentity": text, "spec.renewTime": text},
		"events":                          {"involvedObject.kind": text, "regarding": "none"},
		"events.events.k8s.io":            {"regarding.kind": text, "involvedObject": "none"},
		"priorityclasses":                 {"value": integer},
		"validatingwebhookconfigurations": {"webhooks[].clientConfig.caBundle": text},
		"certificatesigningrequests":      {"spec.signerName": text, "spec.request": text},
		"runtimeclasses.node.k8s.io":      {"handler": text},
		"controllerrevisions.apps":        {"data": "{…}", "revision": integer},
		"customresourcedefinitions": {
			"spec.names.plural":                                                        text,
			"spec.versions[].schema.openAPIV3Schema.type":                              text,
			"spec.versions[].schema.openAPIV3Schema.properties{}.properties{}.type":    text,
			"spec.versions[].schema.openAPIV3Schema.not.not.allOf[].maximum":           "number",
			"spec.versions[].schema.openAPIV3Schema.$ref":                              text,
			"spec.versions[].schema.openAPIV3Schema.x-kubernetes-int-or-string":        boolean,
			"spec.versions[].schema.openAPIV3Schema.default":                           "any",
			"spec.versions[].schema.openAPIV3Schema.properties{}.properties{}.tpye":    "none",
			"spec.versions[].schema.openAPIV3Schema.properties{}.additionalProperties": "any",
		},
	} {
		schema, ok := set.Lookup(resource)
		if !ok {
			t.Errorf("%s is not found", resource)
			continue
		}
		for path, want := range paths {
			if got := describe(at(schema, path)); got != want {
				t.Errorf("%s %s: got %s, want %s", resource, path, got, want)
			}
		}
	}
}

func TestBuiltinObjectsAllHaveMetadata(t *testing.T) {
	set := builtinSet(t)
	if len(set.entries) < 50 {
		t.Errorf("there are only %d resources", len(set.entries))
	}
	for _, e := range set.entries {
		for path, want := range map[string]string{"apiVersion": "string", "kind": "string",
			"metadata.labels{}": "string"} {
			if got := describe(at(e.Schema, path)); got != want || e.Schema.Open {
				t.Errorf("%s %s: got %s, want %s", e.Resource, path, got, want)
			}
		}
	}
}

func TestDamagedSchemasAreAnError(t *testing.T) {
	for _, damaged := range []string{"", "no archive", string(packed[:len(packed)/2])} {
		if set, err := unpack([]byte(damaged)); set != nil || err == nil {
			t.Errorf("%.10q: got %v, %v", damaged, set, err)
		}
	}
}

func TestBuiltinIsSmall(t *testing.T) {
	const most = 120 << 10
	if len(packed) > most {
		t.Errorf("%d bytes, want at most %d", len(packed), most)
	}
}

func BenchmarkBuiltin(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		set, err := unpack(packed)
		if err != nil {
			b.Fatal(err)
		}
		if _, ok := set.Lookup("pods"); !ok {
			b.Fatal("no pods")
		}
	}
}
