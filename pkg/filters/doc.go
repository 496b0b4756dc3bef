// Package filters is the language in which a configuration says which events a listener gets, which
// objects belong to it, and what must be true of them: expressions of expr-lang. An expression is
// compiled and checked when the configuration is loaded, and evaluated by one [Evaluator] per
// worker.
//
// # What an expression sees
//
//   - op: "add", "update", "delete" or "resync"; initial: bool; missed: int.
//   - object and old, read as in object.metadata.labels["app"]; old is nil unless op is "update".
//   - cluster and listener: the names of both.
//   - changed("spec.replicas", …): an update in which one of the fields differs between object and
//     old. became(condition): an update after which the condition is true of object and was not of
//     old.
//   - label("app"), annotation("x"): a text or nil; owner("ReplicaSet"), condition("Ready"): an
//     entry of a list or nil.
//   - quantity, duration, age, semver, image, ip, cidr: values with a meaning, see below; glob.
//   - cached("nodes", "", name), byIndex("pods", "node", name): objects of other informers' caches;
//     byIndex with a namespace behind it finds those of one.
//   - expr's operators and an allow-list of its functions. No network, no methods, and no clock but
//     in age.
//
// [Table] describes all of them, with an example each. A select, a rule's deny and its message look
// at the object alone (see [Kind]): they have no op, old, initial, missed, changed or became.
//
// # What is promised
//
//   - Objects stay bytes. A field named by constant steps is read straight from the JSON text, at
//     most once per event (one of an item, once while any and its like are at that item), and
//     nothing but what an operation needs is decoded: a comparison with a field, any and its like
//     over a list of the object and the fields of its items decode and allocate nothing after
//     warm-up. Comparing two lists or objects with each other, and handing one to a function,
//     decodes that part. An expression that does not name old, changed or became does not touch the
//     event's old object; became reads it only if its condition is true of object.
//   - A missing field is nil, never an error, at whatever depth, and so is JSON null, an index
//     beyond the list and a field of what is no object.
//   - nil equals nil alone. It is in no list or object, and <, <=, >, >=, in, contains, startsWith,
//     endsWith, matches and glob give false when a side is nil. Arithmetic with nil is nil, and so
//     is a function of nil (len gives 0). Where true or false is needed nil counts as false. any,
//     all, none, one, count, sum, filter, map and find take nil for an empty list.
//   - Values of different types are not equal; int and float are one type here. Ordering values of
//     different types, and any other operation on a type it does not have, is an [EvalError].
//   - An [EvalError] is [ErrUnknown]: the expression has no answer, which is neither yes nor no.
//     The same event, caches and time get the same answer, or none, on every machine and however
//     busy it is.
//   - Beside a quantity, duration, semver, image, ip or cidr, a text is read as one of them, and
//     beside a quantity a number is one: age() > "10m". A constant that cannot be read is a
//     [CompileError]. What stands in an object and cannot be read is nil, and read or refused in
//     little time, however long it is. What was read of a text is kept for the next time, so that
//     it allocates nothing.
//   - Quantities are exact, to nine places, and nil beyond 10^30. An IPv4 address in IPv6 is that
//     IPv4 address. An image has the tag latest if it has neither tag nor digest.
//   - age counts to the time at which it is first asked for in an event, by [Evaluator].Clock.
//     [Filter.UsesClock] tells that an expression calls it: then its answer changes although the
//     object does not.
//   - cached and byIndex read the informers and indexes of [Expression].Informers, by constant
//     names. What was looked up is the same for the whole event, and looked up once. Reading an
//     object is paid for by its size.
//   - [Filter.Conditions] are necessary: no event matches that does not fulfil them, whatever its
//     object looks like. An event that is refused by them is not evaluated, so it cannot fail
//     either; those of a select or a deny let pass what it fails on.
//   - An expression is bounded when compiled ([MaxSource], [MaxNodes], [MaxNesting], [MaxPattern])
//     and when it runs ([MaxSteps], [MaxMemory], [MaxText], [MaxBytes], [MaxRange]). Overrunning a
//     bound is an [EvalError] that is [ErrBudget]. Work is counted in steps, of which each pays for
//     about the same time, and no clock is read.
//   - With a [Schema], a field that the objects cannot have is a [CompileError] below its name,
//     with the nearest name there is: behind object and old, in changed, and in what is taken from
//     them by way of let, ??, ?:, [0], any, filter, map, find and their like. Of what the schema
//     leaves open, of int-or-string and of other functions' results nothing is known, so nothing is
//     refused. Every object has apiVersion and kind.
//   - [Filter.Warnings] tell what is legal and can hardly be meant: old and changed where no event
//     is an update, by [Expression].On or by what the expression asks of op; an op that does not
//     come; what is never or always true, whatever op is; a comparison of a field with a constant
//     of a type that its schema excludes; an order of a field and a text such as "4Gi", which is
//     that of texts. They change no answer.
//   - [Filter.Explain] gives what Match gives, and for each part of the expression its text, its
//     place, how often it was evaluated and with what values. What [Explanation.Write] prints is
//     bounded and has nothing in it that a terminal would obey.
//   - The text of a message is at most [MaxMessage] bytes of whole characters, and the caller's.
//   - Nothing here panics, and no error has a part of an object in it; an [Explanation] has. A
//     [CompileError] shows the place in the expression.
//   - Texts are counted in characters, by len, in slices and by indexOf. findLast and findLastIndex
//     ask of every item.
//   - To read a field of [Expression].Dropped is a [CompileError].
//   - A [Filter] is immutable and safe for concurrent use. An [Evaluator] serves one goroutine at a
//     time and holds on to the last event's objects until the next.
package filters
