package handlers

import (
	"fmt"

	"github.com/informerd/informerd/bench/report"
)

// Table returns results as a Markdown table. It also has the ratio of each to informerd with the
// same guest; for native and Extism, to informerd with the guest in C.
func Table(results []Result) string {
	ours := map[string]Result{}
	for _, r := range results {
		if r.Host == informerdName {
			ours[r.Guest] = r
		}
	}
	table := report.Table{Head: []string{"", "versus informerd", "CPU a call", "calls/s",
		"allocations", "bytes"}}
	for _, r := range results {
		own, ok := ours[r.Guest]
		if !ok {
			own = ours[cGuest]
		}
		beside := "-"
		if own.Time > 0 {
			beside = fmt.Sprintf("%.2fx", float64(r.Time)/float64(own.Time))
		}
		table.Rows = append(table.Rows,
			[]string{r.Name(), beside, report.Micros(float64(r.Time) / 1000),
				fmt.Sprintf("%.0f", r.CallsPerSecond()), fmt.Sprintf("%.0f", r.Allocs),
				fmt.Sprintf("%.0f", r.Bytes)})
	}
	return table.String()
}
