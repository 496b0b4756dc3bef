package shown

import (
	"github.com/informerd/informerd/pkg/informer/condition"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Within returns the rest of conditions that must all hold, for events that have one of some
// ops: what all of these meet is left out. They may never hold.
func Within(on event.OpSet, list []condition.Condition) (left []condition.Condition, may bool) {
	for _, c := range list {
		switch c.Of {
		case condition.OfOp:
			ops := c.Ops & on
			if ops == 0 {
				return nil, false
			}
			if ops == on {
				continue
			}
			c.Ops = ops
		case condition.OfAlternatives:
			var either [][]condition.Condition
			always := false
			for _, alternative := range c.Either {
				if part, may := Within(on, alternative); may {
					always = always || len(part) == 0
					either = append(either, part)
				}
			}
			switch {
			case len(either) == 0:
				return nil, false
			case always:
				continue
			case len(either) == 1:
				left = append(left, either[0]...)
				continue
			}
			c.Either = either
		}
		left = append(left, c)
	}
	return left, true
}

// Ops returns the ops that events may have which fulfill conditions: only an update has an old
// state, so what needs something of it needs an update.
func Ops(set condition.Set) event.OpSet {
	for _, c := range set.List {
		if c.Old && needsValue(c.Test) {
			return set.Ops & onlyUpdates
		}
	}
	return set.Ops
}

// needsValue reports whether something missing fails a test.
func needsValue(test condition.Test) bool {
	switch test {
	case condition.In, condition.Exists, condition.StartsWith, condition.EndsWith,
		condition.Contains, condition.Less, condition.AtMost, condition.More, condition.AtLeast,
		condition.True, condition.Has, condition.Any:
		return true
	}
	return false
}
