package changes

import (
	"slices"
	"strings"

	"github.com/informerd/informerd/internal/admin"
	"github.com/informerd/informerd/internal/plan"
)

// consequences says what becomes of what there is, as docs/outputs.md#reload and docs/filters.md
// have it. Of a listener that was changed, before and after are its plans.
func consequences(c admin.Change, before, after *plan.Listener) []string {
	switch c.Kind + " " + c.Action {
	case "listener added":
		return []string{"each object that is there comes as an add, with initial"}
	case "listener removed":
		return []string{"it finishes what it has"}
	case "listener restarted":
		return []string{"the old one finishes what it has; then each object of the new resource comes as an add, with initial"}
	case "output changed":
		return []string{"what waits for it is sent to the new one"}
	case "output removed":
		return []string{"what waits for it becomes dead letters"}
	case "listener changed":
		return ofListener(c.Fields, before, after)
	}
	return nil
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
		"it remembers of each object whether it is selected, about 100 bytes each, and all is decided behind its buffer until informerd restarts")
	was, is := rulesOf(before), rulesOf(after)
	added, gone := without(is, was), without(was, is)
	add(changed("rules") && len(added) < len(is),
		"rules of the same name keep their state, and judge an object at its next event, by what they are then")
	add(len(added) > 0, "new, and judges an object at its next event: "+strings.Join(added, ", "))
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
