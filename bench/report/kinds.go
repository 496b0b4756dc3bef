package report

import (
	"fmt"
	"math"
)

// Collection is one collection of the scene of kinds: what was measured on it, and what is required
// there.
type Collection struct {
	Name string
	Size int                // bytes of an object, about
	By   map[string]Figures // by contender
	// New says that changes bring objects that were not there before, and delete others. Then an
	// event is not an update of a known object.
	New bool
	// Memory is how many times less memory than client-go's dynamic informer is required.
	Memory float64
}

// Figure is one of the ratios that are required of each collection.
type Figure int

// The figures. All are ratios within one run.
const (
	// EventReading is the CPU time of a watch event, as a multiple of what reading and dropping it
	// takes.
	EventReading Figure = iota
	// EventDynamic is how many times less CPU time a watch event takes than with client-go's
	// dynamic informer.
	EventDynamic
	// ListDynamic is the same for an object of the first list.
	ListDynamic
	// MemoryDynamic is how many times less memory is resident than with client-go's dynamic
	// informer, both over a process that reads the same and keeps nothing. It is read some time
	// after the burst, when what nobody uses is cold, as the collector leaves it.
	MemoryDynamic
)

var figures = []Figure{EventReading, EventDynamic, ListDynamic, MemoryDynamic}

var figureNames = map[Figure]string{
	EventReading:  "watch event, CPU, versus reading and dropping",
	EventDynamic:  "watch event, CPU, versus client-go dynamic",
	ListDynamic:   "first list, CPU, versus client-go dynamic",
	MemoryDynamic: "memory over an idle reader, versus client-go dynamic",
}

// String says what the figure is.
func (f Figure) String() string { return figureNames[f] }

// small is below how many bytes objects are small.
const small = 4000

// required is the limit for a collection, 0 if there is none.
func (f Figure) required(c Collection) float64 {
	switch {
	case f == EventReading && c.New:
		return 0
	case f == EventReading:
		return 3
	case f == EventDynamic && c.New: // each event is what an object of a first list is
		return 15
	case f == EventDynamic && c.Size < small:
		return 20
	case f == EventDynamic:
		return 30
	case f == ListDynamic:
		return 15
	default:
		return c.Memory
	}
}

// reached is the figure of a collection: 0 if it was not measured, infinite if the difference that
// it is made of is lost in noise.
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
	case dropped.ColdRSS <= 0 || ours.ColdRSS <= 0 || decoded.ColdRSS <= dropped.ColdRSS:
		return 0
	case ours.ColdRSS <= dropped.ColdRSS:
		return math.Inf(1)
	default:
		return (decoded.ColdRSS - dropped.ColdRSS) / (ours.ColdRSS - dropped.ColdRSS)
	}
}

// less reports whether the figure says how many times less something is, so that more is better.
func (f Figure) less() bool { return f != EventReading }

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
	return fmt.Sprintf("<= %.4gx", limit)
}

// verdict is false if the figure was not measured or nothing is required.
func (f Figure) verdict(c Collection) (Verdict, bool) {
	limit, reached := f.required(c), f.reached(c)
	if limit == 0 || reached == 0 {
		return Verdict{}, false
	}
	return Verdict{
		What: c.Name + ": " + f.String(), Required: f.limitText(limit), Reached: f.text(reached),
		Excess: f.excess(reached, limit),
		Rough:  f == EventReading && c.Size < small,
	}, true
}

// excess is how far a value is from the limit, as a ratio.
func (f Figure) excess(value, limit float64) float64 {
	if f.less() {
		return limit / value
	}
	return value / limit
}

// KindVerdicts are the verdicts on all collections.
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
