package rules

import (
	"time"

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
	judges []judge // one per rule

	seen    event.Event // what the expressions look at
	now     time.Time
	before  string   // the remembered uid
	next    []record // what is to be remembered
	debts   []debt   // the same
	older   int      // how many debts are older than this evaluation
	fresh   []bool   // by rule: this evaluation has made it violated, or repeated it
	changed bool     // compared with what is remembered
	outcome Outcome
}

// judge is a rule with the evaluators of its expressions for one worker.
type judge struct {
	rule *Rule
	deny func(event.Event) (bool, error)
	text func(event.Event) (string, error) // nil: the message is the rule's name
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
	// Errors are those of expressions that failed, each a [*filters.EvalError].
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
	To       Receivers // who has to take it; see Evaluator.Took
	New      bool      // it is offered for the first time

	rule int
}

// Evaluate updates the state of the event's object, and returns what has to be reported of
// it.
func (e *Evaluator) Evaluate(ev event.Event, now time.Time) Outcome {
	e.seen, e.now = event.Event{Op: event.Resync, Object: ev.Object}, now
	e.next, e.changed = e.next[:0], false
	e.outcome = Outcome{Transitions: e.outcome.Transitions[:0], Errors: e.outcome.Errors[:0]}
	clear(e.fresh)

	key, uid := ev.Object.Key(), ev.Object.UID()
	before, records, debts := e.book.get(key)
	e.before = before
	e.debts, e.older = append(e.debts[:0], debts...), len(debts)
	if len(records) > 0 && (before != uid || ev.Op == event.Delete) {
		e.changed = true
		for i := range records {
			e.end(&records[i])
		}
		records = nil
	}
	if ev.Op != event.Delete {
		for i := range e.judges {
			var rec *record
			if len(records) > 0 && records[0].rule == i {
				rec, records = &records[0], records[1:]
			}
			e.judge(i, rec)
		}
	}
	if e.changed {
		e.book.put(key, uid, e.next, e.debts)
	}
	e.offer(uid)
	return e.outcome
}

// end notes which receivers the end of a violation has to be reported to.
func (e *Evaluator) end(rec *record) {
	if rec.knows != 0 {
		e.debts = append(e.debts, debt{rule: rec.rule, uid: e.before, since: rec.since,
			message: rec.message, owes: rec.knows})
	}
}

// offer makes the transitions that are owed.
func (e *Evaluator) offer(uid string) {
	for i := range e.debts {
		if e.debts[i].uid != uid {
			e.offerEnd(i)
		}
	}
	next := e.next
	for rule := range e.judges {
		for i := range e.debts {
			if e.debts[i].rule == rule && e.debts[i].uid == uid {
				e.offerEnd(i)
			}
		}
		if len(next) > 0 && next[0].rule == rule {
			rec := &next[0]
			next = next[1:]
			e.offerViolation(uid, rec, rec.owes&^rec.knows, false)
			e.offerViolation(uid, rec, rec.owes&rec.knows, true)
		}
	}
}

func (e *Evaluator) offerEnd(i int) {
	d := &e.debts[i]
	e.outcome.Transitions = append(e.outcome.Transitions, Transition{
		Rule: e.judges[d.rule].rule, State: Resolved, UID: d.uid, Message: d.message,
		Since: d.since, To: d.owes, New: i >= e.older, rule: d.rule,
	})
}

func (e *Evaluator) offerViolation(uid string, rec *record, to Receivers, repeated bool) {
	if to == 0 {
		return
	}
	e.outcome.Transitions = append(e.outcome.Transitions, Transition{
		Rule: e.judges[rec.rule].rule, State: Violated, UID: uid, Message: rec.message,
		Since: rec.since, Repeated: repeated, To: to,
		New: e.fresh[rec.rule], rule: rec.rule,
	})
	if repeated {
		e.outcome.Transitions[len(e.outcome.Transitions)-1].Repeats = rec.repeats
	}
	e.fresh[rec.rule] = false // it is new once, whoever has to take it
}

// judge evaluates one rule. The record is nil if nothing is remembered of it.
func (e *Evaluator) judge(i int, rec *record) {
	j := &e.judges[i]
	denied, err := j.deny(e.seen)
	if err != nil {
		e.outcome.Errors = append(e.outcome.Errors, err)
		e.keep(j.rule, rec, FailedInterval)
		return
	}
	step := j.rule.step(rec, denied, e.now)
	e.changed = e.changed || step != stays
	switch step {
	case begins:
		rec = &record{rule: i, since: e.now}
	case violates, repeats:
		next := record{rule: i, violated: true, since: e.now, taken: e.now, message: e.message(j),
			owes: e.book.receivers}
		if rec != nil {
			next.since, next.knows = rec.since, rec.knows
			if rec.violated {
				next.repeats = rec.repeats + 1
			}
		}
		rec, e.fresh[i] = &next, true
	case resolves:
		e.end(rec)
		rec = nil
	case ends:
		rec = nil
	}
	e.keep(j.rule, rec, soonest)
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
func (e *Evaluator) message(j *judge) string {
	if j.text == nil {
		return j.rule.name
	}
	text, err := j.text(e.seen)
	if err != nil {
		e.outcome.Errors = append(e.outcome.Errors, err)
	}
	if err != nil || text == "" {
		return j.rule.name
	}
	return text // it is a copy
}
