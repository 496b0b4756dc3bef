package object

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// What workloads are called says nothing about whether their objects resemble each other: those of
// one are packed, also if its name differs from others' in a digit, and those of a Job whose name
// has a time in it are packed by others'.
func TestWorkloadsWhoseNamesDifferInADigit(t *testing.T) {
	const workloads, replicas = 50, 20
	for _, c := range []struct {
		what, metadata string // with the number of the workload and a random text
		alike          bool   // the workloads are
	}{
		{"StatefulSets", `"generateName":"app-%[1]d-"`, false},
		{"a digit in front", `"generateName":"%[1]d-tenant-"`, false},
		{"zeros", `"generateName":"shard-%03[1]d-web-"`, false},
		{"two runs of digits", `"generateName":"test-%[1]d-run-%[1]d-"`, false},
		{"ReplicaSets of one hash", `"generateName":"app-%[1]d-7d4b9c6f5d-"`, false},
		{"owners", `"ownerReferences":[{"kind":"Workload","name":"app-%[1]d","uid":"0000%04[1]d"}]`, false},
		{"labels", `"labels":{"app":"app-%[1]d"}`, false},
		{"CronJobs", `"generateName":"job-2893%04[1]d-"`, true},
	} {
		for _, order := range []string{"by workload", "in turn", "at random"} {
			p := &Parser{}
			packed, order := 0, orderOf(order, workloads, replicas)
			var kept []*Object // and so the bases
			for i, w := range order {
				content := w
				if c.alike {
					content = 0
				}
				text := replica(content, i, 1)
				text = strings.Replace(text, fmt.Sprintf(`"labels":{"app":"w%d"}`, content),
					fmt.Sprintf(c.metadata, w), 1)
				o, _, err := p.ParseItem([]byte(text))
				if err != nil {
					t.Fatal(err)
				}
				if kept = append(kept, o); o.base != nil {
					packed++
				}
			}
			runtime.KeepAlive(kept)
			if most := len(order) - 2*workloads; packed < most {
				t.Errorf("%s, %v: %d of %d were packed, want %d", c.what, order[:3], packed, len(order), most)
			}
		}
	}
}

// orderOf returns the workloads of objects in the order in which these come.
func orderOf(what string, workloads, replicas int) (all []int) {
	for i := range workloads * replicas {
		w := i % workloads
		if what == "by workload" {
			w = i / replicas
		}
		all = append(all, w)
	}
	if what == "at random" {
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}
