package changes

import (
	"slices"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/plan"
)

// renamed returns the changes with one for a shared informer that only has another name, if that
// is the same as no other one.
func renamed(all admin.Changes, before, after *plan.Plan) admin.Changes {
	type pair struct{ was, is []int } // places in all, by what the informers are
	same := map[string]*pair{}
	for i, c := range all {
		name := "informers." + c.Name
		digest := before.Digests.Informers[name]
		if c.Action == "added" {
			digest = after.Digests.Informers[name]
		}
		p := same[digest]
		if p == nil {
			p = &pair{}
			same[digest] = p
		}
		switch c.Kind + " " + c.Action {
		case "informer added":
			p.is = append(p.is, i)
		case "informer removed":
			p.was = append(p.was, i)
		}
	}
	left, gone := slices.Clone(all), map[string]bool{}
	for _, p := range same {
		if len(p.was) == 1 && len(p.is) == 1 {
			name := all[p.is[0]].Name
			left[p.was[0]].Action, gone[name] = "is called "+name, true
		}
	}
	return slices.DeleteFunc(left, func(c admin.Change) bool {
		return c.Kind == "informer" && c.Action == "added" && gone[c.Name]
	})
}
