// Package child runs a compiler in a process of its own, so that compiling a hostile module takes
// no more time and memory than it was given, and can be ended at any moment.
//
// What is promised:
//   - Run starts a process for each job and has waited for its end when it returns, whatever
//     happened.
//   - The process has no environment, no network connection and no files but its standard streams
//     and the job's folder.
//   - It ends when the context of Run ends, when the parent ends, when it has used Job.Time of
//     processor time, and when it has ten times that on the clock.
//   - On Linux it ends when its resident memory exceeds Job.Memory. It looks every 5 ms, and the
//     parent every 2 ms, as nothing in the child runs while its collector waits; the kernel stops
//     what grows by 256 MiB more. Elsewhere it looks at the Go runtime's own account of its memory,
//     and nobody else does.
//   - On Linux it has a lower priority than its parent, and is the first to go if the system runs
//     out of memory.
//   - What goes wrong in it is an error in the parent: a *LimitError, or the compiler's own output.
//
// The package knows nothing of WebAssembly: Serve, which runs in the child, is given a function
// that does the job.
package child
