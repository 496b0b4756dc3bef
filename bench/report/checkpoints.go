package report

import (
	"fmt"
	"time"
)

// CheckpointCost is the same listeners without a checkpoint and with one. All of them get each
// event, and their outputs take everything at once.
type CheckpointCost struct {
	Listeners     int
	Without, With Figures
}

// Measured reports whether both are known.
func (c CheckpointCost) Measured() bool { return c.Without.EventCPU > 0 && c.With.EventCPU > 0 }

// more is the further CPU time of an event, in microseconds, for all listeners together.
func (c CheckpointCost) more() float64 { return c.With.EventCPU - c.Without.EventCPU }

func (c CheckpointCost) who() string {
	if c.Listeners == 1 {
		return "1 listener"
	}
	return fmt.Sprintf("%d listeners", c.Listeners)
}

// Restart is a start without a checkpoint, the first start with one, and the restart that goes on
// with it.
type Restart struct {
	List, Made, Resumed Figures
}

// Measured reports whether all three are known.
func (r Restart) Measured() bool {
	return r.List.First > 0 && r.Made.First > 0 && r.Resumed.First > 0
}

// CheckpointCosts returns the table of what an event costs without a checkpoint and with one.
func CheckpointCosts(all []CheckpointCost) Table {
	t := Table{Head: []string{"", "event CPU", "more", "more/listener", "burst wall",
		"allocs/event", "latency p50", "p99", "written/event"}}
	row := func(f Figures, more, each string) {
		t.Rows = append(t.Rows, []string{f.Contender, Micros(f.EventCPU), more, each,
			duration(f.EventWall), number(f.EventAllocs), duration(f.P50), duration(f.P99),
			Bytes(f.EventDisk)})
	}
	for _, c := range all {
		row(c.Without, unknown, unknown)
		row(c.With, Micros(c.more()), Micros(c.more()/float64(c.Listeners)))
	}
	return t
}

// Restarts returns the table of starts.
func Restarts(r Restart) Table {
	t := Table{Head: []string{"", "first event after", "CPU", "heap/object", "peak RSS",
		"steady RSS", "on disk", "on disk/object", "written/event"}}
	for _, f := range []Figures{r.List, r.Made, r.Resumed} {
		cpu := time.Duration(f.ListCPU * float64(f.Objects) * 1e3) // of all objects
		t.Rows = append(t.Rows, []string{f.Contender, duration(f.First), duration(cpu),
			Bytes(f.Heap), Bytes(f.PeakRSS), Bytes(f.SteadyRSS), Bytes(f.Disk),
			Bytes(f.Disk / float64(f.Objects)), Bytes(f.EventDisk)})
	}
	return t
}
