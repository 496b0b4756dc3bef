package objects

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// nodeConditions are the conditions that the kubelet writes in each heartbeat.
var nodeConditions = []struct{ name, status, reason, message string }{
	{"MemoryPressure", "False", "KubeletHasSufficientMemory",
		"kubelet has sufficient memory available"},
	{"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
	{"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
	{"Ready", "True", "KubeletReady", "kubelet is posting ready status"},
}

// NodeAt returns a state of a Node of about size bytes. Nodes are similar, but each has its own
// labels, such as its hostname, and its own images. A later state is a heartbeat: it differs in
// metadata.resourceVersion, the time of the kubelet's managedFields entry and each condition's
// lastHeartbeatTime.
func NodeAt(seed uint64, size int, r Revision) []byte {
	own := rand.New(rand.NewPCG(seed, 30))
	h := newHeader("v1", "Node", own)
	h.name = nodeName(seed)
	changed := h.revise(r)
	zone, instance := "eu-west-1"+pick(own, []string{"a", "b", "c"}),
		pick(own, []string{"m6i.2xlarge", "m6i.4xlarge", "r6i.4xlarge", "c7g.4xlarge"})
	h.labels = []label{
		{"beta.kubernetes.io/arch", "amd64"}, {"beta.kubernetes.io/os", "linux"}, {
			"kubernetes.io/arch", "amd64"}, {"kubernetes.io/hostname", h.name},
		{"kubernetes.io/os", "linux"}, {"node.example.com/pool", pick(own, tiers)}, {
			"node.kubernetes.io/instance-type", instance},
		{"topology.kubernetes.io/region", "eu-west-1"}, {"topology.kubernetes.io/zone", zone},
	}
	h.annotations = []label{
		{"alpha.kubernetes.io/provided-node-ip",
			fmt.Sprintf("10.0.%d.%d", own.IntN(256), own.IntN(256))},
		{"csi.volume.kubernetes.io/nodeid", `{"ebs.csi.aws.com":"i-` + hexDigits(own, 17) + `"}`}, {
			"node.alpha.kubernetes.io/ttl", "0"},
		{"volumes.kubernetes.io/controller-managed-attach-detach", "true"},
	}
	h.managed = []manager{
		{name: "kubelet", time: h.created, fields: `{"f:metadata":{"f:annotations":` +
			managedLabels(h.annotations) + `,"f:labels":` + managedLabels(h.labels) +
			`},"f:spec":{"f:providerID":{}}}`},
		{name: "kube-controller-manager", time: h.created,
			fields: `{"f:spec":{"f:podCIDR":{},"f:podCIDRs":{".":{},"v:\"10.244.0.0/24\"":{}}}}`},
		{name: "kubelet", time: changed, fields: heartbeatFields, subresource: "status"},
	}

	var b bytes.Buffer
	h.write(&b)
	cidr := fmt.Sprintf("10.%d.%d.0/24", 64+own.IntN(64), own.IntN(256))
	fmt.Fprintf(&b, `"spec":{"podCIDR":%q,"podCIDRs":[%q],"providerID":"aws:///%s/i-%s"},`, cidr,
		cidr, zone, hexDigits(own, 17))
	const quantities = `{"cpu":%q,"ephemeral-storage":%q,"hugepages-1Gi":"0","hugepages-2Mi":"0","memory":%q,"pods":"110"},`
	fmt.Fprintf(&b, `"status":{"capacity":`+quantities, "16", "209702892Ki",
		fmt.Sprintf("%dKi", 64_000_000+own.IntN(100_000)))
	fmt.Fprintf(&b, `"allocatable":`+quantities, "15890m", "192188443124",
		fmt.Sprintf("%dKi", 62_000_000+own.IntN(100_000)))
	b.WriteString(`"conditions":[`)
	for i, c := range nodeConditions {
		comma(&b, i)
		fmt.Fprintf(&b, `{"type":%q,"status":%q,"lastHeartbeatTime":%q,"lastTransitionTime":%q,"reason":%q,"message":%q}`, c.name, c.status, changed, h.created, c.reason, c.message)
	}
	fmt.Fprintf(&b, `],"addresses":[{"type":"InternalIP","address":%q},{"type":"Hostname","address":%q}],"daemonEndpoints":{"kubeletEndpoint":{"Port":10250}},`,
		h.annotations[0].value, h.name)
	fmt.Fprintf(&b, `"nodeInfo":{"machineID":%q,"systemUUID":%q,"bootID":%q,"kernelVersion":"6.12.30","osImage":"Bottlerocket OS 1.44.0 (aws-k8s-1.36)",`+
		`"containerRuntimeVersion":"containerd://2.1.4","kubeletVersion":%q,"kubeProxyVersion":"","operatingSystem":"linux","architecture":"amd64"},"images":[`,
		hexDigits(own, 32), uuid(own), uuid(own),
		pick(own, []string{"v1.36.3", "v1.36.2", "v1.35.7", "v1.36.1"}))
	const each, rest = 204, 4_000
	for i := range max(1, (size-rest)/each) {
		comma(&b, i)
		writeImage(&b, own)
	}
	b.WriteString(`]}}`)
	return b.Bytes()
}

// writeImage writes one of the cluster's images, which many nodes have.
func writeImage(b *bytes.Buffer, own *rand.Rand) {
	n := own.Uint64N(400)
	of := rand.New(rand.NewPCG(n, 31))
	name := fmt.Sprintf("registry.example.com/%s/%s-%s", pick(of, namespaces), pick(of, products),
		pick(of, roles))
	fmt.Fprintf(b, `{"names":["%s@sha256:%s","%s:v%d.%d.%d"],"sizeBytes":%d}`, name,
		hexDigits(of, 64), name, of.IntN(4), of.IntN(30), n, 20_000_000+of.IntN(1_000_000_000))
}

// heartbeatFields are the fields of the status that the kubelet manages.
var heartbeatFields = func() string {
	var b bytes.Buffer
	b.WriteString(`{"f:status":{"f:conditions":{`)
	for i, c := range nodeConditions {
		comma(&b, i)
		fmt.Fprintf(&b, `"k:{\"type\":\"%s\"}":{"f:lastHeartbeatTime":{}}`, c.name)
	}
	b.WriteString(`},"f:images":{}}}`)
	return b.String()
}()
