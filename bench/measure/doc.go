// Package measure reads a process's usage: CPU time from the kernel, resident memory from /proc,
// heap and allocations from the Go runtime. It works on Linux.
//
// CPU time is user and system time of all threads, so it includes the work of the garbage collector
// and the runtime. It does not measure how long something takes, and is little disturbed by the
// machine's other work; benchmarks should compare ratios of CPU times of one run.
package measure
