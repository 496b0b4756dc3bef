package restarts

import (
	"fmt"
	"math"
	"slices"
)

// known is what a receiver knows of an object, zero if that is nothing.
type known struct {
	uid     string
	version int
}

// gone is the version of an object that has ended, for a filtered listener.
const gone = 1 << 60

// follower is the oracle of what one listener sends to one output.
type follower struct {
	listener, output string
	selects          func(*pod) bool
	passes           func(*pod) bool            // of a filter; nil: there is none
	rules            map[string]func(*pod) bool // nil: the listener has none
	made             bool                       // refused messages come again before newer ones
	server           *server

	objects map[string]*chain[known]
	reports map[string]map[string]*chain[bool] // by object and rule
	unsent  map[string]string                  // ids of what was refused, by object
	taken   map[string]bool                    // ids
	heard   int                                // so many entries of the ledger
	// keepsUIDs: cuts have the uids of what was offered and is not finished, so that the end of
	// what was delivered after the last cut is not missing if the history has it.
	keepsUIDs bool
	unclean   bool // a life has not ended by itself since all agreed
	// killed: a life has been. Until a bookmark or a list comes, which may take several lives, the
	// daemon has to take what the server sends for what was delivered before.
	killed bool
}

func (f *follower) name() string { return f.listener + " to " + f.output }

// problem is what is wrong about an object.
type problem struct {
	follower *follower
	key      string
	what     string
}

func (f *follower) object(key string) *chain[known] {
	c := f.objects[key]
	if c == nil {
		if c = (&chain[known]{}); f.unclean {
			c.back = c.may()
		}
		f.objects[key] = c
	}
	return c
}

func (f *follower) report(key, rule string) *chain[bool] {
	of := f.reports[key]
	if of == nil {
		of = map[string]*chain[bool]{}
		f.reports[key] = of
	}
	c := of[rule]
	if c == nil {
		c = &chain[bool]{}
		of[rule] = c
	}
	return c
}

// end ends a life for all objects.
func (f *follower) end(life int, killed bool, safe int) {
	for _, c := range f.objects {
		c.end(life, killed, safe)
	}
	for _, of := range f.reports {
		for _, c := range of {
			c.end(life, killed, safe)
			c.back = nil // the book's records are in one cut
		}
	}
	clear(f.unsent)
	f.unclean, f.killed = f.unclean || killed, f.killed || killed
}

// settled notes that all that waited has come, but for ends that may be missing, or late.
func (f *follower) settled(now map[string]*pod) {
	f.unclean = false
	for key, c := range f.objects {
		c.back = nil
		end := known{}
		if f.passes != nil {
			end = known{c.is.uid, gone}
		}
		p := now[key]
		there := p != nil && p.uid == c.is.uid && f.selects(p)
		if c.is.uid != "" && c.is != end && !there {
			c.back = []known{c.is}
			c.take(end, new(math.MaxInt))
		}
	}
}

// ids are those of the messages of all listeners, by what they are about, and the other way round.
type ids struct{ of, to map[string]string }

// check checks the id of a message: the same state has the same one, and no other has it.
func (i ids) check(f *follower, e *entry) (wrong string) {
	about := fmt.Sprint("state ", e.UID, e.version(), e.Op == "delete")
	if e.Rule != "" { // each violation has another one
		about = fmt.Sprint(f.listener, e.key(), e.UID, e.Rule, e.kind())
	} else if id, known := i.of[about]; known && id != e.ID {
		return fmt.Sprintf("its id was %.6s before", id)
	}
	if before, known := i.to[e.ID]; known && before != about {
		return fmt.Sprintf("that is the id of %s", before)
	}
	i.of[about], i.to[e.ID] = e.ID, about
	return ""
}

// hear checks one entry of the ledger, "" if it is right.
func (f *follower) hear(e *entry) (wrong string) {
	if e.listener() != f.listener {
		return "it comes from another listener"
	}
	key := e.key()
	if f.made {
		if id := f.unsent[key]; id != "" && id != e.ID {
			return fmt.Sprintf("it comes before %.6s, which was refused", id)
		}
	}
	if e.outcome == refused {
		f.unsent[key] = e.ID
		return ""
	}
	delete(f.unsent, key)
	if f.rules != nil {
		return f.reported(key, e)
	}
	return f.happened(key, e)
}

// state returns the state of an object at a version, nil if there is none.
func (f *follower) state(key, uid string, version int) *pod {
	for _, c := range f.server.of(key) {
		if c.after != nil && c.version == version && c.after.uid == uid {
			return c.after
		}
	}
	return nil
}

// ended reports whether an object has ended, or left what is selected, after a version.
func (f *follower) ended(key, uid string, version int) bool {
	return slices.ContainsFunc(f.server.of(key), func(c change) bool {
		return c.version > version && c.before != nil && c.before.uid == uid &&
			(c.after == nil || !f.selects(c.after))
	})
}

// happened checks what an event says.
func (f *follower) happened(key string, e *entry) (wrong string) {
	c := f.object(key)
	may := c.may()
	var to known
	if e.Op != "delete" {
		to = known{e.UID, e.version()}
		p := f.state(key, e.UID, e.version())
		switch {
		case p == nil:
			return "there was no such state"
		case p.n != e.n():
			return fmt.Sprintf("its content is that of another state, n was %d", p.n)
		case !f.selects(p):
			return "it is not selected"
		case f.passes != nil && !f.passes(p):
			return "it does not pass the filter"
		}
	} else if f.passes != nil {
		to = known{e.UID, gone}
	}
	fits := func(s known) bool { return f.fits(key, e, s) }
	switch {
	case len(c.fitting(e.beat, fits)) > 0:
	case f.keepsUIDs && f.mayBeOwed(key, e, may):
		if slices.ContainsFunc(may, func(s known) bool { return s.uid == e.UID }) {
			c.take(to, e.beat) // it goes on from a state in which the receiver does not have it
		}
		return ""
	default:
		return fmt.Sprintf("it does not follow %v", may)
	}
	lost := c.is.uid != "" && created(c.is.uid) < created(e.UID) && c.is.version != gone
	if lost && e.Op == "add" && !f.mayMiss(key, c) {
		return fmt.Sprintf("the end of %v was lost, and there was no list", c.is)
	}
	c.take(to, e.beat)
	return ""
}

// mayBeOwed reports whether an event is the end of an object that the receiver may have been told
// of by a process that was killed, but was not. Nobody waits for it before all agree.
func (f *follower) mayBeOwed(key string, e *entry, may []known) bool {
	return f.killed && e.Op == "delete" && e.FinalStateUnknown &&
		(f.ended(key, e.UID, 0) || f.refuses(key, e)) &&
		slices.ContainsFunc(may, func(s known) bool { return s.uid != e.UID })
}

// refuses reports whether the state of an event is one that is not selected.
func (f *follower) refuses(key string, e *entry) bool {
	p := f.state(key, e.UID, e.version())
	return p != nil && !f.selects(p)
}

// fits reports whether an event may follow a state.
func (f *follower) fits(key string, e *entry, s known) bool {
	switch {
	case f.passes != nil: // it does not get each state
		version := e.version()
		if e.Op == "delete" {
			version = gone
		}
		return s.uid != e.UID && created(s.uid) < created(e.UID) || s.uid == e.UID &&
			s.version < version
	case e.Op == "add":
		return s.uid == ""
	case e.Op == "update":
		return s == known{e.UID, e.from()} && e.version() > s.version
	case e.Op == "delete" && s.uid == "":
		return e.Missed > 0 // its beginning was merged into its end
	case e.Op == "delete" && e.version() < s.version:
		// The unsent messages of a process that was killed may be ahead of its objects.
		return s.uid == e.UID && f.killed && e.FinalStateUnknown && f.server.ended(key, e.UID)
	case e.Op == "delete":
		return s.uid == e.UID && f.ended(key, e.UID, s.version)
	}
	return false
}

// created returns the version of a UID's creation.
func created(uid string) (version int) {
	_, _ = fmt.Sscanf(uid, "u%d", &version)
	return version
}

// reported checks what a rule reports.
func (f *follower) reported(key string, e *entry) (wrong string) {
	deny := f.rules[e.Rule]
	if deny == nil {
		return "there is no such rule"
	}
	c := f.report(key, e.Rule)
	violated := e.kind() == "violated"
	switch p := f.state(key, e.UID, e.version()); {
	case violated && f.unclean && (p == nil && (f.ended(key, e.UID, 0) || e.version() == 0) ||
		p != nil && !deny(p)):
		// It may have been on its way at the kill, and comes again before its end. The object may
		// be known by its name alone.
	case violated && p == nil:
		return "there was no such state"
	case violated && !deny(p):
		return "that state does not violate the rule"
	case len(c.fitting(e.beat, func(open bool) bool { return open != violated })) == 0:
		return fmt.Sprintf("it does not follow open: %v", c.may())
	}
	c.take(violated, e.beat)
	return ""
}

// disagree returns where the ledger differs from how the objects are. The daemon runs undisturbed.
func (f *follower) disagree(now map[string]*pod) (all []problem) {
	for key, c := range f.objects {
		if what := f.differs(key, c, now[key]); what != "" {
			all = append(all, problem{f, key, what})
		}
	}
	for key, p := range now {
		if f.rules == nil && f.objects[key] == nil {
			if what := f.differs(key, &chain[known]{}, p); what != "" {
				all = append(all, problem{f, key, what})
			}
		}
		for rule, deny := range f.rules {
			if deny(p) && !f.report(key, rule).is {
				all = append(all, problem{f, key, rule + " is violated, and not reported"})
			}
		}
	}
	for key, of := range f.reports {
		for rule, c := range of {
			p := now[key]
			if c.is && (p == nil || !f.rules[rule](p)) && (!slices.Contains(c.may(), false) ||
				!f.server.listedSince(c.life)) {
				all = append(all, problem{f, key, rule + " is not resolved"})
			}
		}
	}
	return all
}

// mayMiss reports whether the end of what a receiver has of an object may be missing: the daemon
// may have begun without it, even if its outbox had the add and it came once more, and the history
// with its end may be gone.
func (f *follower) mayMiss(key string, c *chain[known]) bool {
	other := func(s known) bool { return s.uid != c.is.uid || s.version == gone }
	if !f.keepsUIDs && slices.ContainsFunc(slices.Concat(c.may(), c.back), other) {
		return true
	}
	return slices.ContainsFunc(slices.Concat(c.may(), c.from), other) &&
		f.server.listedSince(c.life) ||
		f.server.missed(c.is.uid)
}

// differs returns how what a receiver knows of an object differs from how it is.
func (f *follower) differs(key string, c *chain[known], p *pod) string {
	ends := f.mayMiss(key, c)
	if p != nil && !f.selects(p) {
		ends = ends && p.uid != c.is.uid // it is there, so that the daemon knows of it
		p = nil
	}
	switch {
	case f.passes != nil && p != nil && f.passes(p) && c.is != (known{p.uid, p.version}):
		return fmt.Sprintf("it has %v, and not version %d, which passes", c.is, p.version)
	case f.passes != nil:
		if c.is.uid != "" && c.is.version != gone && (p == nil || p.uid != c.is.uid) && !ends {
			return fmt.Sprintf("the end of %v has not come", c.is)
		}
	case p == nil && c.is != known{} && !ends:
		return fmt.Sprintf("the end of %v has not come", c.is)
	case p != nil && c.is != (known{p.uid, p.version}):
		return fmt.Sprintf("it has %v, and not version %d of %s", c.is, p.version, p.uid)
	}
	return ""
}
