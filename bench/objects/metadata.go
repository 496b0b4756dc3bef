package objects

import (
	"bytes"
	"fmt"
)

// ownerVersions are the API versions of the kinds that own pods.
var ownerVersions = map[string]string{"ReplicaSet": "apps/v1", "Job": "batch/v1",
	"Runner": "ci.example.com/v1"}

func (p *pod) writeMetadata(b *bytes.Buffer) {
	fmt.Fprintf(b, `"metadata":{"name":%q,`, p.name)
	if p.generateName != "" {
		fmt.Fprintf(b, `"generateName":%q,`, p.generateName)
	}
	fmt.Fprintf(b, `"namespace":%q,"uid":%q,"resourceVersion":"%d","generation":1,"creationTimestamp":%q,`, p.namespace, p.uid, p.resourceVersion, p.created)
	if p.deletedAt != "" {
		fmt.Fprintf(b, `"deletionTimestamp":%q,"deletionGracePeriodSeconds":30,`, p.deletedAt)
	}
	b.WriteString(`"labels":`)
	writeLabels(b, p.labels)
	b.WriteByte(',')
	if !p.lean {
		fmt.Fprintf(b, `"annotations":{"checksum/config":"%s%s","kubectl.kubernetes.io/restartedAt":%q,"prometheus.io/port":"8080","prometheus.io/scrape":"true",`+
			`"sidecar.istio.io/status":"{\"initContainers\":[\"istio-init\"],\"containers\":[\"istio-proxy\"],\"volumes\":[\"istio-envoy\",\"istio-data\"],\"revision\":\"default\"}"},`,
			p.containers[0].digest[:32], p.containers[0].digest[32:], p.created)
	}
	fmt.Fprintf(b, `"ownerReferences":[{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q,"controller":true,"blockOwnerDeletion":true}],`,
		ownerVersions[p.ownerKind], p.ownerKind, p.ownerName, p.ownerUID)
	p.writeManagedFields(b)
	b.WriteByte('}')
}

// writeManagedFields lists the fields of the spec and status below as server-side apply tracks
// them: one entry of the controller that created the pod, one of the kubelet for its status.
func (p *pod) writeManagedFields(b *bytes.Buffer) {
	fmt.Fprintf(b, `"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":%q,"fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{`, p.created)
	if !p.lean {
		b.WriteString(`"f:annotations":{".":{},"f:checksum/config":{},"f:kubectl.kubernetes.io/restartedAt":{},"f:prometheus.io/port":{},"f:prometheus.io/scrape":{},"f:sidecar.istio.io/status":{}},`)
	}
	if p.generateName != "" {
		b.WriteString(`"f:generateName":{},`)
	}
	b.WriteString(`"f:labels":`)
	writeManagedLabels(b, p.labels)
	fmt.Fprintf(b, `,"f:ownerReferences":{".":{},"k:{\"uid\":\"%s\"}":{}}},"f:spec":{"f:containers":{`, p.ownerUID)
	for i, c := range p.containers {
		comma(b, i)
		p.writeManagedContainer(b, c)
	}
	b.WriteString(`},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}`)
	if len(p.volumes) > 0 {
		b.WriteString(`,"f:volumes":{".":{}`)
		for _, v := range p.volumes {
			fmt.Fprintf(b, `,"k:{\"name\":\"%s\"}":{".":{},"f:%s":{},"f:name":{}}`, v.name, v.kind)
		}
		b.WriteByte('}')
	}
	b.WriteString(`}}}`)
	if !p.lean {
		fmt.Fprintf(b, `,{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":%q,"fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{`, p.changed)
		for i, c := range conditions {
			comma(b, i)
			fmt.Fprintf(b, `"k:{\"type\":\"%s\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}`, c)
		}
		fmt.Fprintf(b, `},"f:containerStatuses":{},"f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},"k:{\"ip\":\"%s\"}":{".":{},"f:ip":{}}},"f:startTime":{}}},"subresource":"status"}`, p.podIP)
	}
	b.WriteByte(']')
}

func (p *pod) writeManagedContainer(b *bytes.Buffer, c container) {
	fmt.Fprintf(b, `"k:{\"name\":\"%s\"}":{".":{},`, c.name)
	if len(c.env) > 0 {
		b.WriteString(`"f:env":{".":{}`)
		for _, e := range c.env {
			fmt.Fprintf(b, `,"k:{\"name\":\"%s\"}":{".":{},"f:name":{},"f:value":{}}`, e.name)
		}
		b.WriteString(`},`)
	}
	b.WriteString(`"f:image":{},"f:imagePullPolicy":{},"f:name":{},`)
	if !p.lean {
		const probe = `{".":{},"f:failureThreshold":{},"f:httpGet":{".":{},"f:path":{},"f:port":{},"f:scheme":{}},"f:initialDelaySeconds":{},"f:periodSeconds":{},"f:successThreshold":{},"f:timeoutSeconds":{}}`
		fmt.Fprintf(b, `"f:livenessProbe":%s,"f:ports":{".":{},"k:{\"containerPort\":%d,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:name":{},"f:protocol":{}}},"f:readinessProbe":%s,`,
			probe, c.port, probe)
		b.WriteString(`"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},`)
	}
	b.WriteString(`"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}`)
	if len(c.mounts) > 0 {
		b.WriteString(`,"f:volumeMounts":{".":{}`)
		for _, m := range c.mounts {
			fmt.Fprintf(b, `,"k:{\"mountPath\":\"/etc/%s\"}":{".":{},"f:mountPath":{},"f:name":{},"f:readOnly":{}}`, m)
		}
		b.WriteByte('}')
	}
	b.WriteByte('}')
}

// comma separates the i-th member or element from the previous one.
func comma(b *bytes.Buffer, i int) {
	if i > 0 {
		b.WriteByte(',')
	}
}
