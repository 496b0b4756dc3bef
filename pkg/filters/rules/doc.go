// Package rules keeps violations as state. A [Rule] describes an unwanted state of objects; for
// each object it is pending, violated or neither, and the [Transition]s to violated and to resolved
// are reported. A [Book] has the state of all objects and rules of one listener, and an [Evaluator]
// updates it with one event after another.
//
// Nothing here runs by itself: there is no goroutine and no timer, and the caller passes the time.
// [Outcome].RecheckAfter is when an object has to be evaluated again although nothing may have
// happened to it.
//
// # What is promised of states
//
//   - An evaluation of an object that is not deleted asks every rule's deny, whatever the event.
//   - The first true makes a rule pending; after For it is violated at the next true.
//   - A false in between forgets the pending rule; another true changes nothing.
//   - A violated rule is resolved by a false, by a deletion, and by another uid of the same name.
//   - A rule that was only pending is forgotten silently.
//   - A deny that fails changes nothing, and its error is in [Outcome].Errors. With
//     [Definition].FailureViolates it violates the rule, and the message has the error.
//   - A clock that is set back makes nothing happen earlier.
//   - A Book of [NewBook] starts empty: For begins again, and violations are reported again.
//
// # What is promised of reports
//
//   - A receiver gets Violated and Resolved of an object and rule in turn, beginning with Violated.
//   - Further Violated with Repeated set come only with a Repeat, and at least that far apart.
//   - A [Transition] is offered at each evaluation until its receivers have begun to get it.
//   - The end of a violation is reported to the receivers that took the violation, and only to
//     them.
//   - The end comes before the next violation, whatever has happened to the object.
//   - [Book.DueReports] has what is owed of those that had a name, whichever object has it by then.
//   - The message is made when a violation begins and when it is repeated, and kept in between.
//   - A message that fails or is empty is replaced by the rule's name; a long one is cut.
//   - A receiver that refuses a transition for good is not offered it again, but by [Book.Owe].
//   - What has begun is on its way until it is settled with Took, Refused or Release.
//   - A violation that ends while it is on its way has an end, which is owed behind it.
//   - If that violation is refused or released, nobody is owed its end.
//   - What is released is owed again if it is still true, before anything later of the rule.
//   - A violation is not repeated to a receiver that a report of it is on its way to.
//   - [Book.Confirm] is false for a report whose turn it is not, or whose violation was refused.
//
// # What is promised of other rules
//
//   - [Book.Use] keeps the states of rules by name, and what is on its way stays so.
//   - The next evaluation of an object judges it by the new rules, whoever made its evaluator.
//   - The violations of a rule that is gone end.
//   - The end of a violation is reported with the severity of its last report.
//   - A receiver that is gone is forgotten; a new one is owed what is violated.
//
// # What is promised of a book that is restored
//
//   - [Book.Cut] appends what has changed since the cut before, and [Saved.Apply] adds up cuts.
//   - What [Saved.Append] appends is a cut that has all of that.
//   - The book that [Restore] makes of them goes on as the one that was cut, with its times.
//   - What was on its way at the last cut is owed again.
//   - A delete that comes again after a crash ends nothing of another object of its name, and
//     still offers what is owed of those before that one.
//   - A violation that was, and has ended, is reported again before its end: nobody knows whether
//     the receiver took it.
//   - For and Repeat go on while nothing runs. A clock that was set back makes nothing happen
//     earlier, and delays nothing for longer than For and Repeat.
//   - Rules and receivers are found by their names; those that came or went are as with [Book.Use].
//   - A damaged cut is refused, and changes nothing.
//
// # What is promised of time and memory
//
//   - RecheckAfter is the time until a rule's For or Repeat has run out, 0 if no rule waits.
//   - It is at most [ClockInterval] for a rule whose deny has the clock or other objects in it.
//   - It is at least 1 ms, and at least [FailedInterval] for a rule that has just failed.
//   - Only objects with a pending or violated rule, or an untaken end, take memory in a Book.
//   - A Book keeps nothing of an object's text.
//   - A Book that was never cut keeps nothing for cuts.
//   - Evaluating an object that takes none allocates nothing beyond what its filters do.
//   - Several evaluators may work at once, and expressions run without the Book's lock.
//   - [Book.Open], [Book.Counts] and [Book.Remembers] are of one moment; an evaluation is in them as
//     a whole.
//
// The caller sees to it that the events of one object come one after another, and that a receiver
// gets the reports of one object in the order of [Book.Begin], each after the one before it was
// settled. Settling waits for no expression, and may come from any goroutine. A deny with the clock
// or other objects in it is evaluated once in [ClockInterval]: a break that is shorter does not end
// a For.
//
// # Design decisions
//
// A book keeps who knows of a violation, and no messages: a message that waits becomes stale. That
// takes a bit for each receiver and open violation, and is all that a restart needs.
//
// A report is on its way from Begin until it is settled. If it counted as taken when it enters an
// outbox, a refused violation would have an end; if it did not, the same report would enter again
// with each event.
//
// A rule that fails keeps its state: false would resolve what nobody has fixed, true would report
// what may not be.
package rules
