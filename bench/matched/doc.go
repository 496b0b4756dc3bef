// Package matched measures what an event that matches costs, from the listener's delivery to the
// line that is written, as a multiple of what writing the line takes. It works on Linux.
//
// An event is an update of a pod of 10 KB, with the object and its last state as an informer's
// store has them, which is packed. It passes a filter that reads two fields, becomes a CloudEvent
// with both states in it, and is written by the stdout output: a line of 13 KB, since managedFields
// are not kept. What that is compared with is a loop with the same calls of write, of as many bytes
// each, to the same file. Both are CPU time of this process, user and system, as most of what
// writing takes is the kernel's. They take turns within one run; what reading and storing an event
// takes is not part of it (package trial).
//
// There are two destinations:
//
//   - File is a file on disk, or wherever the folder is. To write a line takes the kernel as long
//     in the loop as between events, so this is the one to judge by: at most 3 times (Limit).
//   - Pipe is read by another process, as a container's output is. The loop keeps it full and its
//     reader awake, so that a write takes 1 us. With 20 us between two writes it takes 2 to 8 us,
//     mostly for waking the reader, whatever the program does in between. So the multiple is
//     larger, and says less. No limit is set for it.
package matched
