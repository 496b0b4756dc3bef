package rules

import (
	"time"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// ClockInterval is how often an object is evaluated again for a rule whose deny looks at the
	// clock or at other objects.
	ClockInterval = time.Minute
	// FailedInterval is how soon an object is evaluated again at the earliest for a rule that
	// failed when something was due.
	FailedInterval = time.Second
)

// soonest is the shortest time to ask a caller for: a shorter one would be over before it has put
// the object away.
const soonest = time.Millisecond

// Evaluator brings a [Book] up to date, event after event. It serves one goroutine at a time.
type Evaluator struct {
	book   *Book
	judges []judge // one per rule

	seen    event.Event // what the expressions are asked about
	now     time.Time
	before  string   // the uid that is remembered
	next    []record // what is to be remembered
	debts   []debt   // the same
	older   int      // how many of the debts are older than this evaluation
	fresh   []bool   // by rule: it is violated, or repeated, since this evaluation
	changed bool     // against what is remembered
	outcome Outcome
}

// judge is a rule with its expressions made ready for one worker.
type judge struct {
	rule *Rule
	deny func(event.Event) (bool, error)
	text func(event.Event) (string, error) // nil: the message is the rule's name
}

// Outcome is what an evaluation leads to. Its slices are good until the evaluator's next one.
type Outcome struct {
	// Transitions are what is yet to be reported of the object, what earlier evaluations offered
	// and they did not take included. They are in the order of the book's rules, the end of a
	// violation before the next one; those of an object that another one has replaced come first.
	Transitions []Transition
	// Again is after how long the object is to be evaluated again, even if nothing happens to it
	// and all receivers take what they are reported. 0: there is no need.
	Again time.Duration
	// Errors are those of expressions that failed, each a [*filters.EvalError].
	Errors []error
}

// Transition is what to tell of a rule and an object.
type Transition struct {
	Rule  *Rule
	State State
	// of the object the state is about: not that of the event if that is another one of the same
	// name
	UID      string
	Message  string
	Since    time.Time // deny holds, or held
	Repeated bool      // it was reported before
	Repeats  int       // the number of the repeat, from 1; 0 if it is none
	To       Receivers // who has to take it; Evaluator.Took says that one of them has
	New      bool      // it is offered for the first time, and counts

	rule int
}

// Evaluate brings the state of the event's object up to date, and offers what is yet to be reported
// of it.
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

// end notes to whom the end of a violation is to be reported.
func (e *Evaluator) end(rec *record) {
	if rec.knows != 0 {
		e.debts = append(e.debts, debt{rule: rec.rule, uid: e.before, since: rec.since,
			message: rec.message, owes: rec.knows})
	}
}

// offer makes the transitions of what is owed.
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
	e.fresh[rec.rule] = false // it counts once, whoever has to take it
}

// judge asks one rule. The record is nil if nothing is remembered of it.
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

// keep remembers a record, if there is one, and what it waits for.
func (e *Evaluator) keep(r *Rule, rec *record, least time.Duration) {
	if r.clock {
		e.again(ClockInterval)
	}
	if rec == nil {
		return
	}
	e.next = append(e.next, *rec)
	if left, waits := r.left(rec, e.now); waits {
		e.again(max(left, least))
	}
}

func (e *Evaluator) again(after time.Duration) {
	if e.outcome.Again == 0 || after < e.outcome.Again {
		e.outcome.Again = after
	}
}

// message makes the rule's message for the object. It is no part of the object's text.
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
	return text // a copy already
}
