package report

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Table is a Markdown table, aligned so that it can be read as plain text, too. The first column is
// left-aligned, the others are right-aligned.
type Table struct {
	Head []string
	Rows [][]string
}

// String returns the table, ending with a line break.
func (t Table) String() string {
	widths := make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell), 2)
		}
	}
	var b strings.Builder
	line := func(row []string) {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				cell += pad
			} else {
				cell = pad + cell
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Head)
	for i, width := range widths {
		if i == 0 {
			b.WriteString("|" + strings.Repeat("-", width+2))
		} else {
			b.WriteString("|" + strings.Repeat("-", width+1) + ":")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}

// Contenders returns the table of all figures, one row per contender.
func Contenders(all []Figures) Table {
	t := Table{Head: []string{
		"", "list CPU/object", "event CPU", "list wall", "burst wall", "heap/object", "RSS/object",
		"peak RSS", "steady RSS",
		"allocs/object", "allocs/event", "latency p50", "p99",
	}}
	for _, f := range all {
		t.Rows = append(t.Rows, []string{
			f.Contender, Micros(f.ListCPU), Micros(f.EventCPU), duration(f.ListWall),
			duration(f.EventWall),
			Bytes(f.Heap), Bytes(f.Resident), Bytes(f.PeakRSS), Bytes(f.SteadyRSS),
			number(f.ListAllocs), number(f.EventAllocs),
			duration(f.P50), duration(f.P99),
		})
	}
	return t
}

// Singles returns the table of single events, for the contenders that had any.
func Singles(all []Figures) Table {
	t := Table{Head: []string{"", "event CPU", "idle CPU/s", "seen after", "99 of 100 within"}}
	for _, f := range all {
		if f.IdleCPU > 0 || f.SingleCPU > 0 {
			t.Rows = append(t.Rows, []string{f.Contender, Micros(f.SingleCPU), Micros(f.IdleCPU),
				duration(f.SingleP50), duration(f.SingleP99)})
		}
	}
	return t
}

const unknown = "-"

// Micros formats microseconds.
func Micros(us float64) string { return number(us, " us") }

// Bytes formats a size with decimal units.
func Bytes(n float64) string {
	switch {
	case n >= 10e6:
		return number(n/1e6, " MB")
	case n >= 1e3:
		return number(n/1e3, " KB")
	default:
		return number(n, " B")
	}
}

func duration(d time.Duration) string {
	switch {
	case d >= time.Second:
		return number(d.Seconds(), " s")
	case d >= time.Millisecond:
		return number(float64(d)/1e6, " ms")
	default:
		return number(float64(d)/1e3, " us")
	}
}

// number formats three digits or so, and a dash for zero: nothing that is measured is free.
func number(n float64, unit ...string) string {
	text := ""
	switch abs := max(n, -n); {
	case n == 0:
		return unknown
	case abs >= 100:
		text = fmt.Sprintf("%.0f", n)
	case abs >= 10:
		text = fmt.Sprintf("%.1f", n)
	default:
		text = fmt.Sprintf("%.2f", n)
	}
	return text + strings.Join(unit, "")
}
