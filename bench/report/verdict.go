package report

import "fmt"

// Verdict is whether one figure of the design is reached.
type Verdict struct {
	What     string
	Required string
	Reached  string
	// Excess is the ratio to the limit: up to 1 it is reached.
	Excess float64
	// Rough means that a quick run does not measure it well: the ratio to a reading time of less
	// than 1 us, and one of the ratios to reading and to client-go while the other is within its
	// limit.
	Rough bool
	// Absolute means a time or a rate, which depends on the machine and on what else it does.
	Absolute bool
}

// Passed reports whether the figure is reached.
func (v Verdict) Passed() bool { return v.Excess <= 1 }

// Results are the figures that verdicts are based on. Parts that were not measured are empty.
type Results struct {
	Main map[string]Figures // by contender
	// TLS are the same over HTTP/2 and TLS, which API servers use.
	TLS map[string]Figures
	// OneListener is the core with one listener, and ManyListeners with Further more listeners that
	// match nothing, by what their filters read.
	OneListener   Figures
	ManyListeners []FurtherListeners
	Further       int
	// Few and Many are the core with few and with many small objects.
	Few, Many Figures
	// ManyWorkloads is the core as in Main, but with pods of that many workloads instead of 50.
	ManyWorkloads Figures
	Workloads     int
	// OneInformer is the core with one informer, and ManyInformers with Informers that share the
	// same objects.
	OneInformer, ManyInformers Figures
	Informers                  int
	// Matched are matching events, by destination, Passed what full buffers are emptied to,
	// Starts those with many listeners, Delivered the outputs to brokers, and Hostile the costly inputs.
	Matched   []Matched
	Passed    []Passed
	Starts    []Start
	Delivered []Delivered
	Hostile   []Input
	// Checkpoints are what an event costs with a checkpoint, and Restart what a start takes.
	Checkpoints []CheckpointCost
	Restart     Restart
}

// FurtherListeners are listeners of one kind.
type FurtherListeners struct {
	Asking  string  // what their filters read
	Most    float64 // us of CPU allowed for each of them and each event
	Figures Figures
}

// Names of the contenders that verdicts compare.
const (
	drop, dynamic, core = "drop", "dynamic", "core"
	typedJSON, typedPB  = "typed-json", "typed-protobuf"
)

// Verdicts compares the measured figures with the design's.
func Verdicts(r Results) []Verdict {
	var all []Verdict
	ours := r.Main[core]
	atMost := func(what string, limit, reached, of float64) {
		if reached > 0 && of > 0 {
			all = append(all, Verdict{What: what, Required: fmt.Sprintf("<= %.4gx", limit),
				Reached: ratio(reached / of), Excess: reached / of / limit})
		}
	}
	less := func(what string, times, reached, than float64) {
		if reached > 0 && than > 0 {
			all = append(all, Verdict{What: what, Required: fmt.Sprintf(">= %.4gx less", times),
				Reached: ratio(than/reached) + " less", Excess: times * reached / than})
		}
	}
	absolute := func(what string, limit, reached float64, unit string) {
		v := Verdict{What: what, Required: fmt.Sprintf("<= %.4g %s", limit, unit),
			Reached: fmt.Sprintf("%.3g %s", reached, unit), Excess: reached / limit,
			Absolute: true}
		if reached <= 0 { // a difference of two measurements
			v.Reached, v.Excess = "lost in noise", 0
		}
		all = append(all, v)
	}
	growth := func(what string, many, few Figures) {
		atMost("CPU per event with "+what, 1.2, many.EventCPU, few.EventCPU)
	}
	// One time of ours is compared with two of others. Where it is within the limit relative to one,
	// what is off is the other's time, which is another one from machine to machine.
	compared := func(what, over string, most, times, ours, dropped, decoded float64) {
		atMost(what+", CPU, versus reading and dropping"+over, most, ours, dropped)
		less(what+", CPU, versus client-go dynamic"+over, times, ours, decoded)
		if ours > 0 && dropped > 0 && decoded > 0 {
			reading, decoding := &all[len(all)-2], &all[len(all)-1]
			reading.Rough, decoding.Rough = decoding.Passed(), reading.Passed()
		}
	}
	cpu := func(over string, by map[string]Figures) {
		ours, dropped, decoded := by[core], by[drop], by[dynamic]
		compared("watch event", over, 2, 40, ours.EventCPU, dropped.EventCPU, decoded.EventCPU)
		compared("initial list", over, 3, 35, ours.ListCPU, dropped.ListCPU, decoded.ListCPU)
	}
	cpu("", r.Main)
	cpu(", over HTTP/2 and TLS", r.TLS)
	decoded := r.Main[dynamic]
	less("heap per cached object, versus client-go dynamic", 30, ours.Heap, decoded.Heap)
	less("heap per cached object, versus client-go typed", 9, ours.Heap,
		least(r.Main, func(f Figures) float64 { return f.Heap }))
	atMost("peak RSS of the first list, versus the steady RSS", 1.3, ours.PeakRSS, ours.SteadyRSS)
	for _, many := range r.ManyListeners {
		if many.Figures.EventCPU > 0 && r.OneListener.EventCPU > 0 {
			further := (many.Figures.EventCPU - r.OneListener.EventCPU) / float64(r.Further)
			absolute("a further listener that does not match, asking for "+many.Asking+
				", CPU per event", many.Most, further, "us")
		}
	}
	growth(fmt.Sprintf("%d objects, versus %d", r.Many.Objects, r.Few.Objects), r.Many, r.Few)
	growth(fmt.Sprintf("%d workloads, versus 50", r.Workloads), r.ManyWorkloads, ours)
	growth(fmt.Sprintf("%d informers, versus 1", r.Informers), r.ManyInformers, r.OneInformer)
	atMost("API server write to handler, p99, versus client-go typed", 1, float64(ours.P99),
		least(r.Main, func(f Figures) float64 { return float64(f.P99) }))
	atMost("a single event, CPU without idle CPU, versus reading and dropping", 2,
		ours.SingleCPU, r.Main[drop].SingleCPU)
	if ours.SingleP99 > 0 {
		absolute("a single event, write to handler, 99 of 100", 1, ours.SingleP99.Seconds()*1e3,
			"ms")
	}
	for _, m := range r.Matched {
		if m.Most > 0 {
			atMost("a matching event, CPU, versus writing the same bytes to a "+m.To, m.Most,
				m.Event, m.Write)
		}
	}
	for _, p := range r.Passed {
		if p.Rate > 0 && p.Least > 0 {
			all = append(all, Verdict{
				What:     "events/s from a full buffer, " + p.Way,
				Required: fmt.Sprintf(">= %d", p.Least), Reached: number(p.Rate),
				Excess: float64(p.Least) / p.Rate, Absolute: true})
		}
	}
	for _, s := range r.Starts {
		atMost(fmt.Sprintf("a start with %d listeners, CPU, versus validate", s.Listeners), s.Most,
			s.Run, s.Validate)
	}
	for _, d := range r.Delivered {
		if d.Ratio > 0 {
			all = append(all, Verdict{
				What:     "messages/s to " + d.To + ", versus its client with the same events",
				Required: fmt.Sprintf(">= %.4gx", d.Least), Reached: ratio(d.Ratio),
				Excess: d.Least / d.Ratio})
		}
	}
	for _, c := range r.Checkpoints {
		absolute("an event with a checkpoint, further CPU, "+c.who(), 10, c.more(), "us")
		atMost("an event with a checkpoint, CPU, versus without, "+c.who(), 1.5, c.With.EventCPU,
			c.Without.EventCPU)
		atMost("API server write to output, p99, with a checkpoint, versus without, "+c.who(), 1.2,
			float64(c.With.P99), float64(c.Without.P99))
	}
	atMost("start to first event with a checkpoint, versus with a list", 1,
		float64(r.Restart.Resumed.First), float64(r.Restart.List.First))
	atMost("the costliest input, versus strict reading", 1.5,
		costliest(r.Hostile).Ratio, 1)
	return all
}

// least returns the better figure of client-go's typed informers, 0 if there is none.
func least(main map[string]Figures, of func(Figures) float64) float64 {
	best := 0.0
	for _, name := range []string{typedJSON, typedPB} {
		if value := of(main[name]); value > 0 && (best == 0 || value < best) {
			best = value
		}
	}
	return best
}

func ratio(r float64) string { return number(r, "x") }

// VerdictTable returns the table of verdicts. Absolute ones are marked.
func VerdictTable(all []Verdict) Table {
	t := Table{Head: []string{"", "required", "reached", "verdict"}}
	for _, v := range all {
		verdict := "pass"
		if !v.Passed() {
			verdict = "falls short"
		}
		if v.Absolute {
			verdict += " (absolute)"
		}
		t.Rows = append(t.Rows, []string{v.What, v.Required, v.Reached, verdict})
	}
	return t
}
