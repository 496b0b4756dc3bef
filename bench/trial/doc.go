// Package trial takes one contender through the phases of the benchmark and measures it. Each trial
// has a process of its own, so that no contender works with the heap another has left.
//
// The phases, in order:
//
//   - Idle: the contender is made and has not begun. Its heap and resident memory are the baseline.
//   - List: from Start until the handler was called for each object of the list. Then the process
//     is left alone until it is quiet; that work counts as CPU time, not as wall time. The peak of
//     the resident memory is read when the last object was handled.
//   - Steady: after a forced collection that gives free memory back to the kernel, and two seconds
//     of rest. The heap is what is live then, less the baseline, so that it holds whatever the
//     contender keeps for its cache; the resident memory is read beside it.
//   - Burst: all changes at once, as fast as the contender takes them, until the handler was called
//     for each; CPU time as above, allocations, wall time. Then, when the process is quiet, the
//     resident memory is read once more, and nothing is collected before: garbage that the
//     collector lets lie is memory that a contender takes, too.
//   - Paced: changes at an even rate. Latency is from the moment before the server writes a frame
//     to the moment the handler is called, by the machine's clock; for the one that drops the
//     bytes, until it has the last one.
//   - Single: one change every 200 ms, 100 of them. CPU time is what the process uses meanwhile,
//     less what it uses in that time with nothing to do, which is measured for five seconds before.
//     Most of it is waking up: what the one that drops the bytes uses is the floor on a machine. A
//     longer gap changes little, since what cools down does so within milliseconds: threads and
//     processors sleep, and others use the caches.
//
// A contender in a process of its own (the daemon, shell-operator) is measured from outside: its
// collector cannot be forced, so its steady resident memory is what it is after the rest, its heap
// is not known, CPU time comes in ticks of 10 ms and holds the program's start. When it is done is
// told by its being quiet, for 0.6 s that are in its wall time.
//
// In the scene of growth there is more of one thing and the same of all others: objects, workloads
// (the replicas of each are fewer), informers (each has a part of the objects, so that together
// they read the same bytes, over as many connections; drop does so, too, and shows what the
// connections cost).
//
// In the scene of kinds a trial has a list, half a second of rest, and a burst of as many changes
// as there are objects, so that each object changes once. Additions and deletions count as changes.
// Then the process is left alone for some seconds (Cool), and the resident memory is read once
// more: of those that do their list and burst several times, in one trial. What becomes of the
// figures, and what the columns of the tables mean, is in the documentation of package report.
package trial
