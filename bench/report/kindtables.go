package report

import (
	"cmp"
	"fmt"
	"slices"
)

// Overall is the table that says how informerd does over all collections: not the best, but the
// median, and which are the best and the worst.
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

// KindFigures is the table of what is required of each collection, and whether it is reached.
func KindFigures(all []Collection) Table {
	t := Table{Head: []string{"", "bytes", "event / reading", "dynamic / event", "dynamic / list",
		"dynamic / memory"}}
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

// KindContenders is the table of what each contender takes on each collection. Memory over drop is
// what is resident after the burst, less what is for the one that drops the bytes; and some time
// later, once what nobody uses is cold, with the CPU time that was used in between.
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

// order is that of the contenders in a collection's rows.
var order = []string{drop, dynamic, typedPB, core}
