package author

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// figures are the measurements of a module, per event unless noted otherwise.
type figures struct {
	File     string             `json:"file"`
	Measured int                `json:"events"`
	Median   float64            `json:"medianNs"`
	Best     float64            `json:"minNs"`
	P99      float64            `json:"p99Ns"`
	Rate     float64            `json:"eventsPerSecond"` // on one core, by the median
	Fuel     float64            `json:"fuel"`
	Calls    map[string]float64 `json:"calls"`
	Allocs   float64            `json:"hostAllocations"`
	Bytes    float64            `json:"hostBytes"`
	Memory   int64              `json:"memory"` // of an instance, at most
	Load     float64            `json:"loadNs"`
	Compile  float64            `json:"compileNs"` // the part of loading before the start
	Start    float64            `json:"startNs"`   // of an instance
	Verdicts map[string]int     `json:"verdicts"`  // of the events, each once
	// Noise is the spread of the rounds' medians, as a part of the least.
	Noise float64  `json:"noise"`
	Noisy []string `json:"noisy,omitempty"`
}

// quantile returns the least value that a part of all does not exceed. It sorts them.
func quantile(times []time.Duration, part float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[max(0, int(math.Ceil(part*float64(len(times))))-1)]
}

func (b *bench) figures() figures {
	n := float64(max(1, len(b.times)))
	looked := float64(max(1, b.looked))
	f := figures{
		File: b.path, Measured: len(b.times), Median: float64(quantile(b.times, 0.5)),
		Best: float64(quantile(b.times, 0)),
		P99:  float64(quantile(b.times, 0.99)), Fuel: float64(b.fuel) / looked,
		Calls:  map[string]float64{},
		Allocs: float64(b.mallocs) / n, Bytes: float64(b.bytes) / n, Memory: b.used.Memory,
		Load: float64(b.load), Start: float64(b.start), Compile: float64(max(0, b.load-b.start)),
		Verdicts: b.verdicts,
	}
	if f.Median > 0 {
		f.Rate = float64(time.Second) / f.Median
	}
	for function, calls := range b.used.Calls {
		f.Calls[callName(function)] = float64(calls) / looked
	}
	f.noise(b.medians)
	return f
}

// Beyond these bounds a figure depends more on the machine than on the module.
const (
	maxNoise     = 0.2
	fewEvents    = 100
	shortestTime = 500 // ns; reading the clock takes up to 50
)

func (f *figures) noise(medians []time.Duration) {
	if len(medians) > 1 {
		if least := slices.Min(medians); least > 0 {
			f.Noise = float64(slices.Max(medians)-least) / float64(least)
		}
	}
	if f.Noise > maxNoise {
		f.Noisy = append(f.Noisy,
			fmt.Sprintf("the medians of %d rounds lie %.0f%% apart: compare nothing that is closer than that, or measure "+
				"longer on a quiet machine", len(medians), 100*f.Noise))
	}
	if f.Measured < fewEvents {
		f.Noisy = append(f.Noisy, fmt.Sprintf("%s is too few for a median and a p99",
			count(f.Measured, "event")))
	}
	if f.Median < shortestTime {
		f.Noisy = append(f.Noisy,
			"an event takes little more than reading the clock, which is in the figure")
	}
}

func writeBenches(benches []*bench, asJSON bool, w io.Writer) error {
	var all []figures
	p := &page{w: w}
	for _, b := range benches {
		f := b.figures()
		all = append(all, f)
		if asJSON {
			if err := writeJSON(w, f); err != nil {
				return err
			}
			continue
		}
		f.show(p)
	}
	if !asJSON && len(all) == 2 {
		compare(all[0], all[1], p)
	}
	return p.err
}

func (f figures) show(p *page) {
	p.line("%s: %s measured", printable(f.File), count(f.Measured, "event"))
	p.row("time", fmt.Sprintf("%s an event (median), %s at best, %s p99", nanos(f.Median),
		nanos(f.Best), nanos(f.P99)))
	p.row("rate", fmt.Sprintf("%s events/s on one core", number(int64(f.Rate))))
	p.row("fuel", each(f.Fuel)+" an event")
	var sum float64
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f.Calls)) {
		sum += f.Calls[name]
		parts = append(parts, name+" "+each(f.Calls[name]))
	}
	calls := each(sum) + " of the host an event"
	if len(parts) > 0 {
		calls += ": " + strings.Join(parts, ", ")
	}
	p.row("calls", calls)
	p.row("garbage", fmt.Sprintf("%s allocations in the host an event, %s bytes", each(f.Allocs),
		each(f.Bytes)))
	p.row("memory", size(f.Memory)+" an instance")
	p.row("load", fmt.Sprintf("%s, of which %s to check and compile; %s for each further instance",
		nanos(f.Load), nanos(f.Compile), nanos(f.Start)))
	p.row("verdicts", tally(f.Verdicts, 0))
	for _, why := range f.Noisy {
		p.row("noise", why)
	}
}

// each returns an average as text.
func each(f float64) string {
	if f == math.Trunc(f) || f >= 1000 {
		return number(int64(math.Round(f)))
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
}

func nanos(f float64) string { return took(time.Duration(f)) }

// compare writes the second figures as multiples of the first.
func compare(a, b figures, p *page) {
	p.line("%s as a multiple of %s:", printable(b.File), printable(a.File))
	noise := max(a.Noise, b.Noise)
	for _, row := range []struct {
		name string
		a, b float64
		time bool
	}{
		{"time", a.Median, b.Median, true}, {"best time", a.Best, b.Best, true}, {
			"p99", a.P99, b.P99, true},
		{"fuel", a.Fuel, b.Fuel, false}, {"garbage", a.Bytes, b.Bytes, false}, {
			"memory", float64(a.Memory), float64(b.Memory), false},
		{"load", a.Load, b.Load, true},
	} {
		switch {
		case row.a == 0 && row.b == 0:
			p.row(row.name, "none in either")
		case row.a == 0:
			p.row(row.name, "none in the first")
		default:
			ratio := row.b / row.a
			note := ""
			if row.time && math.Abs(ratio-1) <= noise {
				note = fmt.Sprintf("  (within the noise of %.0f%%)", 100*noise)
			}
			p.row(row.name, fmt.Sprintf("%.3gx%s", ratio, note))
		}
	}
}
