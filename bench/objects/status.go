package objects

import (
	"bytes"
	"fmt"
)

var conditions = []string{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady",
	"PodScheduled"}

func (p *pod) writeStatus(b *bytes.Buffer) {
	fmt.Fprintf(b, `"status":{"phase":%q`, p.phase)
	if p.lean {
		b.WriteString(`,"qosClass":"BestEffort"}`)
		return
	}
	b.WriteString(`,"conditions":[`)
	for i, c := range conditions {
		comma(b, i)
		fmt.Fprintf(b, `{"type":%q,"observedGeneration":1,"status":%q,"lastProbeTime":null,"lastTransitionTime":%q`, c, p.conditionStatus(c), p.transition(c))
		if p.conditionStatus(c) == "False" {
			fmt.Fprintf(b, `,"reason":"ContainersNotReady","message":"containers with unready status: [%s]"`, p.containers[0].name)
		}
		b.WriteByte('}')
	}
	fmt.Fprintf(b, `],"hostIP":%q,"hostIPs":[{"ip":%q}],"podIP":%q,"podIPs":[{"ip":%q}],"startTime":%q,"containerStatuses":[`,
		p.hostIP, p.hostIP, p.podIP, p.podIP, p.created)
	for i, c := range p.containers {
		comma(b, i)
		p.writeContainerStatus(b, c, i == 0)
	}
	b.WriteString(`],"qosClass":"Burstable"}`)
}

func (p *pod) conditionStatus(condition string) string {
	if p.phase != "Running" && isReadiness(condition) {
		return "False"
	}
	return "True"
}

func (p *pod) transition(condition string) string {
	if isReadiness(condition) {
		return p.changed
	}
	return p.created
}

func isReadiness(condition string) bool {
	return condition == "Ready" || condition == "ContainersReady"
}

// writeContainerStatus writes a container's status; only the first one has restarted since the pod
// was created.
func (p *pod) writeContainerStatus(b *bytes.Buffer, c container, first bool) {
	running, since, restarts := p.phase == "Running", p.created, p.restarts
	if first {
		since, restarts = p.changed, p.restarts+p.restarted
	}
	fmt.Fprintf(b, `{"name":%q,"state":{`, c.name)
	switch p.phase {
	case "Running":
		fmt.Fprintf(b, `"running":{"startedAt":%q}`, since)
	case "Pending":
		b.WriteString(`"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"` + c.image + `\""}`)
	default:
		fmt.Fprintf(b, `"terminated":{"exitCode":1,"reason":"Error","startedAt":%q,"finishedAt":%q}`, p.created, since)
	}
	b.WriteString(`},"lastState":{`)
	if restarts > 0 {
		fmt.Fprintf(b, `"terminated":{"exitCode":137,"reason":"OOMKilled","startedAt":%q,"finishedAt":%q,"containerID":"containerd://%s"}`, p.created, since, c.digest)
	}
	fmt.Fprintf(b, `},"ready":%t,"restartCount":%d,"image":%q,"imageID":"registry.example.com/%s@sha256:%s","containerID":"containerd://%s","started":%t,`+
		`"resources":{"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"100m","memory":"256Mi"}}}`,
		running, restarts, c.image, c.name, c.digest, c.digest, running)
}
