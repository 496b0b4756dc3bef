// Package filters is the language of a configuration's expressions: which events a listener gets,
// which objects belong to it, and what must be true of them. [Compile] checks an [Expression] and
// returns a [Filter]; each worker has an [Evaluator] of it. The expressions are those of expr-lang,
// read from an object's JSON text without decoding it.
//
// # What an expression sees
//
//   - op: "add", "update", "delete" or "resync"; initial, resumed: bool;
//     missed: int.
//   - object and old, as in object.metadata.labels["app"]; old is nil unless op is "update".
//   - cluster and listener: their names; cluster.name and cluster.labels, as in
//     cluster.labels.region.
//   - changed("spec.replicas", …): an update in which one of the fields differs.
//   - became(condition): an update after which the condition is true, and was not before.
//   - label("app"), annotation("x"): a text or nil.
//   - owner("ReplicaSet"), condition("Ready"): an item of a list or nil.
//   - quantity, duration, age, date, semver, image, ip, cidr: values with a meaning; glob.
//   - cached("nodes", "", name), byIndex("pods", "node", name): objects in other informers' caches.
//   - clusters("settings", namespace, name): what cached finds in each of several clusters, as a list
//     of mappings with cluster and object.
//   - The operators of expr and some of its functions.
//
// There is no network, no method, and no clock except in age. Package reference describes all
// names, with an example each. A select, a rule's deny and its message look at the object alone (see [Kind]): they
// have no op, old, initial, missed, resumed, changed or became.
//
// # What the expressions of an output see
//
// They look at a [Message]: with [KindWhen] for true or false, with [KindData] for any value as
// JSON, with [KindText] for a text. They have all of the above but cached, byIndex and clusters, and:
//
//   - resource, namespace, name, uid, type, id, subject: texts.
//   - rule, severity, message, violated, since: what a rule reports; nil if none does.
//   - data: what a handler made, or nil.
//
// cluster and listener are the message's, since listeners share an output. op is "" if a rule
// reports since time has passed.
//
// # What is promised of values
//
//   - A missing field is nil, never an error, at any depth.
//   - So are JSON null, an index beyond the list, and a field of a value that is not an object.
//   - nil equals nil only, and is in no list or object.
//   - Operators that return true or false return false when a side is nil.
//   - Arithmetic with nil is nil, and so is a function of nil; len(nil) is 0.
//   - Where true or false is needed, nil counts as false; where a list is needed, as an empty one.
//   - Values of different types are not equal; int and float are one type.
//   - Any other operation on a type that it is not for is an error.
//   - Texts are counted in characters, by len, in slices and by indexOf.
//   - Next to a quantity, duration, semver, image, ip or cidr, a text is read as one of them.
//   - Next to a quantity, a number is a quantity.
//   - A constant that cannot be read is a [CompileError]; a field that cannot be read is nil.
//   - Quantities are exact to nine places, and nil beyond 10^30.
//   - An IPv4 address in IPv6 is that IPv4 address.
//   - An image without tag and digest has the tag latest.
//   - findLast and findLastIndex evaluate every item.
//   - The text of a message has at most [MaxMessage] bytes of whole characters.
//   - A text for an output has at most [MaxText] bytes, and is never cut.
//   - JSON for an output has at most [MaxBytes] bytes, its objects their members by name.
//   - A field is in that JSON as it is in the object, with all digits.
//   - A date, duration, quantity and the like is a text there; a number that is not finite is null.
//
// # What is promised of an evaluation
//
//   - A field that is named by constant steps is read from the JSON text, once for each event.
//   - A field of an item is read once while any and the like are at that item.
//   - Comparing fields, and walking lists of the object, allocates nothing after warm-up.
//   - Comparing lists or objects, and passing one to a function, decodes that part.
//   - The old object is not read unless the expression has old, changed or became.
//   - became reads the old object only if its condition is true of object.
//   - An error of an evaluation matches [ErrUnknown]: there is no answer, neither yes nor no.
//   - The same event, caches and time have the same answer, or none, on every machine.
//   - Overrunning a bound ([MaxSteps], [MaxMemory], [MaxText], [MaxBytes]) matches [ErrBudget].
//   - Work is counted in steps, and no clock is read: a busy machine changes no answer.
//   - age counts to the time of its first use in an event, by [Evaluator].Clock, or to
//     [Expression].Now.
//   - The answer of a filter with [Filter.UsesClock] changes although the object does not.
//   - cached, byIndex and clusters read informers and indexes by constant names, of
//     [Expression].Informers.
//   - What was looked up is the same for the whole event, and looked up once. [Evaluator.Missed]
//     says whether something was not there.
//   - Nothing panics, and no error has a part of an object in it; an [Explanation] has.
//   - A [Filter] is immutable and safe for concurrent use; an [Evaluator] serves one goroutine.
//
// An Evaluator keeps the last event's objects until the next one. A step takes about the same time
// for everything that it pays for. Reading an object of another informer costs by its size.
//
// # What is promised of compiling
//
//   - An expression is bounded by [MaxSource], [MaxNodes], [MaxNesting], [MaxPattern], [MaxRange].
//   - A [CompileError] shows its place in the expression, and the name that was probably meant.
//   - With a [Schema], a field that the objects cannot have is a mistake.
//   - Reading a field of [Expression].Dropped is a mistake.
//   - [Filter.Conditions] are necessary: no event matches that does not fulfil them.
//   - [Filter.Warnings] are about what is legal and suspicious; they change no answer.
//   - [Filter.Recorded] has the same answers, with the values of all parts.
//   - What [Explanation.Write] prints is bounded, and has no control characters.
//
// The schema is followed through let, ??, ?:, [0], any, filter, map, find and the like. Nothing is
// known, and so nothing refused, of what the schema leaves open, of int-or-string, and of the
// results of other functions. Every object has apiVersion and kind. An event that the conditions
// refuse is not evaluated, so it cannot fail; those of a select or a deny pass what it fails on.
//
// Warnings are: old, changed and data where they have no value, by [Expression].On or by what the
// expression says of op; an op that no event has; what is never or always true, whatever op is; a
// comparison of a field with a constant of a type that its schema excludes, or with a text that it
// never is; an order of a field and a text such as "4Gi", which is that of letters; a text joined
// from a label that no other condition names; a comment that YAML has made longer.
//
// # The stages
//
// Each stage is a package of its own, and arrows point downwards only:
//
//	filters       what users import, and the values of an expression's parts
//	check         finds mistakes, and what is suspicious
//	conditions    what is asked before
//	eval          makes a program of a tree, and runs it
//	lang          expressions, kinds, mistakes, names, and questions about a syntax tree
//	values        numbers, texts, quantities, versions, addresses
package filters
