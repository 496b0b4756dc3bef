// Package delta encodes a text as its difference from another text, the base, and decodes it again.
// An [Encoder] is given the text from front to back, as literals and as copies of the base; a
// [Decoder] returns it in pieces. Which parts are copies is decided by package align.
//
// # The packed form
//
// A packed text is its literals, one after the other, and the operations that say how they and
// copies of the base take turns. The numbers are varints:
//
//	base      {"name":"web-1","image":"nginx:1.29"}
//	text      {"name":"web-22","image":"nginx:1.29"}
//	          ~~~~~~~~~~~~~^^~~~~~~~~~~~~~~~~~~~~~~~    ~ copied, ^ literal
//
//	literals  22
//	operations:
//	   0      so many literal bytes, here none
//	   13 0   copy 13 bytes of the base, 0 bytes after where a copy is expected
//	   2      2 literal bytes
//	   23 -1  copy 23 bytes, 1 byte before where a copy is expected
//
// A copy is expected where the last one ended, plus as many bytes as there are literals between. So
// the distance is 0 where a value was replaced by one of the same length, which is the most
// frequent difference. The last operation may end after its literals. bench/packing measures this
// form and compressors.
//
// The invariant: literals and copies, taken in turns until the text's length is reached, are the
// text.
//
// # Why not a compressor
//
// Package align has compared the texts already, so packing costs next to nothing; a compressor
// compares them again. A pod of 10 KB, 6.1 KB without managedFields, of 50 workloads
// (bench/packing): 985 bytes with the header in 4.6 us, reading included. s2 with a pod of the
// workload as dictionary needs 559 bytes and 4 us more, and 39 KB for each workload; zstd 355
// bytes and 35 us.
package delta
