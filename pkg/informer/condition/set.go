package condition

import (
	"slices"

	"github.com/informerd/informerd/pkg/informer/event"
)

// Set is what an expression asks of an event that can be answered without evaluating it. Its
// conditions are necessary: an event that does not fulfil them does not match. One that does is to
// be evaluated, unless they are complete.
type Set struct {
	// Ops are the ops of which an event can match; none if the expression is never true.
	Ops event.OpSet
	// List has conditions on the object and its old state. All of them must hold. Do not change
	// them.
	List []Condition
	// Complete: the expression asks nothing else. An event that fulfils the conditions matches
	// then, unless its object has a label that is not a text, or labels that are not an object,
	// which no API server sends.
	Complete bool
	// Certain: the expression never fails, whatever the object looks like, if its labels are texts.
	Certain bool
}

var (
	// EveryOp has all ops.
	EveryOp = event.OpSet(0).With(event.Add).With(event.Update).With(event.Delete).With(
		event.Resync)
	// Anything asks nothing.
	Anything = Set{Ops: EveryOp}
)

// And returns conditions of which all must hold.
func And(a, b Set) Set {
	c := Set{
		Ops: a.Ops & b.Ops, List: slices.Concat(a.List, b.List), Complete: a.Complete &&
			b.Complete,
	}
	if len(c.List) > MaxConditions {
		return c.AtMost(MaxConditions)
	}
	return c
}

// Or returns conditions for two alternatives: what they have in common, the same thing compared
// with values in both, and that one of them must hold.
func Or(a, b Set) Set {
	c := Set{Ops: a.Ops | b.Ops, Complete: a.Complete && b.Complete}
	switch {
	case a.Ops == 0: // never, but it may fail
		c.List = b.List
		return c
	case b.Ops == 0:
		c.List = a.List
		return c
	}
	for _, x := range a.List {
		for _, y := range b.List {
			if compareSame(x, y) {
				c.List = append(c.List, inEither(x, y))
				break
			}
		}
	}
	if onlyOps := len(a.List)+len(b.List) == 0; onlyOps || len(a.List) == 1 &&
		len(b.List) == 1 && len(c.List) == 1 && a.Ops == b.Ops {
		return c // that is all they say
	}
	alternatives := slices.Concat(a.alternatives(c.Ops), b.alternatives(c.Ops))
	if slices.ContainsFunc(alternatives, func(list []Condition) bool {
		return len(list) == 0
	}) {
		return c
	}
	if len(alternatives) > MaxConditions {
		c.Complete = false
		return c
	}
	c.List = append(c.List,
		Condition{Of: OfAlternatives, Either: alternatives})
	return c
}

// compareSame reports whether both conditions ask whether the same thing is one of some values.
func compareSame(x, y Condition) bool {
	return x.Test == In && y.Test == In && x.Of == y.Of && x.Key == y.Key &&
		x.Old == y.Old && x.Of != OfOp && x.Of != OfAlternatives
}

// inEither compares with the values of two conditions.
func inEither(a, b Condition) Condition {
	a.Values, a.Numbers, a.Bools = slices.Concat(a.Values, b.Values), slices.Concat(a.Numbers,
		b.Numbers), slices.Concat(a.Bools, b.Bools)
	return a
}

// alternatives are the conditions as lists of which one must hold, if the ops are among others.
func (c Set) alternatives(ops event.OpSet) [][]Condition {
	if c.Ops == 0 {
		return nil
	}
	if c.Ops == ops && len(c.List) == 1 && c.List[0].Of == OfAlternatives {
		return c.List[0].Either
	}
	list := c.List
	if c.Ops != ops {
		list = slices.Concat([]Condition{{Of: OfOp, Ops: c.Ops}}, list)
	}
	return [][]Condition{list}
}

// AtMost leaves out what exceeds n conditions, those within others included.
func (c Set) AtMost(n int) Set {
	var kept []Condition
	for _, one := range c.List {
		if size := sizeOf(one); size <= n {
			n -= size
			kept = append(kept, one)
		} else {
			c.Complete = false
		}
	}
	c.List = kept
	return c
}

func sizeOf(c Condition) int {
	n := 1 + sizeOfAll(c.Items)
	for _, list := range c.Either {
		n += sizeOfAll(list)
	}
	return n
}

func sizeOfAll(list []Condition) (n int) {
	for _, c := range list {
		n += sizeOf(c)
	}
	return n
}

// MaxConditions bounds what an informer asks of each event for one listener: what exceeds it is
// left to the filter.
const MaxConditions = 64

// AnyOf returns conditions that hold whenever those of one of several alternatives do; it leaves
// Complete and Certain false. If together they have more than limit conditions, each alternative is
// asked for its first ones only.
func AnyOf(alternatives []Set, limit int) (c Set) {
	size := 0
	for _, one := range alternatives {
		c.Ops |= one.Ops
		size += sizeOfAll(one.List)
	}
	var either [][]Condition
	for _, one := range alternatives {
		if size > limit {
			one = one.AtMost(limit / len(alternatives))
		}
		for _, list := range one.alternatives(c.Ops) {
			either = addAlternative(either, list)
		}
	}
	switch asksNothing := func(list []Condition) bool { return len(list) == 0 }; {
	case slices.ContainsFunc(either, asksNothing):
	case len(either) == 1:
		c.List = either[0]
	case len(either) > 1:
		c.List = []Condition{{Of: OfAlternatives, Either: either}}
	}
	return c
}

// addAlternative adds a list of conditions, or the values of its only one to those that the same
// field may have anyway.
func addAlternative(either [][]Condition,
	list []Condition) [][]Condition {
	if len(list) == 1 {
		for i, other := range either {
			if len(other) == 1 && compareSame(list[0], other[0]) {
				either[i] = []Condition{inEither(other[0], list[0])}
				return either
			}
		}
	}
	return append(either, list)
}

// AsOld asks the same of the state before.
func AsOld(list []Condition) []Condition {
	list = slices.Clone(list)
	for i := range list {
		c := &list[i]
		c.Old = c.Of < OfOp
		c.Items, c.Either = AsOld(c.Items), slices.Clone(c.Either)
		for j := range c.Either {
			c.Either[j] = AsOld(c.Either[j])
		}
	}
	return list
}
