package filters

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/condition"
)

// AnyOf returns conditions that hold whenever those of one of several alternatives do; it leaves
// Complete and Certain false. If together they have more than most conditions, each alternative is
// asked for its first ones only.
func AnyOf(alternatives []Conditions, most int) (c Conditions) {
	size := 0
	for _, one := range alternatives {
		c.Ops |= one.Ops
		size += sizeOfAll(one.Object)
	}
	var either [][]condition.Condition
	for _, one := range alternatives {
		if size > most {
			one = one.atMost(most / len(alternatives))
		}
		for _, list := range one.alternatives(c.Ops) {
			either = addAlternative(either, list)
		}
	}
	switch asksNothing := func(list []condition.Condition) bool { return len(list) == 0 }; {
	case slices.ContainsFunc(either, asksNothing):
	case len(either) == 1:
		c.Object = either[0]
	case len(either) > 1:
		c.Object = []condition.Condition{{Of: condition.OfAlternatives, Either: either}}
	}
	return c
}

// addAlternative adds a list of conditions, or the values of its only one to those that the same
// field may have anyway.
func addAlternative(either [][]condition.Condition,
	list []condition.Condition) [][]condition.Condition {
	if len(list) == 1 {
		for i, other := range either {
			if len(other) == 1 && compareSame(list[0], other[0]) {
				either[i] = []condition.Condition{inEither(other[0], list[0])}
				return either
			}
		}
	}
	return append(either, list)
}
