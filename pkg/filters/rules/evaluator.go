package rules

import (
	"slices"
	"time"

	"github.com/informerd/informerd/pkg/filters"
	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// ClockInterval is how often an object is evaluated again for a rule whose deny has the clock
	// or other objects in it.
	ClockInterval = time.Minute
	// FailedInterval is the shortest time after which an object is evaluated again for a rule
	// that has failed.
	FailedInterval = time.Second
)

// soonest is the shortest RecheckAfter: a shorter time would be over before the caller has
// stored the object.
const soonest = time.Millisecond

// Evaluator updates a [Book] with one event after another. It serves one goroutine at a
// time.
type Evaluator struct {
	book   *Book
	caches filters.Caches
	set    *ruleSet // that the judges are of
	judges []judge  // one per rule

	seen    event.Event // what the expressions look at
	now     time.Time
	asked   []record // what was remembered when they were evaluated
	known   bool     // something was
	next    []record // what is to be remembered
	debts   []debt   // the same
	changed bool     // compared with what is remembered
	fresh   []uint64 // the numbers of violations that began or were repeated in this evaluation
	ended   []uint64 // of those that have ended
	outcome Outcome
}

// judge is a rule with the evaluators of its expressions for one worker, and with their answers.
type judge struct {
	rule *Rule
	deny func(event.Event) (bool, error)
	text func(event.Event) (string, error) // nil: the message is the rule's name

	denied     bool
	err        error // of deny, which changes nothing
	failed     error // of deny, which counts as true
	hasMessage bool  // there is a message
	message    string
	messageErr error
}

// Outcome is the result of an evaluation. Its slices are valid until the evaluator's next
// one.
type Outcome struct {
	// Transitions are the reports that receivers have not taken yet, those of earlier evaluations
	// included. They are in the order of the book's rules, the end of a violation before the next
	// violation. Those of an object that was replaced by another one come first.
	Transitions []Transition
	// RecheckAfter is the time after which the object has to be evaluated again, even if nothing
	// happens to it and all receivers take their reports. 0: there is no need.
	RecheckAfter time.Duration
	// Errors are those of expressions that failed, which match filters.ErrUnknown.
	Errors []error
}

// Transition is a report about a rule and an object.
type Transition struct {
	Rule  *Rule
	State State
	// of the object with the state; the event may be of another object with the same name
	UID      string
	Message  string
	Since    time.Time // the first true of deny
	Repeated bool      // the violation was reported before
	Repeats  int       // the number of the repeat, from 1; 0 if it is not one
	To       Receivers // who has to get it; see Book.Begin
	New      bool      // it is offered for the first time

	number uint64 // of the violation
}

// prepare makes the judges of the book's present rules, unless the evaluator has them.
func (e *Evaluator) prepare() {
	set := e.book.set.Load()
	if e.set == set {
		return
	}
	e.set, e.judges = set, make([]judge, len(set.rules))
	now := func() time.Time { return e.now } // one time for the whole evaluation
	for i, r := range set.rules {
		j := judge{rule: r}
		deny := r.deny.Evaluator()
		deny.Caches, deny.Clock, j.deny = e.caches, now, deny.Match
		if r.message != nil {
			message := r.message.Evaluator()
			message.Caches, message.Clock, j.text = e.caches, now, message.Text
		}
		e.judges[i] = j
	}
}

// Evaluate updates the state of the event's object, and returns what has to be reported of
// it.
func (e *Evaluator) Evaluate(ev event.Event, now time.Time) Outcome {
	e.seen, e.now = event.Event{Op: event.Resync, Object: ev.Object}, now
	key, uid, gone := ev.Object.Key(), ev.Object.UID(), ev.Op == event.Delete
	if gone && e.isOver(ev, key, uid) {
		e.outcome = Outcome{Transitions: e.book.dueWith(key, uid)}
		return e.outcome
	}
	for {
		e.prepare()
		e.next, e.debts, e.changed = e.next[:0], e.debts[:0], false
		e.fresh, e.ended = e.fresh[:0], e.ended[:0]
		e.outcome = Outcome{Transitions: e.outcome.Transitions[:0], Errors: e.outcome.Errors[:0]}
		if e.ask(key, uid, gone); e.update(key, uid, gone) {
			return e.outcome
		}
	}
}

// isOver reports whether a delete is one that the book has had. It comes again after a crash, when
// the book may know another object of the name already, whose violations it must not end.
func (e *Evaluator) isOver(ev event.Event, key event.Key, uid string) bool {
	if !ev.Resumed || ev.Missed > 0 || uid == "" {
		return false
	}
	e.asked = e.asked[:0]
	known, _, has := e.book.get(key, e.asked)
	return has && known != uid
}

// ask evaluates the expressions, without the book's lock.
func (e *Evaluator) ask(key event.Key, uid string, gone bool) {
	var before string
	before, e.asked, e.known = e.book.get(key, e.asked[:0])
	if gone {
		return
	}
	records := e.asked
	if before != uid {
		records = nil
	}
	for i := range e.judges {
		j := &e.judges[i]
		var rec *record
		if len(records) > 0 && records[0].rule == i {
			rec, records = &records[0], records[1:]
		}
		j.hasMessage, j.message, j.messageErr = false, "", nil
		j.failed = nil
		if j.denied, j.err = j.deny(e.seen); j.err != nil {
			if !j.rule.failViolates {
				continue
			}
			j.denied, j.failed, j.err = true, j.err, nil
		}
		switch j.rule.step(rec, j.denied, e.now) {
		case violates, repeats:
			j.hasMessage = true
			j.message, j.messageErr = e.message(j)
		}
	}
}

// update notes the answers in the book, and what follows from them. It returns false if the book's
// rules have been replaced since the evaluator was prepared.
func (e *Evaluator) update(key event.Key, uid string, gone bool) bool {
	if !e.known && (gone || e.unviolated()) {
		if !gone {
			e.judgeAll(nil)
		}
		return true // nothing is remembered, and nothing has to be
	}
	b := e.book
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.set.Load() != e.set {
		return false
	}
	var records []record
	before := ""
	if o := b.objects[key]; o != nil {
		before, records = o.uid, o.records
		e.debts = append(e.debts, o.debts...)
		e.changed = before != uid // it is known whose name it is, whatever is owed
	}
	if len(records) > 0 && (before != uid || gone) {
		e.changed = true
		for i := range records {
			e.end(&records[i], before)
		}
		records = nil
	}
	if !gone {
		e.judgeAll(records)
	}
	if e.changed {
		b.put(key, uid, e.next, e.debts)
	}
	e.offer(uid)
	return true
}

// unviolated reports whether no deny was true.
func (e *Evaluator) unviolated() bool {
	for i := range e.judges {
		if e.judges[i].denied {
			return false
		}
	}
	return true
}

// end notes which receivers the end of a violation has to be reported to.
func (e *Evaluator) end(rec *record, uid string) {
	if d, owed := rec.debt(uid); owed {
		e.debts = append(e.debts, d)
		e.ended = append(e.ended, d.number)
	}
}

// offer makes the transitions that are owed.
func (e *Evaluator) offer(uid string) {
	e.outcome.Transitions = e.set.due(e.outcome.Transitions, uid, e.next, e.debts)
	for i := range e.outcome.Transitions {
		t := &e.outcome.Transitions[i]
		if t.State == Resolved {
			t.New = slices.Contains(e.ended, t.number)
		} else if n := slices.Index(e.fresh, t.number); n >= 0 {
			t.New, e.fresh[n] = true, 0 // it is new once, whoever has to take it
		}
	}
}

// judgeAll updates what is remembered of each rule.
func (e *Evaluator) judgeAll(records []record) {
	for i := range e.judges {
		var rec *record
		if len(records) > 0 && records[0].rule == i {
			rec, records = &records[0], records[1:]
		}
		e.judge(i, rec)
	}
}

// judge updates what is remembered of one rule. The record is nil if that is nothing.
func (e *Evaluator) judge(i int, rec *record) {
	j := &e.judges[i]
	if j.err != nil {
		e.outcome.Errors = append(e.outcome.Errors, j.err)
		e.keep(j.rule, rec, FailedInterval)
		return
	}
	step := j.rule.step(rec, j.denied, e.now)
	if (step == violates || step == repeats) && !j.hasMessage {
		step = stays // a receiver has just changed that; the next evaluation has a message
	}
	e.changed = e.changed || step != stays
	switch step {
	case begins:
		rec = &record{rule: i, since: e.now}
	case violates, repeats:
		rec = e.violated(i, rec)
	case resolves:
		e.end(rec, e.seen.Object.UID())
		rec = nil
	case ends:
		rec = nil
	}
	e.keep(j.rule, rec, soonest)
}

// violated returns the record of a rule that is violated from now on, or has to be reported again.
func (e *Evaluator) violated(i int, rec *record) *record {
	j := &e.judges[i]
	if j.messageErr != nil {
		e.outcome.Errors = append(e.outcome.Errors, j.messageErr)
	}
	next := &record{rule: i, violated: true, since: e.now, taken: e.now, message: j.message,
		reportedAs: j.rule, owes: e.set.receivers}
	if rec != nil {
		next.since = rec.since
	}
	if rec != nil && rec.violated {
		next.number, next.knows, next.flying = rec.number, rec.knows, rec.flying
		next.maybeKnows = rec.maybeKnows
		next.repeats, next.owes = rec.repeats+1, next.owes&^rec.flying
	} else {
		e.book.number++
		next.number = e.book.number
	}
	e.fresh = append(e.fresh, next.number)
	return next
}

// keep remembers a record, if there is one, and when it has to be evaluated again.
func (e *Evaluator) keep(r *Rule, rec *record, least time.Duration) {
	if r.clock {
		e.recheck(ClockInterval)
	}
	if rec == nil {
		return
	}
	e.next = append(e.next, *rec)
	if remaining, waits := r.remaining(rec, e.now); waits {
		e.recheck(max(remaining, least))
	}
}

func (e *Evaluator) recheck(after time.Duration) {
	if e.outcome.RecheckAfter == 0 || after < e.outcome.RecheckAfter {
		e.outcome.RecheckAfter = after
	}
}

// message returns the rule's message for the object, which shares no memory with it.
func (e *Evaluator) message(j *judge) (string, error) {
	if j.failed != nil {
		return j.rule.name + " cannot be decided, which counts as a violation: " + j.failed.Error(), nil
	}
	if j.text == nil {
		return j.rule.name, nil
	}
	text, err := j.text(e.seen)
	if err != nil || text == "" {
		return j.rule.name, err
	}
	return text, nil // it is a copy
}
