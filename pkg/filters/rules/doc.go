// Package rules keeps what is true of objects as state. A [Rule] says with an expression what must
// not be; for each object it is pending, violated or neither, and the [Transition]s to violated and
// back to resolved are what people want to hear of. A [Book] has the state of all objects and rules
// of one listener, an [Evaluator] brings it up to date with one event.
//
// Nothing here runs by itself: there is no goroutine and no timer, and the time is what the caller
// says. Instead [Outcome].Again tells when an object has to be evaluated again although nothing may
// have happened to it.
//
// # What is promised
//
//   - Each receiver gets Violated and Resolved of an object and rule in turn, beginning with
//     Violated, whatever failed between, unless it refuses a message for good. Further Violated
//     with Repeated set are between the two only if the rule has a Repeat, and at least that far
//     apart.
//   - A [Transition] is offered until its receivers have taken it ([Evaluator.Took]): each
//     evaluation of the object offers it again. A violation that ends before a receiver has heard
//     of it is not reported to that receiver, nor is its end. The end of one that it has heard of
//     is remembered until it takes that, whatever becomes of the object, and comes before the next
//     violation.
//   - Each evaluation of an object that is not deleted asks every rule's deny, whatever the event
//     was; an object that is handed in again is asked like a new one. The first true makes the rule
//     pending and is its since; at the first true with now >= since + For the rule is violated. A
//     false in between forgets both, another true changes neither.
//   - A violated rule is resolved by a false, by the object's deletion, and by another object
//     (another uid) of the same name. The message is then still that of the violation. A rule that
//     was only pending resolves silently.
//   - A deny that fails gives no answer: the state stays, and the error is in [Outcome].Errors. A
//     message that fails does not hold up the transition: the rule's name stands in for it, as for
//     a message that is empty or that is not there.
//   - The message is made when a violation begins and when it is repeated, not in between:
//     [Book.Open] shows it as it was offered last. A long one is cut ([filters.MaxMessage]).
//   - Again is the time until a rule's For or Repeat has run out, and never more than
//     [ClockInterval] for a rule whose deny looks at the clock or at other objects, in whatever
//     state it is, for its answer may change at any time. It is at least 1 ms, and for a rule that
//     has just failed at least [FailedInterval]. It is 0 if no rule waits for anything.
//   - A clock that is set back makes nothing happen earlier, and Again no longer than For and
//     Repeat.
//   - A deny that looks at the clock or at other objects is asked once in [ClockInterval]. What it
//     would have answered between two of these times is not seen: a break that is shorter does not
//     end a For.
//   - Only objects with a pending or violated rule, or with an end that is yet to be reported, take
//     memory in a Book, and they keep nothing of the object's text. Evaluating one without either
//     allocates nothing beyond what its filters do.
//   - Expressions run without the Book's lock. Several evaluators may be at work at once, each with
//     other objects; that the events of one object come one after the other is the caller's part.
//     What [Book.Open] and [Book.Counts] give is of one moment, and what an evaluation changes is
//     in it as a whole or not at all.
//   - A Book remembers nothing beyond its life: after a restart For begins again, and open
//     violations are reported again.
package rules
