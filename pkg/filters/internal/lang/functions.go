package lang

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// OwnSignatures are the types of informerd's own functions, as users call them. What may be
// nil is any.
var OwnSignatures = map[string][]any{
	"changed":    {func(path string, more ...string) bool { return false }},
	"became":     {func(condition bool) bool { return false }},
	"label":      {func(key string) any { return nil }},
	"annotation": {func(key string) any { return nil }},
	"owner":      {func(kind string) any { return nil }},
	"condition":  {func(kind string) any { return nil }},
	"cached":     {func(informer, namespace, name string) any { return nil }},
	"clusters":   {func(informer, namespace, name string) any { return nil }},
	"byIndex": {func(informer, index, value string) any {
		return nil
	}, func(informer, index, value, namespace string) any { return nil }},
	"quantity": {func(x any) any { return nil }},
	"duration": {func(x time.Duration) any { return nil }, func(x string) any { return nil }},
	"age": {func() any { return nil }, func(since time.Time) any {
		return nil
	}, func(since string) any { return nil }},
	"semver": {func(x string) any { return nil }},
	"ip":     {func(x string) any { return nil }},
	"cidr":   {func(x string) any { return nil }},
	"image":  {func(reference string) any { return nil }},
	"glob":   {func(pattern, text string) bool { return false }},
}

// ownFunctions are the names of informerd's own functions, sorted.
var ownFunctions = func() []string {
	var names []string
	for name := range OwnSignatures {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}()

// Variables are the names of the variables.
var Variables = []string{"op", "object", "old", "initial", "missed", "resumed", "cluster",
	"listener"}

// Predicates are the functions that evaluate an expression for each item of a list.
var Predicates = []string{
	"all", "any", "none", "one", "filter", "map", "count", "sum", "find", "findIndex", "findLast",
	"findLastIndex",
}

// arity is how many arguments a function takes.
type arity struct{ Min, Max int }

// PlainFunctions are the functions of expr that take plain values. Functions that read the
// clock, or make much out of little (repeat, replace, join, split, flatten, …), are not
// among them.
var PlainFunctions = map[string]arity{
	"len": {1, 1}, "first": {1, 1}, "last": {1, 1}, "keys": {1, 1}, "values": {1, 1},
	"lower": {1, 1}, "upper": {1, 1}, "trim": {1, 2}, "trimPrefix": {2, 2}, "trimSuffix": {2, 2},
	"hasPrefix": {2, 2}, "hasSuffix": {2, 2}, "indexOf": {2, 2}, "lastIndexOf": {2, 2},
	"int": {1, 1}, "float": {1, 1}, "string": {1, 1},
	"abs": {1, 1}, "ceil": {1, 1}, "floor": {1, 1}, "round": {1, 1}, "min": {1, 100}, "max": {
		1, 100},
	"date": {1, 2},
}

// Functions returns the names of all functions that an expression may call, sorted.
func Functions() []string {
	names := slices.Concat(ownFunctions, Predicates, slices.Collect(maps.Keys(PlainFunctions)))
	slices.Sort(names)
	return names
}

// IsAllowed reports whether an expression may call a function of expr.
func IsAllowed(name string) bool {
	_, plain := PlainFunctions[name]
	return plain || slices.Contains(Predicates, name)
}

func (a arity) String() string {
	switch {
	case a.Min == a.Max && a.Min == 1:
		return "1 argument"
	case a.Min == a.Max:
		return fmt.Sprintf("%d arguments", a.Min)
	default:
		return fmt.Sprintf("%d to %d arguments", a.Min, a.Max)
	}
}
