// Package report turns what trials have measured into tables and verdicts: medians over the rounds,
// by object and by event, and how they compare with the figures the project has set itself. What
// the phases are is in the documentation of package trial.
//
// # Columns of the tables by contender
//
//   - list CPU/object, event CPU: user and system time of the process, in the list by object and in
//     the burst by change. In a table of single events what the process uses in that time with
//     nothing to do is subtracted; idle CPU/s says how much that is. A burst is too short for that
//     to matter.
//   - list wall, burst wall: from the start to the last object or change handled.
//   - heap/object: what is live after the list and a forced collection, by object.
//   - RSS/object, peak RSS, steady RSS: memory that is resident: after that collection, less what
//     was before the list, by object; the most there was until the list was handled; after the
//     collection.
//   - RSS over drop: memory that is resident after the burst, as the collector leaves it, less what
//     is in the process that reads the same bytes and drops them. So it includes what the collector
//     needs.
//   - once cold, cooling CPU/object: the same after the process was left alone for some seconds, as
//     the collector leaves it, and the CPU time that was used meanwhile: informerd compresses what
//     nobody changes. That it does so after two seconds instead of fifteen is to save time; these
//     two are of a trial of their own.
//   - allocs/object, allocs/event: heap objects allocated in the list and in the burst.
//   - latency p50, p99; seen after, 99 of 100 within: from the moment before the server writes a
//     change to the call of the handler, of paced changes and of single ones.
//
// # Figures of the kinds
//
// Collection has four ratios, each within one run on the same bytes (Figure), and a limit for each:
//
//   - event / reading: CPU of an event, of what reading and dropping takes. Of an update of a known
//     object at most 3.
//   - dynamic / event: how many times less CPU than client-go's dynamic informer. At least 30, and
//     20 for objects below 4 KB; 15 where each event is of an object that was not there before.
//   - dynamic / list: the same for an object of the first list. At least 15.
//   - dynamic / memory: how many times less RSS over drop than client-go's dynamic informer, once
//     cold.
//
// Overall is the head of the document: the median over the kinds, not the best of them, with the
// best and the worst and how many are as required. KindFigures says which figure holds for which
// kind.
//
// A quick run fails if a figure is off by more than a factor of two: from what is required, or,
// where a figure falls short already, from what it was in the results file.
package report
