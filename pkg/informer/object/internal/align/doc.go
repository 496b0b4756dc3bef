// Package align reads a JSON text against a similar one that was read before, its base. An
// [Aligner] checks the text like a scan.Scanner, skips values whose bytes are those of a checked
// value of the base, and records where both texts are equal. That makes reading fast, and the
// records are what package delta encodes.
//
// # Aligning a text with its base
//
// Most of what an API server sends is nearly a copy of something it has sent before: an object's
// next state, a replica. The aligner goes through the text token by token, as it does without a
// base, and keeps the place of the base that corresponds to the current one:
//
//	base  {"spec":{"containers":[...],"nodeName":"a"},"status":{"phase":"Pending"}}
//	text  {"spec":{"containers":[...],"nodeName":"b"},"status":{"phase":"Running"}}
//	               ~~~~~~~~~~~~~~~~~~~                         skipped
//	      ===================================== ======================       ===  recorded as equal
//
// Which place corresponds to which is a guess, and only speed and size depend on it. The invariant:
// a value is skipped only because its bytes are equal to those of a value of the base that was
// checked as a whole.
//
// # Following the last state
//
// A packed object's own last state differs from the base in the same places as the text: a
// replica's name and addresses are its own in each of its states. So the text is compared with the
// pieces of the last state, literals and copies of the base, one after the other. Where it differs,
// the rest of that value is read, and comparing continues after it in both texts:
//
//	base  {"status":{"podIP":"10.1.0.1","startTime":"08:15"}}
//	last  {"status":{"podIP":"10.1.7.9","startTime":"08:30"}}
//	text  {"status":{"podIP":"10.1.7.9","startTime":"11:02"}}
//	      =========================================  ~~~~~      = compared, ~ read
//
// This works for a difference within a string, number or literal name that is a value, or right
// after the opening bracket of a container. The invariant: up to each such place both texts have
// the same tokens, except for the contents of values, so the grammar is in the same state and one
// text is as valid as the other. Any other difference is left to the aligner.
//
// # Bounded cost
//
// Reading against a base that does not resemble the text is wasted work. It is counted in bytes
// that could have been read instead; beyond a quarter of what was read, the rest is read without a
// base.
//
// # Why texts are read against a base
//
// JSON cannot be checked as fast as it can be copied, and equal bytes need no check. CPU time as
// a multiple of json.Valid's (BenchmarkKinds in bench/parsing), strict, first list, updates:
// replicas of 50 workloads .34 .26 .21, Nodes .32 .37 .19, Events .48 .52 .65, ConfigMaps that
// resemble nothing .33 .34 .23, Secrets .58 .60 .63. Custom resources with the same names and
// other values take more memory than without a base, and an update of one .14.
//
// Objects below 1 KB, such as Leases and most Events, are neither packed nor bases: that would
// take longer and save little.
package align
