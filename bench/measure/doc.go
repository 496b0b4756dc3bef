// Package measure reads what a process has used: CPU time from the kernel, resident memory from
// /proc, heap and allocations from the Go runtime. It works on Linux.
//
// CPU time is user and system time of all threads, so it holds the garbage collector's and the
// runtime's work, too. It says nothing about how long something took, and is little disturbed by
// what else the machine does; ratios of CPU times of one run are what benchmarks should compare.
package measure
