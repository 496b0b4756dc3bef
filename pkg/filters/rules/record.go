package rules

import "time"

// State is the new state of a [Transition]. Its zero value is not a state.
type State uint8

const (
	// Violated: the rule's deny has been true for its For.
	Violated State = 1 + iota
	// Resolved: deny is false again, or the object is gone.
	Resolved
)

// String returns the word that outputs use.
func (s State) String() string {
	switch s {
	case Violated:
		return "violated"
	case Resolved:
		return "resolved"
	}
	return "no state"
}

// record is what is remembered of one rule that is pending or violated for one object.
type record struct {
	rule       int // its index in the book
	violated   bool
	number     uint64    // of the violation, unique in the book
	reportedAs *Rule     // as which the violation is reported
	since      time.Time // the first true in a row
	// when a receiver last took the violation; before that, when it was first offered
	taken   time.Time
	message string    // as it is offered
	owes    Receivers // those that the violation, or its repeat, has to be reported to
	flying  Receivers // those that such a report is on its way to; none of them is in owes
	knows   Receivers // those that have taken the violation
	// those that may have taken it: it was on its way when the book was cut, and is owed again.
	// None of them is in knows.
	maybeKnows Receivers
	repeats    int
}

// unheard reports whether there is nobody to repeat the violation to: those that wait for a
// report of it have none yet, or one that is on its way.
func (r *record) unheard() bool { return r.knows&^r.flying == 0 && r.owes|r.flying != 0 }

// debt is a violation that has ended. It is kept until no receiver has to hear of it.
type debt struct {
	number     uint64
	reportedAs *Rule
	uid        string // of the object that violated the rule
	since      time.Time
	message    string
	flying     Receivers // as in the record, when it ended
	knows      Receivers // the same
	maybeKnows Receivers // the same; they get the violation again, and then its end
	owes       Receivers // those that the end has to be reported to, behind what is flying
	ending     Receivers // those that the end is on its way to
}

// debt returns what is owed when the violation ends, false if nobody has heard of it.
func (r *record) debt(uid string) (debt, bool) {
	hearers := r.knows | r.flying | r.maybeKnows
	return debt{
		number: r.number, reportedAs: r.reportedAs, uid: uid, since: r.since, message: r.message,
		flying: r.flying, knows: r.knows, maybeKnows: r.maybeKnows, owes: hearers,
	}, hearers != 0
}

// open are the receivers that have to hear of the violation or its end, or that a report of it is
// on its way to.
func (d *debt) open() Receivers { return d.flying | d.owes | d.ending | d.maybeKnows }

// again are the receivers that the violation is owed to once more before its end.
func (d *debt) again() Receivers { return d.maybeKnows &^ d.flying }

// forget removes the receivers from all that is known of the violation.
func (d *debt) forget(these Receivers) {
	d.flying, d.knows, d.maybeKnows = d.flying&^these, d.knows&^these, d.maybeKnows&^these
	d.owes, d.ending = d.owes&^these, d.ending&^these
}

// step is what follows from an answer of deny.
type step uint8

const (
	stays    step = iota
	begins        // to be pending
	violates      // for the first time
	repeats       // being violated
	ends          // being pending
	resolves      // being violated
)

// step returns what follows from an answer. The record is nil if nothing is remembered.
func (r *Rule) step(rec *record, denied bool, now time.Time) step {
	switch {
	case rec == nil && denied && r.hold == 0:
		return violates
	case rec == nil && denied:
		return begins
	case rec == nil:
		return stays
	case !denied && rec.violated:
		return resolves
	case !denied:
		return ends
	}
	remaining, waits := r.remaining(rec, now)
	switch {
	case !waits || remaining > 0:
		return stays
	case rec.violated:
		return repeats
	default:
		return violates
	}
}

// remaining returns the time until For or Repeat runs out, and whether one of them is
// running.
func (r *Rule) remaining(rec *record, now time.Time) (time.Duration, bool) {
	switch {
	case !rec.violated:
		return r.hold - elapsed(rec.since, now), true
	case r.repeat > 0 && rec.unheard():
		return r.repeat, true // after a receiver has taken it
	case r.repeat > 0:
		return r.repeat - elapsed(rec.taken, now), true
	}
	return 0, false
}

// elapsed returns the time between two points, 0 if the clock was set back.
func elapsed(from, to time.Time) time.Duration { return max(0, to.Sub(from)) }
