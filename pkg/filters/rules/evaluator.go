package rules

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/informerd/informerd/pkg/informer/event"
)

const (
	// ClockInterval is how often an object is evaluated again for a rule whose deny looks at the clock or at other objects.
	ClockInterval = time.Minute
	// FailedInterval is how soon an object is evaluated again at the earliest for a rule that failed when something was due.
	FailedInterval = time.Second
	// MaxMessage is how many bytes of a message are kept.
	MaxMessage = 1 << 10
)

// soonest is the shortest time to ask a caller for: a shorter one would be over before it has put the object away.
const soonest = time.Millisecond

// Evaluator brings a [Book] up to date, event after event. It serves one goroutine at a time.
type Evaluator struct {
	book   *Book
	judges []judge // one per rule

	seen    event.Event // what the expressions are asked about
	now     time.Time
	next    []record // what is to be remembered
	changed bool     // against what is remembered
	outcome Outcome
}

// judge is a rule with its expressions made ready for one worker.
type judge struct {
	rule *Rule
	deny func(event.Event) (bool, error)
	text func(event.Event) (string, error) // nil: the message is the rule's name
}

// Outcome is what an evaluation gives. Its slices are good until the evaluator's next one.
type Outcome struct {
	// Transitions are in the order of the book's rules; those of an object that another one has replaced come first.
	Transitions []Transition
	// Again is after how long the object is to be evaluated again, even if nothing happens to it. 0: there is no need.
	Again time.Duration
	// Errors are those of expressions that failed, each a [*filters.EvalError].
	Errors []error
}

// Transition is what to tell of a rule and an object.
type Transition struct {
	Rule     *Rule
	State    State
	UID      string // of the object the state is about: not that of the event if that is another one of the same name
	Message  string
	Since    time.Time // deny holds, or held
	Repeated bool      // it was told before
}

// Evaluate brings the state of the event's object up to date.
func (e *Evaluator) Evaluate(ev event.Event, now time.Time) Outcome {
	e.seen, e.now = event.Event{Op: event.Resync, Object: ev.Object}, now
	e.next, e.changed = e.next[:0], false
	e.outcome = Outcome{Transitions: e.outcome.Transitions[:0], Errors: e.outcome.Errors[:0]}

	key, uid := ev.Object.Key(), ev.Object.UID()
	before, records := e.book.get(key)
	if len(records) > 0 && (before != uid || ev.Op == event.Delete) {
		e.end(before, records)
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
		e.book.put(key, uid, e.next)
	}
	return e.outcome
}

// end forgets an object that is gone.
func (e *Evaluator) end(uid string, records []record) {
	e.changed = true
	for i := range records {
		if records[i].violated {
			e.tell(Resolved, uid, &records[i], false)
		}
	}
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
	uid := e.seen.Object.UID()
	step := j.rule.step(rec, denied, e.now)
	e.changed = e.changed || step != stays
	switch step {
	case begins:
		rec = &record{rule: i, since: e.now}
	case violates, repeats:
		since := e.now
		if rec != nil {
			since = rec.since
		}
		rec = &record{rule: i, violated: true, since: since, told: e.now, message: e.message(j)}
		e.tell(Violated, uid, rec, step == repeats)
	case resolves:
		e.tell(Resolved, uid, rec, false)
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

func (e *Evaluator) tell(state State, uid string, rec *record, repeated bool) {
	e.outcome.Transitions = append(e.outcome.Transitions, Transition{
		Rule: e.judges[rec.rule].rule, State: state, UID: uid, Message: rec.message, Since: rec.since, Repeated: repeated,
	})
}

// message makes the rule's message for the object. It is a copy that is no part of the object's text.
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
	return strings.Clone(shorten(text))
}

const cut = "…"

// shorten cuts a text that is too long between two characters.
func shorten(text string) string {
	if len(text) <= MaxMessage {
		return text
	}
	end := MaxMessage - len(cut)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cut
}
