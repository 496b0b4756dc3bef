// Package trial runs one contender through the phases of the benchmark and measures it. Each trial
// has its own process, so that no contender works with a heap that another one has used.
//
// The phases, in order:
//
//   - Idle: the contender is created but not started. Its heap and resident memory are the
//     baseline.
//   - List: from Start until the handler was called for each object of the list. Then the process
//     is left alone until it is quiet; that work counts as CPU time, not as wall time. The peak of
//     the resident memory is read when the last object has been handled.
//   - Steady: after a forced collection that returns free memory to the kernel, and two seconds of
//     rest. The heap is the live heap then, less the baseline, so it contains whatever the
//     contender keeps for its cache; the resident memory is read at the same time.
//   - Burst: all changes at once, as fast as the contender takes them, until the handler was called
//     for each; CPU time as above, allocations, wall time. When the process is quiet, the resident
//     memory is read again, without a forced collection: garbage that the collector leaves is
//     memory that a contender uses, too.
//   - Paced: changes at an even rate. Latency is from the moment before the server writes a frame
//     to the call of the handler, by the machine's clock; for the contender that drops the bytes,
//     until it has the last one.
//   - Single: one change every 200 ms, 100 of them. CPU time is the process's usage meanwhile, less
//     its idle usage in that time, which is measured for five seconds before. Most of it is waking
//     up: the usage of the contender that drops the bytes is the machine's minimum. A longer gap
//     changes little, since everything cools down within milliseconds: threads and processors
//     sleep, and others use the caches.
//
// A contender in a separate process (the daemon, shell-operator) is measured from outside: its
// collector cannot be forced, so its steady resident memory is the one after the rest, its heap is
// unknown, and CPU time has ticks of 10 ms and includes the program's start. It counts as done when
// it has been quiet, for 0.6 s that are part of its wall time.
//
// Listeners with a checkpoint are compared with the same listeners without one. Disk is the size of
// the checkpoint's folder after the list, once nothing is being written; BurstDisk and PacedDisk
// are what the changes add to its log. With Missed, the trial begins with a checkpoint that an
// earlier trial has left, and First is from the start to the first event of what happened since.
// Without a checkpoint, First is that of the first object of the list. The checkpoint's files are
// in the system's cache then, as after a restart of the program alone.
//
// In the scene of checkpoints, one listener and 50 get each event, without a checkpoint and with
// one, in turns. Then there are three starts with many more objects: with a list and no checkpoint,
// with a list that makes one, and with that checkpoint, after one change that was missed.
//
// In the scene of growth there is more of one thing and the same of all others: objects, workloads
// (each with fewer replicas), or informers (each with a part of the objects, so that together they
// read the same bytes, over as many connections; drop does so, too, and shows the cost of the
// connections).
//
// In the scene of kinds a trial has a list, half a second of rest, and a burst of as many changes
// as there are objects, so that each object changes once. Additions and deletions count as changes.
// Then the process is left alone for some seconds (Cool), and the resident memory is read again, in
// one trial of those that list and burst several times. Package report describes the figures and
// the columns of the tables.
package trial
