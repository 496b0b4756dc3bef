package reach

import (
	"slices"

	"github.com/informerd/informerd/internal/sink/cloudevent"
	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Report is what is known of reports of a rule.
type Report struct {
	Rule     string
	Severity string // "" if it is not known
	End      bool   // of a violation
	// Open: the object need not be what the listener selects now.
	Open bool
	// Rescan: it is about an object that nothing happens to.
	Rescan bool
}

// Taking is whether an output takes messages.
type Taking int

const (
	Unsure Taking = iota
	None
	All
)

// Takings are of reports of the same, by what causes them.
type Takings []Taking

// Of returns what is so whatever causes them.
func (t Takings) Of() Taking {
	for _, one := range t {
		if one != t[0] {
			return Unsure
		}
	}
	return t[0]
}

// Miss reports whether none are taken of which others may be.
func (t Takings) Miss(others Takings) bool {
	for i, one := range t {
		if one == None && others[i] != None {
			return true
		}
	}
	return false
}

// Takes returns whether an output with this when, nil for none, takes reports of a listener.
func Takes(s Sender, when *filters.Filter, r Report) (all Takings) {
	facts := slices.Concat(s.Facts.Always, s.Facts.Denies[r.Rule])
	if r.Open || r.End {
		facts = slices.Concat(facts, lasting(s.Facts.Scope))
	} else {
		facts = slices.Concat(facts, s.Facts.Scope, s.Facts.Select)
	}
	ops := opsOfReports
	switch {
	case r.Rescan:
		ops = []string{""}
	case r.End:
		ops = opsOfEnds
	}
	worlds := worldsOf(0, facts)
	for _, op := range ops {
		known := map[string]any{"rule": r.Rule, "op": op, "violated": !r.End,
			"type": cloudevent.Violated}
		if r.End {
			known["type"] = cloudevent.Resolved
		}
		if op != event.Update.String() {
			known["old"] = nil
		}
		if r.Severity != "" {
			known["severity"] = r.Severity
		}
		all = append(all, taking(when, s, known, worlds))
	}
	return all
}
