package filters

import (
	"fmt"
	"slices"
	"sort"
)

// The variables, with expr's types below in checkConfig.
var variables = []string{"op", "object", "old", "initial", "missed", "cluster", "listener"}

// predicates are the functions that run an expression per item of a list.
var predicates = []string{
	"all", "any", "none", "one", "filter", "map", "count", "sum", "find", "findIndex", "findLast",
	"findLastIndex",
}

// arity is how many arguments a function takes.
type arity struct{ min, max int }

// plainFunctions are expr's functions that an expression may call with plain values. What reads the
// clock or can make much out of little (repeat, replace, join, split, flatten, …) is not among
// them.
var plainFunctions = map[string]arity{
	"len": {1, 1}, "first": {1, 1}, "last": {1, 1}, "keys": {1, 1}, "values": {1, 1},
	"lower": {1, 1}, "upper": {1, 1}, "trim": {1, 2}, "trimPrefix": {2, 2}, "trimSuffix": {2, 2},
	"hasPrefix": {2, 2}, "hasSuffix": {2, 2}, "indexOf": {2, 2}, "lastIndexOf": {2, 2},
	"int": {1, 1}, "float": {1, 1}, "string": {1, 1},
	"abs": {1, 1}, "ceil": {1, 1}, "floor": {1, 1}, "round": {1, 1}, "min": {1, 100}, "max": {
		1, 100},
	"date": {1, 2},
}

// Functions lists the names of all functions an expression may call, sorted.
func Functions() []string {
	names := append(slices.Clone(ownFunctions), predicates...)
	for name := range plainFunctions {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func isAllowed(name string) bool {
	_, plain := plainFunctions[name]
	return plain || slices.Contains(predicates, name)
}

// nearest gives the candidate that is fewest edits away, "" if none is near.
func nearest(name string, candidates []string) string {
	if len(name) > 40 {
		return ""
	}
	best, distance := "", 1+max(1, len([]rune(name))/3)
	for _, c := range candidates {
		if d := edits(name, c); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// edits counts the insertions, deletions, substitutions and swaps of neighbours that make b of a.
func edits(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}

func (a arity) String() string {
	switch {
	case a.min == a.max && a.min == 1:
		return "1 argument"
	case a.min == a.max:
		return fmt.Sprintf("%d arguments", a.min)
	default:
		return fmt.Sprintf("%d to %d arguments", a.min, a.max)
	}
}
