package answer

import "slices"

// Coming says whether anything comes of an event.
type Coming uint8

// What may come of an event. More is larger.
const (
	Nothing   Coming = iota // which is certain
	Perhaps                 // which depends on what is not known
	Something               // is sent, now or later, or fails
)

// Comes returns what comes of the event. If objects are missing, it is what may come.
func (a *Answer) Comes() Coming {
	if a.Select != nil && (a.Select.Result == Unknown || a.Select.Result == "failed") {
		return Something
	}
	comes := a.eventComes()
	if a.Supposed {
		comes = min(comes, Perhaps)
	}
	if a.Ends {
		comes = Something
	}
	for _, r := range a.Rules {
		if len(r.Joins) > 0 {
			comes = Something
		}
		comes = max(comes, r.comes())
	}
	if len(a.Missing) > 0 {
		return max(comes, Perhaps)
	}
	return comes
}

// eventComes is Comes for the event itself. What comes whether the object was selected before or
// not is certain.
func (a *Answer) eventComes() Coming {
	comes := a.Event.comes()
	if !a.IfSelected {
		return comes
	}
	other := a.Otherwise.comes()
	if max(comes, other) == Nothing {
		return Nothing
	}
	return max(min(comes, other), Perhaps)
}

func (e *Event) comes() Coming {
	switch {
	case e == nil:
		return Nothing
	case e.Result == "does-not-match" || e.Result == "not-wanted" || e.Result == "not-sent":
		return Nothing
	case e.Result != "matches" || e.Handler != "":
		return Something
	}
	return taken(e.Outputs)
}

func (r *Rule) comes() Coming {
	switch r.Reported {
	case None:
		return Nothing
	case OnItsWay, Unknown: // where it goes is not asked
		return Something
	case Again:
		if len(r.Outputs) == 0 {
			return Something
		}
	case IfNew, ResolvedIfAny:
		return min(taken(r.Outputs), Perhaps)
	}
	return taken(r.Outputs)
}

// Violates reports whether the object violates a rule, or that cannot be told. What an object would
// violate as long as it has no status does not count.
func (a *Answer) Violates() bool {
	return a.Op != "delete" && slices.ContainsFunc(a.Rules, func(r *Rule) bool {
		return r.Result == "violated" && !r.Bare || r.Result == Unknown
	})
}

// violatesAsBefore reports whether a rule is violated, and was before.
func (a *Answer) violatesAsBefore() bool {
	return slices.ContainsFunc(a.Rules, func(r *Rule) bool {
		return r.Result == "violated" && (r.Reported == None || r.Reported == Again)
	})
}

// taken returns what comes of a message by the outputs that get it.
func taken(outputs []*Output) (comes Coming) {
	for _, o := range outputs {
		switch {
		case o.Takes == "yes" || o.Fails:
			return Something
		case o.Takes == "perhaps":
			comes = Perhaps
		}
	}
	return comes
}

// OnlyComing leaves out the rules that report nothing, and the event if nothing comes of it.
func (a *Answer) OnlyComing() {
	out := map[*Stage]bool{}
	a.Rules = slices.DeleteFunc(a.Rules, func(r *Rule) bool {
		out[r.Stage] = r.Reported == None && len(r.Joins) == 0
		return out[r.Stage]
	})
	if a.eventComes() == Nothing {
		for _, e := range []*Event{a.Event, a.Otherwise} {
			if e != nil {
				out[e.Stage] = true
			}
		}
		a.Event, a.Otherwise = nil, nil
	}
	a.text = slices.DeleteFunc(a.text, func(e entry) bool { return out[e.stage] })
}
