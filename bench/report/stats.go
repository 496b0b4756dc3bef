package report

import (
	"cmp"
	"slices"
)

// Median returns the middle value, or the mean of the two in the middle; the zero value if there
// are none.
func Median[T ~int64 | ~float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Percentile returns the smallest value that at least p percent of all values do not exceed (0 < p
// <= 100); the zero value if there are none.
func Percentile[T cmp.Ordered](values []T, p int) T {
	if len(values) == 0 {
		var none T
		return none
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	rank := (len(sorted)*p + 99) / 100 // rounded up
	return sorted[max(rank, 1)-1]
}
