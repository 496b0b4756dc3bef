package changes

import (
	"maps"
	"slices"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/plan"
)

// renaming begins the action of an informer that has another name.
const renaming = "is called "

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
			left[p.was[0]].Action, gone[name] = renaming+name, true
		}
	}
	return slices.DeleteFunc(left, func(c admin.Change) bool {
		return c.Kind == "informer" && c.Action == "added" && gone[c.Name]
	})
}

// likeness is from which ratio of lines that are the same on a part is taken for another one under
// a new name.
const likeness = 0.6

// like notes which parts of a kind that are added are like one that is removed: the one that is
// most like it. Whoever has changed a name sees what else differs.
func like(changes []Change, kind string, was, is map[string][]string) {
	gone := map[string]bool{}
	for _, c := range changes {
		if c.Kind == kind && c.Action == "removed" && len(was[c.Name]) > 0 {
			gone[c.Name] = true
		}
	}
	for i, c := range changes {
		if c.Kind != kind || c.Action != "added" {
			continue
		}
		best := likeness
		for _, name := range slices.Sorted(maps.Keys(gone)) {
			if r := difflib.NewMatcher(was[name], is[c.Name]).Ratio(); r > best {
				best, changes[i].Like = r, name
			}
		}
		if name := changes[i].Like; name != "" {
			delete(gone, name)
			changes[i].Lines = differ(was[name], is[c.Name])
		}
	}
}
