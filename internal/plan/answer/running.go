package answer

import (
	"time"

	"github.com/informerd/informerd/internal/plan/memory"
)

// Remember notes what a running listener knows of an object.
func (a *Answer) Remember(all memory.Rules, now time.Time) {
	if len(all) == 0 {
		a.Note("now the object violates no rule, as far as the listener has seen it.")
	}
	for _, m := range all {
		a.Note(m.Noted(now))
	}
}

// Asked is what a running informerd was asked about, as it is here.
type Asked struct {
	Digest string // of the listener's configuration
	UID    string // of the object
	Rules  bool   // the listener has rules
}

// Ask notes what a running informerd knows of an object, and returns what rules go on with: nothing
// unless it knows the object.
func (a *Answer) Ask(r *memory.Object, asked Asked, now time.Time) memory.Rules {
	switch {
	case !r.Listener:
		a.Note("the running informerd does not have this listener; informerd reload brings it.")
		return nil
	case r.Digest != asked.Digest:
		a.Note("the running informerd has another configuration of this listener; informerd reload brings this one.")
	}
	switch {
	case r.Idle != "":
		a.Note("at the running informerd, the listener gets no events: " + r.Idle)
		return nil
	case !r.Has:
		a.Note("the running informerd does not know this object.")
		return nil
	case r.UID != asked.UID:
		a.Note("the running informerd knows another object of this name, with another uid.")
		return nil
	case asked.Rules:
		a.Remember(r.Rules, now)
		return r.Rules
	}
	return nil
}
