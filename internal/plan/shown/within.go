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
