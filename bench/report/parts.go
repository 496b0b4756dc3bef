package report

import (
	"cmp"
	"fmt"
	"slices"
)

// Matched is the cost of a matching event from delivery to the written line, in microseconds, and
// the cost of writing as many bytes. See package matched.
type Matched struct {
	To           string // destination
	Bytes        int    // of a line
	Event, Write float64
	Most         float64 // required ratio; 0 if there is none
}

// Passed is what passes from a listener's full buffer to its outputs. See package throughput.
type Passed struct {
	Way         string
	Rate, Bound float64 // events a second, with a route and without one
	CPU         float64 // microseconds of an event
	Least       int     // required rate; 0 if there is none
}

// Start is the CPU of a start with many listeners, and of informerd validate, in seconds. See package
// starts.
type Start struct {
	Listeners     int
	Run, Validate float64
	Most          float64 // allowed ratio
}

// Starts returns the table of starts.
func Starts(all []Start) Table {
	t := Table{Head: []string{"listeners", "start / validate", "CPU beyond it, ms a listener"}}
	for _, s := range all {
		t.Rows = append(t.Rows, []string{fmt.Sprint(s.Listeners), ratio(s.Run / s.Validate),
			fmt.Sprintf("%.2f", (s.Run-s.Validate)*1e3/float64(s.Listeners))})
	}
	return t
}

// Delivered is how many messages a second an output delivers to a broker, what the broker's client
// reaches, and what it reaches with messages that are made before. See package brokers.
type Delivered struct {
	To                  string // broker
	Bytes               int    // of a message
	Ours, Client, Ready float64
	// Ratio to Client within a round: the median, and the extremes.
	Ratio, Lowest, Highest float64
	CPU                    float64 // ratio of a message's CPU time
	Least                  float64 // required ratio
}

// Input is a sort of input designed to be as costly as possible for the parser: its time relative
// to strict reading, which remembers nothing.
type Input struct {
	Name  string
	Ratio float64
}

// costliest returns the input with the highest ratio.
func costliest(all []Input) (worst Input) {
	for _, i := range all {
		if i.Ratio > worst.Ratio {
			worst = i
		}
	}
	return worst
}

// MatchedEvents returns the table of matching events.
func MatchedEvents(all []Matched) Table {
	t := Table{Head: []string{"written to", "bytes", "event CPU", "writing as much",
		"event / writing"}}
	for _, m := range all {
		t.Rows = append(t.Rows, []string{m.To, fmt.Sprint(m.Bytes), Micros(m.Event),
			Micros(m.Write), ratio(m.Event / m.Write)})
	}
	return t
}

// Throughputs returns the table of full buffers.
func Throughputs(all []Passed) Table {
	t := Table{Head: []string{"", "events/s", "event CPU", "filter alone, events/s"}}
	for _, p := range all {
		t.Rows = append(t.Rows, []string{p.Way, number(p.Rate), Micros(p.CPU), number(p.Bound)})
	}
	return t
}

// Deliveries returns the table of outputs to brokers.
func Deliveries(all []Delivered) Table {
	t := Table{Head: []string{"", "bytes", "output / client", "lowest", "highest",
		"CPU, output / client", "output / client, messages made before",
		"output, messages/s", "client", "client, messages made before"}}
	for _, d := range all {
		t.Rows = append(t.Rows, []string{d.To, fmt.Sprint(d.Bytes), ratio(d.Ratio),
			ratio(d.Lowest), ratio(d.Highest), ratio(d.CPU), ratio(d.Ours / d.Ready),
			number(d.Ours), number(d.Client), number(d.Ready)})
	}
	return t
}

// Inputs returns the table of costly inputs, the costliest first.
func Inputs(all []Input) Table {
	t := Table{Head: []string{"", "reading / strict reading"}}
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b Input) int {
		return cmp.Compare(b.Ratio, a.Ratio)
	})
	for _, i := range sorted {
		t.Rows = append(t.Rows, []string{i.Name, ratio(i.Ratio)})
	}
	return t
}
