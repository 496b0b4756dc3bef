package shown

import "github.com/informerd/informerd/pkg/informer/event"

// OfUpdates begins each text of Moves, and OfFilter what is in front of it next to rules.
const (
	OfUpdates = "an update that "
	OfFilter  = "for the filter, "
)

// Moves says what becomes of the updates by which an object enters or leaves what a select selects,
// for a listener that wants these ops; "" if it wants none of them.
func Moves(wanted event.OpSet) string {
	const enters = OfUpdates + "enters the set comes as an add"
	const leaves = OfUpdates + "leaves the set comes as a delete"
	adds, updates, deletes := wanted.Has(event.Add), wanted.Has(event.Update),
		wanted.Has(event.Delete)
	text := ""
	switch {
	case adds && deletes:
		text = enters + ", one that leaves it as a delete"
	case adds && updates:
		return enters + "; one that leaves it is dropped"
	case adds:
		text = enters
	case deletes && updates:
		return leaves + "; one that enters it is dropped"
	case deletes:
		text = leaves
	case updates:
		return OfUpdates + "enters or leaves the set is dropped"
	default:
		return ""
	}
	if !updates {
		text += "; others are dropped"
	}
	return text
}
