package objects

import (
	"math/rand/v2"
	"sync"
	"time"
)

// FirstFreeVersion is above the resourceVersion of every object without an explicit one.
const FirstFreeVersion = 1_000_000_000

// Revision is a later state of an object. The zero value is the object as created.
type Revision struct {
	// Number counts the object's changes from 1. Restart counts and times increase with it.
	Number int
	// ResourceVersion is that of the state; 0 keeps the one from the creation.
	ResourceVersion uint64
}

// random returns the random numbers of one state of one object.
func (r Revision) random(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, 1<<32+uint64(r.Number)))
}

// after returns the time of the state, for an object created at the given time.
func (r Revision) after(created string) string {
	t, err := time.Parse(time.RFC3339, created)
	if err != nil {
		panic("objects: a generated time is malformed: " + err.Error())
	}
	return t.Add(time.Duration(r.Number) * 83 * time.Second).Format(time.RFC3339)
}

func (p *pod) revise(seed uint64, r Revision) {
	if r.ResourceVersion != 0 {
		p.resourceVersion = r.ResourceVersion
	}
	if r.Number == 0 {
		return
	}
	if p.lean {
		p.phase = [...]string{"Pending", "Running"}[r.Number%2]
		return
	}
	p.changed = r.after(p.created)
	p.restarted = r.Number
	if r.random(seed).IntN(8) == 0 {
		p.phase = map[string]string{"Pending": "Running", "Running": "Failed",
			"Failed": "Running"}[p.phase]
	}
}

// filler records how many entries of something repeatable bring the objects of a workload to a
// requested size, so that this is measured once for all replicas, which then share those entries.
type filler struct {
	mu     sync.Mutex
	counts map[fillerKey]int
}

type fillerKey struct {
	workload uint64
	size     int
}

var configMapFiller, widgetFiller, mixedFiller filler

// count asks measure only once for each workload and size, for the length without entries and that
// of one.
func (f *filler) count(workload uint64, size int, measure func() (base, perEntry int)) int {
	return f.remember(workload, size, func() int {
		base, perEntry := measure()
		return max(0, size-base) / max(1, perEntry)
	})
}

// remember calls count only once for each workload and size.
func (f *filler) remember(workload uint64, size int, count func() int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := fillerKey{workload, size}
	n, known := f.counts[key]
	if !known {
		n = count()
		if f.counts == nil {
			f.counts = map[fillerKey]int{}
		}
		f.counts[key] = n
	}
	return n
}
