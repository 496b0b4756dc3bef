package objects

import (
	"bytes"
	"fmt"
)

func (p *pod) writeSpec(b *bytes.Buffer) {
	b.WriteString(`"spec":{"volumes":[`)
	for _, v := range p.volumes {
		writeVolume(b, v)
		b.WriteByte(',')
	}
	fmt.Fprintf(b, `{"name":%q,"projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},`+
		`{"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}}],"defaultMode":420}}],"containers":[`, p.serviceAccountVol)
	for i, c := range p.containers {
		comma(b, i)
		p.writeContainer(b, c)
	}
	fmt.Fprintf(b, `],"restartPolicy":%q,"terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","serviceAccount":"default",`, p.restartPolicy)
	if !p.lean {
		fmt.Fprintf(b, `"nodeName":%q,`, p.node)
	}
	b.WriteString(`"securityContext":{},"schedulerName":"default-scheduler",`)
	if !p.lean {
		b.WriteString(`"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},` +
			`{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}],`)
	}
	b.WriteString(`"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"}`)
}

func writeVolume(b *bytes.Buffer, v volume) {
	switch v.kind {
	case "configMap":
		fmt.Fprintf(b, `{"name":%q,"configMap":{"name":%q,"defaultMode":420}}`, v.name, v.source)
	case "secret":
		fmt.Fprintf(b, `{"name":%q,"secret":{"secretName":%q,"defaultMode":420}}`, v.name, v.source)
	default:
		fmt.Fprintf(b, `{"name":%q,"emptyDir":{}}`, v.name)
	}
}

func (p *pod) writeContainer(b *bytes.Buffer, c container) {
	fmt.Fprintf(b, `{"name":%q,"image":%q,`, c.name, c.image)
	if !p.lean {
		fmt.Fprintf(b, `"ports":[{"name":"http","containerPort":%d,"protocol":"TCP"}],`, c.port)
	}
	if len(c.env) > 0 {
		b.WriteString(`"env":[`)
		for i, e := range c.env {
			comma(b, i)
			// The values are stored escaped, so they are written unchanged.
			fmt.Fprintf(b, `{"name":"%s","value":"%s"}`, e.name, e.value)
		}
		b.WriteString(`],`)
	}
	if p.lean {
		b.WriteString(`"resources":{},`)
	} else {
		b.WriteString(`"resources":{"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"100m","memory":"256Mi"}},`)
	}
	b.WriteString(`"volumeMounts":[`)
	for _, m := range c.mounts {
		fmt.Fprintf(b, `{"name":%q,"readOnly":true,"mountPath":"/etc/%s"},`, m, m)
	}
	fmt.Fprintf(b, `{"name":%q,"readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],`, p.serviceAccountVol)
	if !p.lean {
		const probe = `{"httpGet":{"path":"/%s","port":%d,"scheme":"HTTP"},"initialDelaySeconds":5,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},`
		fmt.Fprintf(b, `"livenessProbe":`+probe, "healthz", c.port)
		fmt.Fprintf(b, `"readinessProbe":`+probe, "readyz", c.port)
	}
	b.WriteString(`"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}`)
}
