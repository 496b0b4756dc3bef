package trial

import "time"

// Result is the measurements of a trial. Durations are of a whole phase; what does not apply is
// zero.
type Result struct {
	Contender string
	Objects   int
	Changes   int // of the burst

	List, Burst, Cool Phase

	// Matched are the objects of the list, and changes of the burst, for which the filter was true.
	MatchedListed, MatchedChanges int64
	// Blind contenders parse nothing, so they match nothing.
	Blind bool

	// First is the time from the start to the first event. Pages are those of lists since the
	// server's last reset.
	First time.Duration
	Pages int
	// Disk is the size of the checkpoint once it holds the list, BurstDisk and PacedDisk what those
	// changes have added to its log, 0 if a snapshot came between. PacedCPU is all of that phase.
	Disk, BurstDisk, PacedDisk int64
	PacedCPU                   time.Duration

	Heap      int64 // bytes, live after the list, above the baseline; 0 if not known
	IdleRSS   int64 // 0 if there was no process yet
	PeakRSS   int64
	SteadyRSS int64
	LoadedRSS int64 // after the burst, as the collector leaves it; 0 without a burst

	ColdRSS int64 // once unused objects are cold; 0 without that phase

	// Latencies are of the paced changes, SingleLatencies of the single ones.
	Latencies, SingleLatencies []time.Duration
	Singles                    int           // 0 if that phase was left out
	SingleCPU, SingleWall      time.Duration // all of the phase
	IdleCPU                    time.Duration // per second, when idle
}

// Phase is the cost of a list or a burst.
type Phase struct {
	CPU, Wall time.Duration
	Allocs    uint64 // 0 if not known
}
