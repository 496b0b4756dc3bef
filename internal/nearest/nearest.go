// Package nearest finds the known names that somebody may have meant by a name that is not known.
//
// What is promised: a name is near if few characters must be added, removed, changed or swapped to
// get to it (one for short names, up to a third of longer ones), whatever their case. Nearest come
// first, then in alphabetical order. The cost is bounded: names longer than 128 bytes are near to
// nothing.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

const maxLength = 128

// Name returns the known name nearest to name, false if none is near.
func Name(name string, known []string) (string, bool) {
	names := names(name, known, 1)
	if len(names) == 0 {
		return "", false
	}
	return names[0], true
}

// names returns up to limit known names that are near to name.
func names(name string, known []string, limit int) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, k := range known {
		if d, ok := Distance(name, k); ok {
			near = append(near, candidate{k, d})
		}
	}
	slices.SortFunc(near, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.name, b.name))
	})
	near = slices.Compact(near)
	names := make([]string, min(limit, len(near)))
	for i := range names {
		names[i] = near[i].name
	}
	return names
}

// Distance returns how many characters differ between the names, false if the names are not near.
func Distance(name, known string) (int, bool) {
	if name == "" || known == "" || len(name) > maxLength || len(known) > maxLength {
		return 0, false
	}
	a, b := []rune(strings.ToLower(name)), []rune(strings.ToLower(known))
	allowed := max(1, min(len(a), len(b))/3)
	if max(len(a), len(b))-min(len(a), len(b)) > allowed {
		return 0, false
	}
	d := edits(a, b)
	// A single character has nothing in common with another one.
	return d, d <= allowed && d < max(len(a), len(b))
}

// edits is the optimal string alignment distance: additions, removals, changes and swaps of
// neighbours.
func edits(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(last[j]+1, row[j-1]+1, change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
