package report

import (
	"cmp"
	"fmt"
	"slices"
)

// Matched is what an event that matches costs from delivery to the line that is written, in
// microseconds, and what writing as many bytes costs. What is measured how: package matched.
type Matched struct {
	To           string // what is written to
	Bytes        int    // of a line
	Event, Write float64
	Most         float64 // how many times as much is required; 0 if nothing is
}

// Input is a sort of input that is made to cost the parser as much as can be: how many times as
// long it takes as strict reading, which remembers nothing.
type Input struct {
	Name  string
	Ratio float64
}

// costliest returns the input that takes longest.
func costliest(all []Input) (worst Input) {
	for _, i := range all {
		if i.Ratio > worst.Ratio {
			worst = i
		}
	}
	return worst
}

// MatchedEvents is the table of events that match.
func MatchedEvents(all []Matched) Table {
	t := Table{Head: []string{"written to", "bytes", "event CPU", "writing as much",
		"event / writing"}}
	for _, m := range all {
		t.Rows = append(t.Rows, []string{m.To, fmt.Sprint(m.Bytes), Micros(m.Event),
			Micros(m.Write), ratio(m.Event / m.Write)})
	}
	return t
}

// Inputs is the table of input that is made to cost much, the costliest first.
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
