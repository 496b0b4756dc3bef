package changes

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/plan"
	"github.com/informerd/informerd/internal/plan/shown"
	"github.com/informerd/informerd/pkg/informer/event"
)

// consequences says what becomes of what there is, as docs/outputs.md#reload and docs/filters.md
// have it. Of a listener that was changed, before and after are its plans.
func consequences(c admin.Change, before, after *plan.Listener) []string {
	switch c.Kind + " " + c.Action {
	case "listener added":
		return []string{begins(after)}
	case "listener removed":
		return []string{"it finishes what it has"}
	case "listener restarted":
		return []string{"the old one finishes what it has; then of the new resource: " + begins(after)}
	case "output changed":
		return []string{"what waits for it is sent to the new one"}
	case "output removed":
		return []string{"what waits for it becomes dead letters"}
	case "listener changed":
		return ofListener(c.Fields, before, after)
	}
	return nil
}

// begins says what a listener gets of the objects that are there.
func begins(l *plan.Listener) string {
	_, adds := shown.Within(event.OpSet(0).With(event.Add), l.Before.Conditions)
	switch {
	case l.Before.Never:
		return "no event can match"
	case l.Quiet:
		return "each object that is there is judged"
	case adds && l.Before.On.Has(event.Add) && l.Config.Ops().Has(event.Add):
		return "each object that is there comes as an add, with initial"
	case len(l.Config.Rules) > 0:
		return "each object that is there is judged, and events begin with what happens then"
	}
	return "nothing of the objects that are there; events begin with what happens then"
}

func ofListener(fields []string, before, after *plan.Listener) []string {
	all := []string{"what waits in it stays"}
	add := func(is bool, text string) {
		if is {
			all = append(all, text)
		}
	}
	changed := func(field string) bool { return slices.Contains(fields, field) }
	add(changed("informer"),
		"an object that enters the new scope comes as an add, one that leaves it as a delete")
	add(changed("select"),
		"an object that is selected now comes as an add at once, one that is not any more as a delete")
	add(changed("select"),
		"it remembers of each object whether it is selected, about 100 bytes each, and all is decided behind its buffer until informerd restarts")
	was, is := rulesOf(before), rulesOf(after)
	added, gone := without(is, was), without(was, is)
	add(len(is) > 0 && (changed("rules") || changed("select") || changed("informers")),
		"each object is judged again at once: what violates a rule is reported unless it was, what does not any more is resolved")
	add(len(added) > 0, "new: "+strings.Join(added, ", "))
	add(len(gone) > 0, "gone, and its violations end: "+strings.Join(gone, ", "))
	add(changed("filter"), "the new filter decides from the next event of an object on")
	add(changed("handler"), "the new handler gets the events from the next one on")
	added = without(after.Config.Outputs, before.Config.Outputs)
	gone = without(before.Config.Outputs, after.Config.Outputs)
	add(len(added) > 0 && len(is) > 0,
		"gets the violations that are open: "+strings.Join(added, ", "))
	add(len(gone) > 0,
		"not an output of it any more, and what waits for it becomes dead letters: "+
			strings.Join(gone, ", "))
	return all
}

func rulesOf(l *plan.Listener) (names []string) {
	for _, r := range l.Config.Rules {
		names = append(names, "rule "+r.Name)
	}
	return names
}

// without returns the names that the others do not have.
func without(names, others []string) (left []string) {
	for _, name := range names {
		if !slices.Contains(others, name) {
			left = append(left, name)
		}
	}
	return left
}
