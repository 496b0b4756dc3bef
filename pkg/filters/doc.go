// Package filters decides with one boolean expression (expr-lang) which events a listener gets. An expression is
// compiled and checked when the configuration is loaded, and evaluated by one [Evaluator] per worker.
//
// # What an expression sees
//
//   - op: "add", "update", "delete" or "resync"; initial: bool; missed: int.
//   - object and old, read as in object.metadata.labels["app"]; old is nil unless op is "update".
//   - changed("spec.replicas", …): an update in which one of the fields differs between object and old; label("app") and
//     annotation("x"): a text or nil.
//   - expr's operators and an allow-list of its functions, see [Functions]. No clock, no network, no methods.
//
// # What is promised
//
//   - Objects stay bytes. A field named by constant steps is read straight from the JSON text, at most once per event
//     (one of an item, once while any and its like are at that item), and nothing but what an operation needs is decoded:
//     a comparison with a field, any and its like over a list of the object and the fields of its items decode and
//     allocate nothing after warm-up. Comparing two lists or objects with each other, and handing one to a function,
//     decodes that part. An expression that does not name old or changed does not touch the event's old object.
//   - A missing field is nil, never an error, at whatever depth, and so is JSON null, an index beyond the list and a
//     field of what is no object.
//   - nil equals nil alone. It is in no list or object, and <, <=, >, >=, in, contains, startsWith, endsWith and matches
//     give false when a side is nil. Arithmetic with nil is nil, and so is a function of nil (len gives 0). Where true or
//     false is needed nil counts as false. any, all, none, one, count, sum, filter, map and find take nil for an empty
//     list.
//   - Values of different types are not equal; int and float are one type here. Ordering values of different types, and
//     any other operation on a type it does not have, is an [EvalError] and the event does not match.
//   - [Filter.Conditions] are necessary: no event matches that does not fulfil them, whatever its object looks like. An
//     event that is refused by them is not evaluated, so it cannot fail either.
//   - An expression is bounded when compiled ([MaxSource], [MaxNodes], [MaxNesting], [MaxPattern]) and when it runs
//     ([MaxSteps], [MaxTime], [MaxMemory], [MaxText], [MaxRange]). Overrunning a bound is an [EvalError] that is
//     [ErrBudget]. Time is looked at between steps, so that it is a limit for loops and not to the millisecond.
//   - Nothing here panics, and no error has a part of an object in it. A [CompileError] shows the place in the
//     expression.
//   - A [Filter] is immutable and safe for concurrent use. An [Evaluator] serves one goroutine at a time and holds on to
//     the last event's objects until the next.
package filters
