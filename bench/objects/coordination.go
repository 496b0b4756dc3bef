package objects

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// EventAt returns a state of an Event of core/v1 about a pod. It has about 1,300 bytes, whatever
// the requested size. A later state differs in metadata.resourceVersion, the time of the
// managedFields entry, count and lastTimestamp: the same has happened again.
func EventAt(seed uint64, _ int, r Revision) []byte {
	of := rand.New(rand.NewPCG(seed%Workloads, 40))
	own := rand.New(rand.NewPCG(seed, 41))
	h := newHeader("v1", "Event", own)
	app := pick(of, products) + "-" + pick(of, roles)
	pod := app + "-" + suffix(of, 10) + "-" + replicaSuffix(seed)
	h.name, h.namespace = pod+"."+hexDigits(own, 16), pick(of, namespaces)
	changed := h.revise(r)
	h.managed = []manager{{name: "kubelet", time: changed,
		fields: `{"f:count":{},"f:firstTimestamp":{},"f:involvedObject":{},"f:lastTimestamp":{},"f:message":{},` +
			`"f:reason":{},"f:reportingComponent":{},"f:reportingInstance":{},"f:source":{"f:component":{},"f:host":{}},"f:type":{}}`}}
	what := pick(own, []struct{ kind, reason, message string }{
		{"Warning", "BackOff", "Back-off restarting failed container " + app + " in pod "},
		{"Warning", "Unhealthy",
			"Readiness probe failed: Get \\\"http://10.244.7.9:8080/readyz\\\": context deadline exceeded in pod "},
		{"Normal", "Pulled", "Container image \\\"registry.example.com/" + app +
			":v1.2.3\\\" already present on machine, for pod "},
		{"Normal", "Scheduled", "Successfully assigned "},
	})
	node := nodeName(own.Uint64N(500))

	var b bytes.Buffer
	h.write(&b)
	uid := uuid(own)
	fmt.Fprintf(&b, `"involvedObject":{"kind":"Pod","namespace":%q,"name":%q,"uid":%q,"apiVersion":"v1","resourceVersion":"%d","fieldPath":"spec.containers{%s}"},"reason":%q,"message":"%s%s_%s(%s)",`,
		h.namespace, pod, uid, firstVersion(own), app, what.reason, what.message, pod, h.namespace,
		uid)
	fmt.Fprintf(&b, `"source":{"component":"kubelet","host":%q},"firstTimestamp":%q,"lastTimestamp":%q,"count":%d,"type":%q,`+
		`"eventTime":null,"reportingComponent":"kubelet","reportingInstance":%q}`, node, h.created,
		changed, 1+r.Number, what.kind, node)
	return b.Bytes()
}

// LeaseAt returns a state of a node's Lease. It has about 900 bytes, whatever the requested size. A
// later state differs in metadata.resourceVersion, the time of the managedFields entry and
// spec.renewTime.
func LeaseAt(seed uint64, _ int, r Revision) []byte {
	own := rand.New(rand.NewPCG(seed, 42))
	h := newHeader("coordination.k8s.io/v1", "Lease", own)
	h.name, h.namespace = nodeName(seed), "kube-node-lease"
	changed := h.revise(r)
	node := uuid(own)
	h.owners = fmt.Sprintf(`[{"apiVersion":"v1","kind":"Node","name":%q,"uid":%q}]`, h.name, node)
	h.managed = []manager{{name: "kubelet", time: changed,
		fields: `{"f:metadata":{"f:ownerReferences":{".":{},"k:{\"uid\":\"` + node + `\"}":{}}},` +
			`"f:spec":{"f:holderIdentity":{},"f:leaseDurationSeconds":{},"f:renewTime":{}}}`}}
	var b bytes.Buffer
	h.write(&b)
	fmt.Fprintf(&b, `"spec":{"holderIdentity":%q,"leaseDurationSeconds":40,"renewTime":"%s.%06dZ"}}`,
		h.name, strings.TrimSuffix(changed, "Z"), r.random(seed).IntN(1_000_000))
	return b.Bytes()
}

// EndpointSliceAt returns a state of an EndpointSlice of about size bytes, with one endpoint per
// 300. A later state differs in metadata.resourceVersion and generation, the trigger time among the
// annotations, the time of the managedFields entry, and one endpoint, whose readiness is inverted.
func EndpointSliceAt(seed uint64, size int, r Revision) []byte {
	own := rand.New(rand.NewPCG(seed, 43))
	h := newHeader("discovery.k8s.io/v1", "EndpointSlice", own)
	app := pick(own, products) + "-" + pick(own, roles)
	service := app + "-" + suffix(own, 4)
	h.generateName = service + "-"
	h.name, h.namespace, h.generation = h.generateName+uniqueSuffix(seed), pick(own, namespaces), 1+
		r.Number
	changed := h.revise(r)
	h.labels = []label{
		{"app", app}, {"endpointslice.kubernetes.io/managed-by", "endpointslice-controller.k8s.io"},
		{"kubernetes.io/service-name", service},
	}
	h.annotations = []label{{"endpoints.kubernetes.io/last-change-trigger-time", changed}}
	serviceUID := uuid(own)
	h.owners = owner("v1", "Service", service, serviceUID)
	h.managed = []manager{{name: "kube-controller-manager", time: changed,
		fields: `{"f:addressType":{},"f:endpoints":{},"f:metadata":{"f:annotations":` +
			managedLabels(h.annotations) + `,"f:generateName":{},"f:labels":` +
			managedLabels(h.labels) + `,"f:ownerReferences":{".":{},"k:{\"uid\":\"` + serviceUID +
			`\"}":{}}},"f:ports":{}}`}}

	var b bytes.Buffer
	h.write(&b)
	b.WriteString(`"addressType":"IPv4","endpoints":[`)
	const each, rest = 300, 1_400
	endpoints := max(1, (size-rest+each/2)/each)
	hash := suffix(own, 10)
	for i := range endpoints {
		comma(&b, i)
		ready := own.IntN(8) > 0
		// each state flips the next one
		if flips := (r.Number + endpoints - 1 - i) / endpoints; flips%2 == 1 {
			ready = !ready
		}
		fmt.Fprintf(&b, `{"addresses":["10.244.%d.%d"],"conditions":{"ready":%t,"serving":%t,"terminating":false},"targetRef":{"kind":"Pod","namespace":%q,"name":"%s-%s-%s","uid":%q},"nodeName":%q,"zone":"eu-west-1%s"}`,
			own.IntN(256), 1+own.IntN(254), ready, ready, h.namespace, app, hash, suffix(own, 5),
			uuid(own), nodeName(own.Uint64N(500)), pick(own, []string{"a", "b", "c"}))
	}
	b.WriteString(`],"ports":[{"name":"http","protocol":"TCP","port":8080}]}`)
	return b.Bytes()
}
