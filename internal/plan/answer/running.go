package answer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/informerd/informerd/internal/config"
	"github.com/informerd/informerd/internal/plan/memory"
	"github.com/informerd/informerd/pkg/informer/event"
)

// Remember notes what a running listener knows of an object by its rules, or by those of some
// names.
func (a *Answer) Remember(all memory.Rules, only []string, now time.Time) {
	all = all.Only(only)
	switch {
	case len(all) == 0 && len(only) == 1:
		a.NoteQuietly("now no violation of rule " + only[0] + " is open, as far as the listener has seen the object.")
	case len(all) == 0 && len(only) > 1:
		a.NoteQuietly("now no violation of these rules is open, as far as the listener has seen the object.")
	case len(all) == 0:
		a.NoteQuietly("now the object violates no rule, as far as the listener has seen it.")
	}
	for _, m := range all {
		a.Note(m.Noted(now))
	}
}

// Asked is what a running informerd was asked about, as it is here.
type Asked struct {
	Digest string   // of the listener's configuration
	UID    string   // of the object
	Rules  bool     // the listener has rules
	Only   []string // the names of those that are asked about; none: all
	// Restart are the settings for which a reload refuses the configuration. GoesOn is whether the
	// listener goes on where it was after a restart, and Lists whether it does so with a list,
	// since its informer is another one.
	Restart []string
	GoesOn  bool
	Lists   bool
}

// Known is what a running informerd knows of an object.
type Known struct {
	Rules  memory.Rules // that rules go on with
	Object bool         // Rules are all that is remembered of the object
	Same   bool         // one runs that has the same configuration of the listener
	Who    string       // knows it, as the subject of a sentence; "" if nobody does
	// Change, reload or restart, makes the configuration the one of a listener that has the object;
	// "" if one runs that has that configuration. Outputs are those of the listener before it, nil
	// if that is not known.
	Change  string
	Outputs []string
	Idle    bool // what is reported already is not known
	// Begins: the listener begins with a list, after a restart that brings the configuration.
	Begins bool
	// Selected is whether the object is selected, nil if that is not known, or follows from its
	// state.
	Selected *bool
}

// Ask notes what a running informerd, or a checkpoint, knows of an object. It returns what rules go
// on with, which is said of each rule, and is nothing unless the object is known.
func (a *Answer) Ask(r *memory.Object, asked Asked, now time.Time) (known Known) {
	runs := r.Checkpoint.IsZero()
	who := "the running informerd"
	if !runs {
		who = fmt.Sprintf("the checkpoint of %s", r.Checkpoint.UTC().Format(time.RFC3339))
		a.Note("no informerd runs: the listener goes on with what " + who + " has, as a restart does.")
	}
	restart := len(asked.Restart) > 0
	if restart {
		a.Note(fmt.Sprintf("a reload of the running informerd refuses this configuration, since this needs a restart: %s. The answer is for that.",
			strings.Join(asked.Restart, ", ")))
	}
	switch {
	case restart && !(r.Listener && asked.GoesOn):
		note := "the listener begins with a list then"
		if asked.Rules {
			note += ", and what violates a rule is reported, also what was reported before"
		}
		a.Note(note + ".")
		return Known{Begins: true}
	case !r.Listener && !runs:
		a.Note("the checkpoint has nothing of this listener, which begins with a list.")
		return Known{Begins: true}
	case !r.Listener:
		a.Note("the running informerd does not have this listener; informerd reload brings it.")
		return Known{Begins: true}
	case runs && r.Digest != asked.Digest && !restart:
		a.Note("the running informerd has another configuration of this listener: the answer is for the given one, after informerd reload.")
	}
	switch {
	case r.Idle != "":
		a.Note("at the running informerd, the listener gets no events, so what is reported already is not known here: " + r.Idle)
		return Known{Idle: true}
	case !r.Has:
		a.Note(who + " does not know this object.")
		return Known{Begins: runs && r.Digest != asked.Digest} // which brings it
	case r.UID != asked.UID:
		a.Note(who + " knows another object of this name, with another uid.")
		return known
	}
	known.Who = who
	switch restart = restart || !runs; {
	case restart && asked.Lists:
		a.Note("its informer is another one than before, so it begins with a list, and its rules go on with what they know.")
		known.Begins = true
	case !restart && r.Digest == asked.Digest:
		known.Same, known.Selected = true, r.Selected
	default: // by another select, perhaps
		known.Change, known.Outputs, known.Selected = "reload", r.Outputs, r.Member
		if restart {
			known.Change = "restart"
		}
	}
	if asked.Rules || len(r.Rules) > 0 {
		if len(r.Rules.Only(asked.Only)) == 0 {
			a.Remember(nil, asked.Only, now)
		}
		known.Rules, known.Object = r.Rules, true
	}
	return known
}

// New returns those of a listener's outputs that it gets with the change.
func (k Known) New(outputs []string) []string {
	if k.Change == "" || k.Outputs == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(outputs), func(name string) bool {
		return slices.Contains(k.Outputs, name)
	})
}

// LeftOut reports whether the select of before a restart left an object out of the listener, which
// has none now, and notes what comes then of an event that the restart brings. A reload comes to
// all objects before their next events.
func (a *Answer) LeftOut(k Known, op event.Op) bool {
	switch {
	case k.Change != "restart" || k.Selected == nil || *k.Selected:
		return false
	case op == event.Delete:
		a.Note("the select of before left the object out, and it is gone: nothing comes of the event.")
	default:
		a.Note("the select of before left the object out: to the listener this is an add.")
	}
	return true
}

// ButIn adds to the last verdict when it is another one, if that is known.
func (a *Answer) ButIn(turns string) {
	if turns != "" {
		a.Varies = ", but in " + turns + ", which is seen within 1m"
		a.Verdicts[len(a.Verdicts)-1] += a.Varies
	}
}

// Dropped returns the open violations of rules that the listener does not have any more after the
// change, each with those of its outputs that get the end.
func (k Known) Dropped(l *config.Listener) (all memory.Rules) {
	if k.Change == "" {
		return nil
	}
	for _, m := range k.Rules {
		if !m.Violated || slices.ContainsFunc(l.Rules,
			func(r config.Rule) bool { return r.Name == m.Rule }) {
			continue
		}
		m.To = slices.DeleteFunc(slices.Clone(m.To), func(name string) bool {
			return !slices.Contains(l.Outputs, name)
		})
		all = append(all, m)
	}
	return all
}
