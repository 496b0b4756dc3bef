// Package report turns the measurements of trials into tables and verdicts: medians over the
// rounds, per object and per event, and comparisons with the project's targets. The documentation
// of package trial describes the phases.
//
// # Columns of the tables by contender
//
//   - list CPU/object, event CPU: user and system time of the process, in the list per object and
//     in the burst per change. In a table of single events the process's idle usage in that time is
//     subtracted; idle CPU/s shows it. A burst is too short for that to matter.
//   - list wall, burst wall: from the start to the last handled object or change.
//   - heap/object: live heap after the list and a forced collection, per object.
//   - RSS/object, peak RSS, steady RSS: resident memory after that collection, less that before the
//     list, per object; its maximum until the list was handled; its size after the collection.
//   - RSS over drop: resident memory after the burst, without a forced collection, less that of the
//     process that reads the same bytes and drops them. It includes what the collector needs.
//   - once cold, cooling CPU/object: the same after some seconds without work, and the CPU time
//     used meanwhile: informerd compresses unchanged objects. It does so after two seconds instead
//     of fifteen to save time; these two are from a separate trial.
//   - allocs/object, allocs/event: heap objects allocated in the list and in the burst.
//   - latency p50, p99; seen after, 99 of 100 within: from the moment before the server writes a
//     change to the call of the handler, of paced changes and of single ones.
//
// # Figures of the kinds
//
// Collection has four ratios, each within one run on the same bytes (Figure), and a limit for each:
//
//   - event / reading: CPU of an event relative to reading and dropping it. For an update of a
//     known object at most 3.
//   - dynamic / event: the factor below the CPU of client-go's dynamic informer. At least 30, and
//     20 for objects below 4 KB; 15 where each event has a new object.
//   - dynamic / list: the same for an object of the first list. At least 15.
//   - dynamic / memory: the factor below client-go's dynamic informer in RSS over drop, once cold.
//
// Overall is the first table of the document: the median over the kinds, with the best and the
// worst and how many are as required. KindFigures shows the figures of each kind.
//
// # Which figures count
//
// A quick run fails if a ratio is off by more than a factor of two: from its limit or, for a ratio
// that already misses it, from its value in the results file. Both sides of a ratio are measured in
// the same run, so a busy machine slows both. An event that is within its limit relative to reading
// does not fail for the ratio to client-go: machines on which reading takes twice as long relative
// to decoding have half of that ratio. For the pods of the main scene, lists too, the reverse holds
// as well. If informerd becomes slower, it does relative to both. Times and rates are marked
// "absolute" in the tables; no run fails because of them.
package report
