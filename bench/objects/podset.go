package objects

import "fmt"

// podSet is a collection of related pods.
type podSet struct {
	workloads uint64
	// sets what the pods' owner determines; nil for pods of ReplicaSets
	owned  func(p *pod, seed uint64)
	filler filler
}

var (
	replicas     = &podSet{workloads: Workloads}
	manyReplicas = &podSet{workloads: ManyWorkloads}
	ofJobs       = &podSet{workloads: Workloads, owned: (*pod).ofJob}
	ofRunners    = &podSet{workloads: Workloads, owned: (*pod).ofRunner}
)

// ManyWorkloads is the number of workloads of ManyWorkloadPods.
const ManyWorkloads = 5_000

// ManyWorkloadPodAt is PodAt with ManyWorkloads workloads instead of Workloads.
func ManyWorkloadPodAt(seed uint64, size int, r Revision) []byte {
	return manyReplicas.at(seed, size, r)
}

// JobPodAt returns a pod as PodAt does, but of a Job. Each has its own Job, so no other pod has its
// labels, its generateName and its owner; the Jobs come from Workloads CronJobs, whose pods share
// their spec.
func JobPodAt(seed uint64, size int, r Revision) []byte { return ofJobs.at(seed, size, r) }

// SharedLabelPodAt returns a pod as PodAt does, but of a controller that names its pods itself and
// labels all of them alike: nothing in the pods' metadata shows which of the Workloads workloads
// they belong to, except the name and the owner.
func SharedLabelPodAt(seed uint64, size int, r Revision) []byte {
	return ofRunners.at(seed, size, r)
}

// at returns a state of a pod, as described at PodAt.
func (s *podSet) at(seed uint64, size int, r Revision) []byte {
	p := s.make(seed, size)
	workload := seed % s.workloads
	p.addEnv(s.filler.count(workload, size, func() (base, perEntry int) {
		first := s.make(workload, size)
		base = len(first.render())
		const sample = 20
		first.addEnv(sample)
		return base, (len(first.render()) - base) / sample
	}))
	p.revise(seed, r)
	return p.render()
}

func (s *podSet) make(seed uint64, size int) *pod {
	p := newPod(seed, seed%s.workloads, size)
	if s.owned != nil {
		s.owned(p, seed)
	}
	return p
}

// ofJob names the Job as the CronJob controller does, with an increasing number.
func (p *pod) ofJob(seed uint64) {
	p.ownerKind, p.ownerName, p.ownerUID = "Job", fmt.Sprintf("%s-%d", p.app, 29_000_000+seed),
		uuid(p.replica)
	p.generateName = p.ownerName + "-"
	p.name = p.generateName + replicaSuffix(seed)
	p.labels = []label{
		{"app", p.app}, {"app.kubernetes.io/name", p.app}, {
			"batch.kubernetes.io/controller-uid", p.ownerUID},
		{"batch.kubernetes.io/job-name", p.ownerName}, {"controller-uid", p.ownerUID}, {
			"job-name", p.ownerName},
	}
	p.restartPolicy = "OnFailure"
}

func (p *pod) ofRunner(uint64) {
	p.ownerKind, p.namespace, p.generateName = "Runner", "ci", ""
	p.labels = []label{{"app", "runner"}, {"app.kubernetes.io/managed-by", "runner-operator"}, {
		"tier", "batch"}}
}
