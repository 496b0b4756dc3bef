// Package checkpoint measures what a checkpoint costs: encoding an object that has changed, the
// bytes on disk, and loading all objects compared with reading a LIST of them.
//
// The objects are pods of 10 KB of 50 workloads. BenchmarkRead has the ways to read them: a LIST,
// which comes with managedFields; the text without managedFields; encoded objects, which the
// decoder parses against their base; and BenchmarkRestore copies encoded objects without a look at
// their text, which is what a decoder that trusts its input would take at least.
package checkpoint
