// Package matched measures the cost of a matching event, from the listener's delivery to the
// written line, as a multiple of the cost of writing the line. It works on Linux.
//
// An event is an update of a pod of 10 KB, with the object and its last state as in an informer's
// store, which is packed. It passes a filter that reads two fields, becomes a CloudEvent with both
// states, and is written by the stdout output: a line of 13 KB, since managedFields are not kept.
// It is compared with a loop of the same write calls, with equally many bytes, to the same file.
// Both are CPU time of this process, user and system, since most of the cost of writing is the
// kernel's. They alternate within one run; the cost of reading and storing an event is not included
// (see package trial).
//
// There are two destinations:
//
//   - File is a file on disk, or wherever the folder is. Writing a line takes the kernel as long in
//     the loop as between events, so this is the destination to judge by: at most 3 times (Limit).
//   - Pipe is read by another process, as a container's output is. The loop keeps it full and its
//     reader awake, so a write takes 1 us. With 20 us between two writes it takes 2 to 8 us, mostly
//     for waking the reader, whatever the program does in between. The multiple is therefore larger
//     and less meaningful, and has no limit.
package matched
