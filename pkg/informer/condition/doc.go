// Package condition decides, by reading little of an object, that an event cannot be wanted. A
// filter is translated into conditions that are necessary for it; an informer holds each event
// against those of all its listeners before it puts anything into a buffer.
//
// # What is promised
//
//   - A condition refuses an event only if its answer is certain. What it cannot tell, it lets
//     pass: a value of a type that its test is not for, a number that float64 does not hold
//     exactly, a long list or text. Each [Test] says what it passes.
//   - Lists of conditions that are compiled with the same [Fields] read each event together: every
//     field once, in one walk over the object and one over its old state, and neither if the op,
//     namespace and name decide.
//   - To ask takes no memory after warm-up, unless a text has escapes. One condition costs a few
//     nanoseconds once its fields are read; one over the items of a list, that for each of at most
//     [MaxItems] of them.
//   - A Condition is plain data: it can be printed, compared and translated into a selector.
package condition
