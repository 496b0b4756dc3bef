// Package condition decides, by reading little of an object, that an event cannot be wanted. A
// filter is translated into a [Set] of conditions that are necessary for it. An informer asks those
// of all its listeners about each event before it puts anything into a buffer.
//
// # What is promised
//
//   - A condition refuses an event only if its answer is certain; each [Test] says what it passes.
//   - Lists that are compiled with the same [Fields] read each field of an event once.
//   - They read nothing if the op, the namespace and the name decide.
//   - Asking allocates nothing after warm-up, unless a text has escapes.
//   - A condition takes a few nanoseconds once its fields are read.
//   - One on the items of a list takes that for each item, of [MaxItems] at most.
//   - A [Condition] is plain data: it can be printed, compared and translated into a selector.
//
// What is not certain is, for example, a value of a type that a test is not for, a number that
// float64 does not hold exactly, and a long list or text. All fields are read in one walk over the
// object and one over its old state.
package condition
