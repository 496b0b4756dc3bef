package trial

import "time"

// Result is what was measured. Durations are of one trial's whole phase; what does not apply is
// zero.
type Result struct {
	Contender string
	Objects   int
	Changes   int // of the burst

	List, Burst, Cool Phase

	// Matched are how many objects of the list, and changes of the burst, the filter was true for.
	MatchedListed, MatchedChanges int64
	// Blind contenders look at nothing, so they match nothing.
	Blind bool

	Heap      int64 // bytes, live after the list, above the baseline; 0 if not known
	IdleRSS   int64 // 0 if there was no process yet
	PeakRSS   int64
	SteadyRSS int64
	LoadedRSS int64 // after the burst, as the collector leaves it; 0 without a burst

	ColdRSS int64 // once what nobody uses is cold; 0 without that phase

	// Latencies are of the paced changes, SingleLatencies of the single ones.
	Latencies, SingleLatencies []time.Duration
	Singles                    int           // 0 if that phase was left out
	SingleCPU, SingleWall      time.Duration // all of the phase
	IdleCPU                    time.Duration // by second, with nothing to do
}

// Phase is the cost of a list or a burst.
type Phase struct {
	CPU, Wall time.Duration
	Allocs    uint64 // 0 if not known
}
