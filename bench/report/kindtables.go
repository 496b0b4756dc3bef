package report

import (
	"cmp"
	"fmt"
	"slices"
)

// Overall returns the table of the figures over all collections: the median, the best and the
// worst.
func Overall(all []Collection) Table {
	t := Table{Head: []string{"", "median", "best", "worst", "as required"}}
	type figureOf struct {
		value float64
		name  string
	}
	for _, f := range figures {
		var found []figureOf
		var values []float64
		passed, required := 0, 0
		for _, c := range all {
			value := f.reached(c)
			if value == 0 || f == EventReading && c.New {
				continue
			}
			found = append(found, figureOf{value, c.Name})
			values = append(values, value)
			if v, ok := f.verdict(c); ok {
				required++
				if v.Passed() {
					passed++
				}
			}
		}
		if len(found) == 0 {
			continue
		}
		slices.SortStableFunc(found, func(a, b figureOf) int {
			return cmp.Compare(a.value, b.value)
		})
		best, worst := found[0], found[len(found)-1]
		if f.less() {
			best, worst = worst, best
		}
		t.Rows = append(t.Rows, []string{
			f.String(), f.text(Median(values)), f.text(best.value) + ": " + best.name,
			f.text(worst.value) + ": " + worst.name, fmt.Sprintf("%d of %d", passed, required),
		})
	}
	return t
}

// KindFigures returns the table of each collection's figures and limits.
func KindFigures(all []Collection) Table {
	t := Table{Head: []string{"", "bytes", "event / reading", "dynamic / event", "dynamic / list",
		"dynamic / memory", "memory / JSON"}}
	for _, c := range all {
		row := []string{c.Name, fmt.Sprint(c.Size)}
		for _, f := range figures {
			row = append(row, f.cell(c))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (f Figure) cell(c Collection) string {
	v, judged := f.verdict(c)
	switch reached := f.reached(c); {
	case reached == 0:
		return unknown
	case !judged:
		return f.text(reached)
	case v.Passed():
		return v.Reached + " (" + v.Required + ")"
	default:
		return v.Reached + " (" + v.Required + "), falls short"
	}
}

// KindContenders returns the table of each contender's costs on each collection. Memory over drop
// is the resident memory after the burst, less that of the contender that drops the bytes; once
// cold is the same some time later, when unused objects are cold, with the CPU time used in
// between.
func KindContenders(all []Collection) Table {
	t := Table{Head: []string{"", "", "list CPU/object", "event CPU", "heap/object",
		"RSS over drop", "once cold", "cooling CPU/object", "allocs/object", "allocs/event"}}
	for _, c := range all {
		name := c.Name
		for _, contender := range order {
			f, measured := c.By[contender]
			if !measured {
				continue
			}
			over, cold := unknown, unknown
			if dropped := c.By[drop]; contender != drop && dropped.LoadedRSS > 0 &&
				f.LoadedRSS > 0 {
				over = Bytes(f.LoadedRSS - dropped.LoadedRSS)
				if dropped.ColdRSS > 0 && f.ColdRSS > 0 {
					cold = Bytes(f.ColdRSS - dropped.ColdRSS)
				}
			}
			t.Rows = append(t.Rows, []string{
				name, contender, Micros(f.ListCPU), Micros(f.EventCPU), Bytes(f.Heap), over, cold,
				Micros(f.CoolCPU), number(f.ListAllocs), number(f.EventAllocs),
			})
			name = ""
		}
	}
	return t
}

// order is the order of the contenders in a collection's rows.
var order = []string{drop, dynamic, typedPB, core}
