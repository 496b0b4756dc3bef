package objects

import (
	"bytes"
	"fmt"
	"math/rand/v2"
)

// Workloads is how many different workloads the pods belong to. Pods of one workload share their
// spec and differ in name, node, addresses and status, as replicas do.
const Workloads = 50

// The default sizes of benchmarks: a pod just created, an ordinary one, and one with many
// containers and a long environment.
const (
	Small  = 2 << 10
	Medium = 10 << 10
	Large  = 50 << 10
)

// leanBelow is the size below which a pod has no room for a kubelet's status and its managedFields:
// such a pod is written as right after its creation.
const leanBelow = 4 << 10

// Pod returns the JSON of one pod of about size bytes. The seed selects the workload (seed modulo
// Workloads) and, within it, the replica. No two seeds below 700 million have the same namespace
// and name.
func Pod(seed uint64, size int) []byte { return PodAt(seed, size, Revision{}) }

// PodAt returns a later state of the pod that Pod returns. It differs in metadata.resourceVersion,
// the time of the kubelet's managedFields entry, the first container's state, lastState and
// restartCount, when the Ready conditions last changed, and in one state of eight in the phase and
// what goes with it. A pod too small for a kubelet's status differs in resourceVersion and phase.
func PodAt(seed uint64, size int, r Revision) []byte { return replicas.at(seed, size, r) }

// pod is the part of a pod that varies; everything else is fixed text in the write methods.
type pod struct {
	lean bool

	// of the workload
	app, tier, namespace, hash string
	ownerKind, ownerName       string
	ownerUID                   string
	labels                     []label
	restartPolicy              string
	containers                 []container
	volumes                    []volume
	workload                   *rand.Rand

	// of the replica
	name, generateName string // generateName may be empty
	uid, node          string
	podIP, hostIP      string
	resourceVersion    uint64
	phase              string
	restarts           int
	created, deletedAt string
	changed            string // when the kubelet last wrote the status
	restarted          int    // restarts of the first container on top of those of all
	serviceAccountVol  string
	replica            *rand.Rand
}

type container struct {
	name, image, digest string
	port                int
	env                 []envVar
	mounts              []string
}

type envVar struct{ name, value string }

type volume struct{ name, kind, source string }

func newPod(seed, workload uint64, size int) *pod {
	w := rand.New(rand.NewPCG(workload, 1))
	r := rand.New(rand.NewPCG(seed, 2))
	p := &pod{lean: size < leanBelow, workload: w, replica: r}

	p.app = fmt.Sprintf("%s-%s", pick(w, products), pick(w, roles))
	p.tier = pick(w, tiers)
	p.namespace = pick(w, namespaces)
	p.hash = suffix(w, 10)
	p.ownerUID = uuid(w)
	p.addContainers(size)

	p.ownerKind, p.ownerName = "ReplicaSet", p.app+"-"+p.hash
	p.generateName = p.ownerName + "-"
	p.labels = []label{{"app", p.app}, {"app.kubernetes.io/name", p.app}, {
		"pod-template-hash", p.hash}, {"tier", p.tier}}
	p.restartPolicy = "Always"
	p.name = p.generateName + replicaSuffix(seed)
	p.uid = uuid(r)
	p.node = fmt.Sprintf("ip-10-0-%d-%d.eu-west-1.compute.internal", r.IntN(256), r.IntN(256))
	p.podIP = fmt.Sprintf("10.244.%d.%d", r.IntN(256), 1+r.IntN(254))
	p.hostIP = fmt.Sprintf("10.0.%d.%d", r.IntN(256), 1+r.IntN(254))
	p.resourceVersion = firstVersion(r)
	p.created = timestamp(r)
	p.changed = p.created
	p.serviceAccountVol = "kube-api-access-" + suffix(r, 5)
	p.phase = "Running"
	switch n := r.IntN(16); {
	case p.lean || n == 0:
		p.phase = "Pending"
	case n == 1:
		p.phase = "Failed"
	case n == 2:
		p.deletedAt = timestamp(r)
	case n < 6:
		p.restarts = 1 + r.IntN(12)
	}
	return p
}

func (p *pod) addContainers(size int) {
	w := p.workload
	names := append([]string{p.app}, sidecars...)
	count := min(1+size/(8<<10), len(names))
	for i := range count {
		p.containers = append(p.containers, container{
			name: names[i],
			image: fmt.Sprintf("registry.example.com/%s/%s:v%d.%d.%d", p.namespace, names[i],
				1+w.IntN(4), w.IntN(30), w.IntN(10)),
			digest: hexDigits(w, 64),
			port:   8080 + i,
		})
	}
	if p.lean {
		return
	}
	p.volumes = []volume{
		{"config", "configMap", p.app + "-config"},
		{"tls", "secret", p.app + "-tls"},
		{"scratch", "emptyDir", ""},
	}
	for i := range p.containers {
		for _, v := range p.volumes[:1+w.IntN(len(p.volumes))] {
			p.containers[i].mounts = append(p.containers[i].mounts, v.name)
		}
	}
}

// addEnv spreads n more environment variables over the containers.
func (p *pod) addEnv(n int) {
	w := p.workload
	for i := range n {
		c := &p.containers[i%len(p.containers)]
		c.env = append(c.env, envVar{
			name:  fmt.Sprintf("%s_%s_%d", pick(w, envWords), pick(w, envWords), len(c.env)),
			value: pick(w, envValues),
		})
	}
}

// render writes the pod. It may be called again after additions: it draws no random numbers of the
// workload or the replica.
func (p *pod) render() []byte {
	var b bytes.Buffer
	b.WriteString(`{"kind":"Pod","apiVersion":"v1",`)
	p.writeMetadata(&b)
	b.WriteByte(',')
	p.writeSpec(&b)
	b.WriteByte(',')
	p.writeStatus(&b)
	b.WriteByte('}')
	return b.Bytes()
}
