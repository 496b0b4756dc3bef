// Package codec writes numbers, times and texts as bytes, and reads them again. Formats of files
// are made of it: their versions and their meaning are the caller's.
//
//   - What was appended is read as it was, in the same order.
//   - No bytes make a [Reader] panic, or take more memory than a multiple of their length.
//   - The first thing that cannot be read is [Reader.Err]; all that follows reads as zero values.
package codec
