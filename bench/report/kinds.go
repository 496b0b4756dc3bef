package report

import (
	"fmt"
	"math"
)

// Collection is one collection of the scene of kinds: its measurements and its requirements.
type Collection struct {
	Name string
	Size int                // bytes of an object, approximately
	By   map[string]Figures // by contender
	// New means that changes add new objects, and delete others, so that an event is not an update
	// of a known object.
	New bool
	// Memory is the required factor below the memory of client-go's dynamic informer.
	Memory float64
	// Listed is the resident memory five seconds after the first list, above a process that reads the
	// same and keeps nothing, relative to the objects' JSON; 0 if it was not measured.
	Listed float64
}

// Figure is one of the required ratios of each collection.
type Figure int

// The figures. All are ratios within one run.
const (
	// EventReading is the CPU time of a watch event relative to reading and dropping it.
	EventReading Figure = iota
	// EventDynamic is the factor below the CPU time of a watch event in client-go's dynamic
	// informer.
	EventDynamic
	// ListDynamic is the same for an object of the first list.
	ListDynamic
	// MemoryDynamic is the factor below the resident memory of client-go's dynamic informer, both
	// above a process that reads the same and keeps nothing. It is read some time after the burst,
	// when unused objects are cold, without a forced collection.
	MemoryDynamic
	// MemoryJSON is Listed.
	MemoryJSON
)

var figures = []Figure{EventReading, EventDynamic, ListDynamic, MemoryDynamic, MemoryJSON}

var figureNames = map[Figure]string{
	EventReading:  "watch event, CPU, versus reading and dropping",
	EventDynamic:  "watch event, CPU, versus client-go dynamic",
	ListDynamic:   "first list, CPU, versus client-go dynamic",
	MemoryDynamic: "memory over an idle reader, versus client-go dynamic",
	MemoryJSON:    "memory over an idle reader, 5 s after the list, versus the JSON",
}

// String returns the figure's description.
func (f Figure) String() string { return figureNames[f] }

// small is the size in bytes below which objects count as small.
const small = 4000

// required returns the limit for a collection, 0 if there is none.
func (f Figure) required(c Collection) float64 {
	switch {
	case f == EventReading && c.New:
		return 0
	case f == EventReading:
		return 3
	case f == EventDynamic && c.New: // each event is like an object of a first list
		return 15
	case f == EventDynamic && c.Size < small:
		return 20
	case f == EventDynamic:
		return 30
	case f == ListDynamic:
		return 15
	case f == MemoryJSON:
		return 1.0 / 3
	default:
		return c.Memory
	}
}

// reached returns the figure of a collection: 0 if it was not measured, infinite if the difference
// it is based on is lost in noise.
func (f Figure) reached(c Collection) float64 {
	ours, dropped, decoded := c.By[core], c.By[drop], c.By[dynamic]
	of := func(a, b float64) float64 {
		if a <= 0 || b <= 0 {
			return 0
		}
		return a / b
	}
	switch {
	case f == EventReading:
		return of(ours.EventCPU, dropped.EventCPU)
	case f == EventDynamic:
		return of(decoded.EventCPU, ours.EventCPU)
	case f == ListDynamic:
		return of(decoded.ListCPU, ours.ListCPU)
	case f == MemoryJSON:
		return c.Listed
	case dropped.ColdRSS <= 0 || ours.ColdRSS <= 0 || decoded.ColdRSS <= dropped.ColdRSS:
		return 0
	case ours.ColdRSS <= dropped.ColdRSS:
		return math.Inf(1)
	default:
		return (decoded.ColdRSS - dropped.ColdRSS) / (ours.ColdRSS - dropped.ColdRSS)
	}
}

// less reports whether more is better, because the figure is a factor by which something is less.
func (f Figure) less() bool { return f != EventReading && f != MemoryJSON }

func (f Figure) text(value float64) string {
	switch {
	case math.IsInf(value, 1):
		return "lost in noise"
	case f.less():
		return ratio(value) + " less"
	default:
		return ratio(value)
	}
}

func (f Figure) limitText(limit float64) string {
	if f.less() {
		return fmt.Sprintf(">= %.4gx less", limit)
	}
	return fmt.Sprintf("<= %.2gx", limit)
}

// verdict returns false if the figure was not measured or nothing is required.
func (f Figure) verdict(c Collection) (Verdict, bool) {
	limit, reached := f.required(c), f.reached(c)
	if limit == 0 || reached == 0 {
		return Verdict{}, false
	}
	return Verdict{
		What: c.Name + ": " + f.String(), Required: f.limitText(limit), Reached: f.text(reached),
		Excess: f.excess(reached, limit),
		Rough:  f == EventReading && c.Size < small || (f == EventDynamic || f == ListDynamic) && c.reads(),
	}, true
}

// reads reports whether an event costs little more than reading it, within the limit. What client-go's
// decoding costs relative to it, and to a first list, depends on the machine then: on how slow its memory
// is, for the bytes and for new pages, relative to its processors.
func (c Collection) reads() bool {
	reached := EventReading.reached(c)
	return reached > 0 && reached <= EventReading.required(c)
}

// excess returns the ratio of a value to the limit, above 1 if it misses it.
func (f Figure) excess(value, limit float64) float64 {
	if f.less() {
		return limit / value
	}
	return value / limit
}

// KindVerdicts returns the verdicts on all collections.
func KindVerdicts(all []Collection) (verdicts []Verdict) {
	for _, c := range all {
		for _, f := range figures {
			if v, ok := f.verdict(c); ok {
				verdicts = append(verdicts, v)
			}
		}
	}
	return verdicts
}
