package plan

import (
	"time"

	"github.com/informerd/informerd/internal/plan/ages"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/object"
)

// turns says when the answer of a state's expression turns to another one by itself, if that is
// found. It returns in how long that is, "" if it says nothing.
func (x *explained) turns(f *filters.Filter, is filters.Explanation, o *object.Object) string {
	after, to, ok := ages.Turn(f, is, x.at, func(later *filters.Filter) filters.Explanation {
		return later.Explain(stateOf(o), x.caches)
	})
	if !ok {
		return ""
	}
	long := ages.Words(after)
	x.Say("If nothing but the time changes, this is %t from %s on, in %s.", to,
		x.at.Add(after).UTC().Format(time.RFC3339), long)
	return long
}
